/**
 * Sending what is due to one endpoint, by one process at a time.
 *
 * Deliveries go out in the order of their events, several at once but never two of one record. An endpoint begins with one
 * at a time, gets more the more it takes, and falls back to one when it fails: a receiver that does not answer holds one
 * slot and delays no other. Right before each attempt the endpoint is read again: nothing goes to one that is gone.
 */
import { Unavailable } from '../domain/errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { Due, Endpoint, Sending } from '../ports/outbox.ts'
import type { Deliver } from './deliver.ts'
import { GIVE_UP_MS, nextAttemptIn, type Schedule } from './schedule.ts'
import type { Settle } from './settle.ts'
import type { Slots } from './slots.ts'

export interface DrainsOptions {
  readonly outbox: Pick<Sending, 'hold' | 'release' | 'due' | 'endpoint'>
  readonly settle: Settle['settle']
  readonly deliver: Deliver
  /** Whether reads show everything up to this position; waits a moment for it. */
  readonly visible: (position: number) => Promise<boolean>
  /** Stops all that is sent to the endpoint. */
  readonly disable: (endpoint: Endpoint, reason: string) => Promise<void>
  readonly slots: Slots
  readonly schedule: Schedule
  readonly clock: Clock
  readonly random: () => number
  readonly onTrouble: (message: string, error: unknown) => void
}

export interface Drains {
  /**
   * Sends what is due to the endpoint until nothing is, or for some seconds. Answers in how many ms there is more to do;
   * undefined: nothing is pending, or it is being drained by this process already.
   */
  drain(endpoint: string): Promise<number | undefined>
  /** There is something new for the endpoint. Answers whether it is being drained by this process. */
  wake(endpoint: string): boolean
  /** Begins nothing new; resolves when what is under way is settled. */
  stop(): Promise<void>
}

/** Deliveries to one endpoint that are under way at once, at most. */
const MOST_AT_ONCE = 10
/** A drain ends after this long, so that other endpoints have their turn. */
const BUDGET_MS = 10_000
/** When reads lag behind, or the endpoint is held by another process. */
const SOON_MS = 500
/** When the outbox or the reads are away. */
const AWAY_MS = 2_000

export function drains(options: DrainsOptions): Drains {
  const running = new Map<string, { readonly drain: Drain; readonly ended: Promise<unknown> }>()
  /** How many deliveries at once an endpoint has earned. */
  const windows = new Map<string, number>()
  const stopping = new AbortController()

  const start = async (endpoint: string): Promise<number | undefined> => {
    const drain = new Drain(endpoint, options, windows, stopping.signal)
    const ended = drain.run()
    running.set(endpoint, { drain, ended })
    try {
      return await ended
    } catch (error) {
      // The sweep asks the same stores and reports them once for all endpoints.
      if (!(error instanceof Unavailable)) throw error
      return AWAY_MS
    } finally {
      running.delete(endpoint)
      if (windows.get(endpoint) === 1) windows.delete(endpoint)
    }
  }
  const wake = (endpoint: string): boolean => {
    running.get(endpoint)?.drain.changed()
    return running.has(endpoint)
  }

  return {
    drain: async (endpoint) => {
      if (stopping.signal.aborted) return SOON_MS
      return wake(endpoint) ? undefined : start(endpoint)
    },
    wake,
    async stop() {
      stopping.abort()
      const all = [...running.values()]
      for (const { drain } of all) drain.changed()
      await Promise.allSettled(all.map(({ ended }) => ended))
    },
  }
}

/** One endpoint being drained. */
class Drain {
  readonly #key: string
  readonly #options: DrainsOptions
  readonly #windows: Map<string, number>
  readonly #stopping: AbortSignal
  readonly #end: number
  /** Records of the deliveries under way, by delivery. */
  readonly #underWay = new Map<string, string>()
  #hasChanged = false
  #goOn = () => {}
  #isTroubled = false
  #failure: { readonly error: unknown } | undefined

  constructor(key: string, options: DrainsOptions, windows: Map<string, number>, stopping: AbortSignal) {
    this.#key = key
    this.#options = options
    this.#windows = windows
    this.#stopping = stopping
    this.#end = options.clock.elapsed() + BUDGET_MS
  }

  /** Something is new, or has ended: it looks again. */
  changed(): void {
    this.#hasChanged = true
    this.#goOn()
  }

  async run(): Promise<number | undefined> {
    const { outbox } = this.#options
    if (!(await outbox.hold(this.#key))) return SOON_MS
    try {
      for (;;) {
        this.#hasChanged = false
        const nextInMs = await this.#launchDue()
        if (this.#hasChanged) continue
        if (this.#underWay.size === 0) {
          // Not before: nobody else may send to the endpoint while something is under way.
          if (this.#failure) throw this.#failure.error
          return nextInMs
        }
        await new Promise<void>((resolve) => (this.#goOn = resolve))
      }
    } finally {
      await outbox.release(this.#key)
    }
  }

  /** Begins what may begin now; answers in how many ms there is more. */
  async #launchDue(): Promise<number | undefined> {
    const { outbox, clock, visible } = this.#options
    if (this.#isTroubled) return SOON_MS
    if (this.#stopping.aborted || this.#failure || clock.elapsed() > this.#end) return 0
    const limit = (this.#windows.get(this.#key) ?? 1) - this.#underWay.size
    if (limit <= 0) return SOON_MS
    try {
      const underWay = new Set(this.#underWay.keys())
      const found = await outbox.due(this.#key, {
        limit,
        underWay,
        records: new Set(this.#underWay.values()),
      })
      const latest = Math.max(0, ...(found?.due ?? []).map(({ message }) => message.position))
      if (!(await visible(latest))) return SOON_MS
      for (const due of found?.due ?? []) this.#launch(due)
      return found?.nextInMs
    } catch (error) {
      this.#failure = { error }
      return undefined
    }
  }

  #launch(due: Due): void {
    this.#underWay.set(due.id, due.message.record)
    void this.#attempt(due)
      .catch((error: unknown) => {
        this.#isTroubled = true
        this.#options.onTrouble(`delivery ${due.id} could not be made`, error)
      })
      .finally(() => {
        this.#underWay.delete(due.id)
        this.changed()
      })
  }

  async #attempt(due: Due): Promise<void> {
    const { outbox, slots, deliver, settle, schedule, random, disable } = this.#options
    const giveBack = await slots.take(due.message.company)
    try {
      const endpoint = await outbox.endpoint(this.#key)
      if (this.#stopping.aborted || !endpoint?.active) return
      const delivered = await deliver(endpoint, due)
      const { attempt, succeeded, gone, aborted, isFinal, isHeld, retryAfterMs } = delivered
      // Cut off by our own end: the next process makes it again.
      if (aborted) return
      const of = { id: due.id, endpoint: this.#key, attempt }
      if (isHeld)
        return void (await settle({
          ...of,
          succeeded: false,
          isHeld,
          againInMs: Math.ceil(retryAfterMs ?? SOON_MS),
        }))
      const window = this.#windows.get(this.#key) ?? 1
      this.#windows.set(this.#key, succeeded ? Math.min(MOST_AT_ONCE, window * 2) : 1)
      const made = { schedule, attempts: due.attempts + 1, retryAfterMs, random: random() }
      const againInMs = succeeded || isFinal ? undefined : nextAttemptIn(made)
      const failingMs = await settle({ ...of, succeeded, againInMs })
      if (gone) await disable(endpoint, 'the receiver answered 410: it is gone')
      else if (!succeeded && (failingMs ?? 0) >= GIVE_UP_MS)
        await disable(endpoint, 'every delivery of the last five days has failed')
    } finally {
      giveBack()
    }
  }
}
