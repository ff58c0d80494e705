/**
 * How often a login may be tried (docs/open-facts.md 27): for an account from one address, for an account, from an address,
 * for a company; whether they exist or not. Attempts are counted as requests are, by all processes together.
 *
 * A successful login counts for its account and company only: many people may share an address, but each login costs the
 * hash of a password, so that no account or company may log in without end.
 */
import { createHash } from 'node:crypto'
import type { Allowances } from '../../ports/allowances.ts'
import type { Clock } from '../../ports/clock.ts'
import { rateLimits } from '../http/limits/rate-limits.ts'

export interface LoginTry {
  readonly address: string
  /** Key as sent. */
  readonly company: string
  /** In its plain form. */
  readonly email: string
}

export interface LoginLimits {
  /** Counts an attempt. Seconds to wait when there were too many: it must not be made then. */
  begin(login: LoginTry): number | undefined
  /** The attempt was successful. */
  succeeded(login: LoginTry): void
  /** The attempt was not made after all: it does not count. */
  withdraw(login: LoginTry): void
  close(): Promise<void>
}

export interface LoginLimitsOptions {
  readonly clock: Pick<Clock, 'elapsed'>
  /** Absent: this is the only process. */
  readonly shared?: Allowances | undefined
  readonly onTrouble: (error: unknown) => void
}

/** Attempts a minute. Only `account` and `company` let somebody lock out others, and they are the wider for it. */
export const LOGIN_LIMITS = { accountFromAddress: 10, account: 60, address: 120, company: 600 } as const
type Kind = keyof typeof LOGIN_LIMITS
const KINDS = Object.keys(LOGIN_LIMITS) as Kind[]

export function loginLimits({ clock, shared, onTrouble }: LoginLimitsOptions): LoginLimits {
  // The shared allowances are closed once, not by each limit.
  const place = shared && { spend: shared.spend, close: async () => {} }
  const limits = KINDS.map((kind) => {
    const perMinute = LOGIN_LIMITS[kind]
    return { kind, limit: rateLimits({ perMinute, burst: perMinute, clock, shared: place, onTrouble }) }
  })
  const giveBack = (login: LoginTry, kinds: readonly Kind[]) => {
    for (const { kind, limit } of limits) if (kinds.includes(kind)) limit.giveBack(keyOf(kind, login))
  }
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
    succeeded: (login) => giveBack(login, ['accountFromAddress', 'address']),
    withdraw: (login) => giveBack(login, KINDS),
    async close() {
      for (const { limit } of limits) await limit.close()
      await shared?.close()
    },
  }
}

/** Hashed, so that the shared store holds no addresses of people or machines. */
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
