/**
 * How often a login may be tried (open fact 27): for an account from an address, for an account, for an address, for a
 * company; whether they exist or not. Counted as any rate, so by all processes together. A try that succeeds is given back.
 */
import { createHash } from 'node:crypto'
import type { Allowances } from '../../ports/allowances.ts'
import type { Clock } from '../../ports/clock.ts'
import { rateLimits } from '../http/limits/rate-limits.ts'

export interface LoginTry {
  readonly address: string
  /** Key as it was sent. */
  readonly company: string
  /** In its plain form. */
  readonly email: string
}

export interface LoginLimits {
  /** Counts the try. Seconds to wait when there were too many; it is then not to be made. */
  begin(login: LoginTry): number | undefined
  /** It was right, or was not made: it does not count. */
  giveBack(login: LoginTry): void
  close(): Promise<void>
}

export interface LoginLimitsOptions {
  readonly clock: Pick<Clock, 'elapsed'>
  /** Absent: this is the only process. */
  readonly shared?: Allowances | undefined
  readonly onTrouble: (error: unknown) => void
}

/** Tries a minute. An account can be kept from logging in by others at the second; at the first nobody keeps out another. */
export const LOGIN_LIMITS = { accountFromAddress: 10, account: 60, address: 120, company: 600 } as const
type Kind = keyof typeof LOGIN_LIMITS
const KINDS = Object.keys(LOGIN_LIMITS) as Kind[]

export function loginLimits({ clock, shared, onTrouble }: LoginLimitsOptions): LoginLimits {
  // The place that all share is closed once, not by each.
  const place = shared && { spend: shared.spend, close: async () => {} }
  const limits = KINDS.map((kind) => {
    const perMinute = LOGIN_LIMITS[kind]
    return { kind, limit: rateLimits({ perMinute, burst: perMinute, clock, shared: place, onTrouble }) }
  })
  return {
    begin(login) {
      const taken: { readonly giveBack: () => void }[] = []
      for (const { kind, limit } of limits) {
        const key = keyOf(kind, login)
        const { waitMs } = limit.take(key)
        if (waitMs === 0) taken.push({ giveBack: () => limit.giveBack(key) })
        else {
          for (const other of taken) other.giveBack()
          return Math.ceil(waitMs / 1_000)
        }
      }
      return undefined
    },
    giveBack(login) {
      for (const { kind, limit } of limits) limit.giveBack(keyOf(kind, login))
    },
    async close() {
      for (const { limit } of limits) await limit.close()
      await shared?.close()
    },
  }
}

/** Addresses of people and machines do not lie about in a shared place. */
function keyOf(kind: Kind, { address, company, email }: LoginTry): string {
  const of = {
    accountFromAddress: [address, company, email],
    account: [company, email],
    address: [address],
    company: [company],
  }
  return `login ${createHash('sha256')
    .update(JSON.stringify([kind, ...of[kind]]))
    .digest('base64url')}`
}
