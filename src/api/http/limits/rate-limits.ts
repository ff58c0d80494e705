/**
 * Rate limits (docs/open-facts.md 32, 33): every principal, and every address without one, may make a number of requests a minute, and
 * a burst of them at once.
 *
 * A token bucket, kept as the moment at which it is full again. It is asked in memory and never waits: with several processes each reports to the others what was done, soon and in one go (`Allowances`), and takes over what all of them owe
 * together. So the rate holds over all processes exactly, and a burst can be exceeded by what is done within that time.
 * When the place that they share is gone each keeps the limit by itself.
 */
import type { Allowances } from '../../../ports/allowances.ts'
import type { Clock } from '../../../ports/clock.ts'

export interface RateLimits {
  /** Counts a request of `key`, or as many at once as `count` says, if it may be done now. */
  take(key: string, count?: number): Taken
  /**
   * Counts as many requests as may be done now, at most `most`, and no more than this part of them where that is one or
   * more. What cannot be done is not refused yet.
   */
  reserve(key: string, most: number, part: number): Reserved
  /** Requests that were taken do not count after all: one, or `count`; what was reported to other processes stays. */
  giveBack(key: string, count?: number): void
  /** How many were refused so far. */
  refused(): number
  /** What a request takes, in ms. */
  readonly costMs: number
  /** What the header `RateLimit` calls it. */
  readonly name: string
  /** The header `RateLimit-Policy`. */
  readonly policy: string
  /** Reports to the other processes now what was done here, and resolves when they have answered what was done there. */
  exchange(): Promise<void>
  close(): Promise<void>
}

export interface Taken {
  /** Milliseconds until the request may be done; 0: it may. */
  readonly waitMs: number
  /** How many more may be done now. */
  readonly left: number
  /** Milliseconds until all of the burst may be done again. */
  readonly fullMs: number
}

export interface Reserved extends Taken {
  readonly count: number
}

/** What an answer says of a limit. */
export interface ShownLimit extends Pick<RateLimits, 'name' | 'policy'>, Pick<Taken, 'left' | 'fullMs'> {}

export interface RateLimitsOptions {
  /** What headers call it; absent: `burst`, beside what the minute allows. */
  readonly name?: string
  /** 1 or more. */
  readonly perMinute: number
  /** 1 or more; never more than `perMinute` at once. */
  readonly burst: number
  readonly clock: Pick<Clock, 'elapsed'>
  /** Absent: this is the only process. */
  readonly shared?: Allowances | undefined
  readonly onTrouble: (error: unknown) => void
}

interface Bucket {
  /** When it is full, by `clock.elapsed()`. */
  fullAt: number
  /** What was spent here and the others do not know of, in ms. */
  untold: number
}

/** What is done here is reported within this time, or as soon as it is a tenth of the burst. */
const TELL_MS = 200
const MOST_TOLD_AT_ONCE = 1_000
/** Of an attacker with many addresses: past this many, those that were not seen for longest are forgiven. */
const MOST_KEYS = 100_000

/** As much of a sum of times may be lost in adding them up. */
const LOST_MS = 0.001

export function rateLimits(options: RateLimitsOptions): RateLimits {
  const { perMinute, burst, clock, shared, onTrouble, name = 'burst' } = options
  const cost = 60_000 / perMinute
  const size = Math.min(burst, perMinute)
  const most = size * cost
  // Two generations: a bucket that nobody asked for in a whole one is full, and need not be known.
  const generationMs = Math.max(most, 1_000)
  let recent = new Map<string, Bucket>()
  let older = new Map<string, Bucket>()
  let began = clock.elapsed()
  const untold = new Map<string, Bucket>()
  let timer: NodeJS.Timeout | undefined
  let exchanging: Promise<void> | undefined
  let refused = 0

  const bucketOf = (key: string, now: number): Bucket => {
    if (now - began > generationMs || recent.size >= MOST_KEYS) {
      older = recent
      recent = new Map()
      began = now
    }
    const known = recent.get(key)
    if (known) return known
    const bucket = older.get(key) ?? { fullAt: now, untold: 0 }
    recent.set(key, bucket)
    return bucket
  }

  const tellSome = async (allowances: Allowances) => {
    const told = [...untold].slice(0, MOST_TOLD_AT_ONCE)
    const spendings = told.map(([key, { untold: ms }]) => ({ key, ms }))
    for (const [key, bucket] of told) {
      untold.delete(key)
      bucket.untold = 0
    }
    const owed = await allowances.spend(spendings)
    const now = clock.elapsed()
    told.forEach(([, bucket], index) => {
      bucket.fullAt = Math.max(bucket.fullAt, now + (owed[index] ?? 0) + bucket.untold)
    })
  }

  const exchange = async (): Promise<void> => {
    if (!shared) return
    clearTimeout(timer)
    timer = undefined
    while (exchanging) await exchanging
    if (untold.size === 0) return
    exchanging = tellSome(shared)
      // What was not reported is forgotten: until the others can be reached this process keeps the limit alone.
      .catch(onTrouble)
      .finally(() => (exchanging = undefined))
    await exchanging
    if (untold.size > 0) tellSoon()
  }

  const tellSoon = () => (timer ??= setTimeout(() => void exchange(), TELL_MS).unref())

  const spend = (key: string, bucket: Bucket, ms: number) => {
    if (!shared) return
    bucket.untold += ms
    if (untold.size < MOST_KEYS) untold.set(key, bucket)
    if (bucket.untold >= most / 10 && !exchanging) void exchange()
    else tellSoon()
  }

  const owedBy = ({ fullAt }: Bucket, now: number) => Math.max(0, fullAt - now)
  const leftOf = (owed: number) => Math.floor((most - owed + LOST_MS) / cost)
  const spent = (key: string, bucket: Bucket, now: number, ms: number): Taken => {
    const fullMs = owedBy(bucket, now) + ms
    bucket.fullAt = now + fullMs
    spend(key, bucket, ms)
    return { waitMs: 0, left: leftOf(fullMs), fullMs }
  }

  return {
    name,
    costMs: cost,
    refused: () => refused,
    policy: `"${name}";q=${size};w=${Math.ceil(most / 1_000)}${name === 'burst' ? `, "minute";q=${perMinute};w=60` : ''}`,
    take(key, count = 1) {
      const ms = cost * count
      const now = clock.elapsed()
      const bucket = bucketOf(key, now)
      const owed = owedBy(bucket, now)
      const waitMs = owed + ms - most
      if (waitMs > LOST_MS) {
        refused++
        return { waitMs, left: count === 1 ? 0 : leftOf(owed), fullMs: owed }
      }
      return spent(key, bucket, now, ms)
    },
    reserve(key, atMost, part) {
      const now = clock.elapsed()
      const bucket = bucketOf(key, now)
      const owed = owedBy(bucket, now)
      const left = leftOf(owed)
      if (left < 1) return { count: 0, waitMs: owed + cost - most, left: 0, fullMs: owed }
      const count = Math.min(atMost, Math.max(1, Math.floor(left * part)))
      return { count, ...spent(key, bucket, now, count * cost) }
    },
    giveBack(key, count = 1) {
      const ms = cost * count
      const bucket = recent.get(key) ?? older.get(key)
      if (!bucket) return
      bucket.fullAt -= ms
      if (bucket.untold < ms) return
      bucket.untold -= ms
      if (bucket.untold === 0) untold.delete(key)
    },
    exchange,
    async close() {
      clearTimeout(timer)
      await exchanging
      await shared?.close()
    },
  }
}
