/** Secrets of webhooks that were opened, by what they were sealed as: the main thread, which has the keys, is asked once for each. */
import { recentlyUsed } from '../../domain/recently-used.ts'

const REMEMBERED = 1_000

export type OpenSecret = (company: string, sealed: string) => Promise<string>

export function openedSecrets(open: OpenSecret): OpenSecret {
  const opened = recentlyUsed<Promise<string>>(REMEMBERED)
  return (company, sealed) => {
    const before = opened.get(sealed)
    if (before) return before
    const secret = open(company, sealed)
    opened.set(sealed, secret)
    secret.catch(() => opened.delete(sealed))
    return secret
  }
}
