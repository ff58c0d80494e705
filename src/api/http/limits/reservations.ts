/**
 * Rate limits kept by one thread for several: another one reserves some requests of a principal and its company, counts them
 * down by itself, and gives back within a second what it has not used. So all of them together never let through more than
 * the limits allow; what is reserved and not used may be missed elsewhere for that time.
 */
import type { Company } from '../../../domain/events/event.ts'
import { requestsOf, type CompanyLimits } from './limited.ts'
import type { RateLimits, ShownLimit, Taken } from './rate-limits.ts'

/** Requests that may be made, and what answers to them say. */
export interface Reserved {
  readonly count: number
  readonly name: string
  readonly policy: string
  /** As after all of them. */
  readonly taken: Taken
  /** What each of them takes, in ms. */
  readonly costMs: number
}

/** The principal that requests are counted against, and its company. */
export interface Counted {
  readonly actor: string
  readonly company: Company
}

export interface Reserves {
  /** Undefined: none can be made now, or there is no limit. */
  reserve(counted: Counted): Reserved | undefined
  giveBack(counted: Counted, count: number): void
}

const MOST = 10

export interface ReservesOptions {
  readonly limits: RateLimits | undefined
  readonly requests: CompanyLimits['requests']
  /** Among how many threads what is left is spread. */
  readonly threads: number
}

/** The side of the thread that keeps the limits. */
export function reserves({ limits, requests, threads }: ReservesOptions): Reserves {
  const some = (of: RateLimits, key: string, most: number) => of.reserve(key, most, 1 / threads)
  return {
    reserve({ actor, company }) {
      const own = limits && some(limits, actor, MOST)
      if (own?.count === 0) return undefined
      const all = requests && some(requests, requestsOf(company), own?.count ?? MOST)
      if (own && all && all.count < own.count) limits.giveBack(actor, own.count - all.count)
      const [by, taken] = all ? [requests, all] : [limits, own]
      if (!by || !taken || taken.count === 0) return undefined
      return { count: taken.count, name: by.name, policy: by.policy, taken, costMs: by.costMs }
    },
    giveBack({ actor, company }, count) {
      limits?.giveBack(actor, count)
      requests?.giveBack(requestsOf(company), count)
    },
  }
}

export interface ReservationsOptions {
  readonly ask: (counted: Counted) => Promise<Reserved | undefined>
  readonly giveBack: (counted: Counted, count: number) => void
  /** Monotonic, in ms. */
  readonly elapsed: () => number
}

export interface Reservations {
  /** Counts a request; undefined when it has to be counted by the other thread. At once where one was reserved. */
  take(counted: Counted): ShownLimit | undefined | Promise<ShownLimit | undefined>
  /** Gives back what was not used within a second; done by itself. */
  look(): void
  /** Gives back everything. */
  close(): void
}

interface Held {
  readonly counted: Counted
  readonly reserved: Reserved
  unused: number
  readonly at: number
}

const HELD_MS = 1_000

/** The side of a thread that asks. */
export function reservations({ ask, giveBack, elapsed }: ReservationsOptions): Reservations {
  const held = new Map<string, Held>()
  let timer: NodeJS.Timeout | undefined

  const drop = (one: Held) => {
    held.delete(one.counted.actor)
    if (one.unused > 0) giveBack(one.counted, one.unused)
  }
  const use = (one: Held): ShownLimit => {
    one.unused--
    const { name, policy, taken, costMs } = one.reserved
    const fullMs = taken.fullMs - one.unused * costMs - (elapsed() - one.at)
    return { name, policy, left: taken.left + one.unused, fullMs: Math.max(0, fullMs) }
  }
  const askFor = async (counted: Counted) => {
    const at = elapsed()
    const reserved = await ask(counted)
    if (!reserved) return undefined
    const before = held.get(counted.actor)
    if (before) drop(before)
    const one = { counted, reserved, unused: reserved.count, at }
    held.set(counted.actor, one)
    timer ??= setInterval(look, HELD_MS).unref()
    return use(one)
  }
  const look = () => {
    const now = elapsed()
    for (const one of held.values()) if (now - one.at >= HELD_MS) drop(one)
    if (held.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    take(counted) {
      const one = held.get(counted.actor)
      return one && one.unused > 0 && elapsed() - one.at < HELD_MS ? use(one) : askFor(counted)
    },
    look,
    close() {
      clearInterval(timer)
      for (const one of held.values()) drop(one)
    },
  }
}
