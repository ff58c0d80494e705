/**
 * How often a login may be tried (open fact 27): a minute's tries are counted for an account from an address, for an account,
 * for an address and for a company, whether they exist or not. Tries that succeed are not counted.
 *
 * Counted in each process by itself: what all processes count together would cost the store a write for each try, which is
 * what an attacker would like. With n processes the limits are n times these, and each try still costs a hash.
 */
import type { Clock } from '../ports/clock.ts'

export interface LoginTry {
  readonly address: string
  /** Key as it was sent. */
  readonly company: string
  readonly email: string
}

export interface LoginLimits {
  /** Counts the try. Seconds to wait when there were too many; it is then not made. */
  begin(login: LoginTry): number | undefined
  /** It was right: it does not count. */
  succeeded(login: LoginTry): void
}

/** Tries a minute. */
export const LOGIN_LIMITS = { accountFromAddress: 10, account: 60, address: 120, company: 600 } as const

const WINDOW_MS = 60_000
/** Windows that are remembered; past it all begin anew, which only an attack of this size gains by. */
const CAPACITY = 100_000

export function loginLimits(clock: Pick<Clock, 'elapsed'>): LoginLimits {
  let windows = new Map<string, { tries: number; readonly ends: number }>()
  let sweptAt = clock.elapsed()

  const counted = ({ address, company, email }: LoginTry) =>
    [
      [JSON.stringify(['accountFromAddress', address, company, email]), LOGIN_LIMITS.accountFromAddress],
      [JSON.stringify(['account', company, email]), LOGIN_LIMITS.account],
      [JSON.stringify(['address', address]), LOGIN_LIMITS.address],
      [JSON.stringify(['company', company]), LOGIN_LIMITS.company],
    ] as const

  const sweep = (time: number) => {
    if (time - sweptAt < WINDOW_MS && windows.size < CAPACITY) return
    sweptAt = time
    windows = new Map([...windows].filter(([, { ends }]) => ends > time))
    if (windows.size >= CAPACITY) windows.clear()
  }

  return {
    begin(login) {
      const time = clock.elapsed()
      sweep(time)
      const all = counted(login).map(([name, most]) => {
        const known = windows.get(name)
        const window = known && known.ends > time ? known : { tries: 0, ends: time + WINDOW_MS }
        windows.set(name, window)
        return { window, most }
      })
      const full = all.filter(({ window, most }) => window.tries >= most)
      if (full.length > 0)
        return Math.ceil((Math.max(...full.map(({ window }) => window.ends)) - time) / 1000)
      for (const { window } of all) window.tries++
      return undefined
    },
    succeeded(login) {
      for (const [name] of counted(login)) {
        const window = windows.get(name)
        if (window && window.tries > 0) window.tries--
      }
    },
  }
}
