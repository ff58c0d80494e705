/**
 * Sending what is due to one endpoint, by one process at a time (open facts 30 and 31).
 *
 * Deliveries go out in the order of their events, several at once but never two of one record. An endpoint begins with one
 * at a time, gets more the more it takes, and falls back to one when it fails: so a receiver that is silent holds one
 * slot, and nobody up. Right before each attempt the endpoint is read again: nothing goes to one that is gone.
 */
import { Unavailable } from '../domain/errors.ts'
import type { Clock } from '../ports/clock.ts'
import { LONGEST_DELAY_MS, type Delivery, type Handled } from '../ports/delivery-queue.ts'
import type { Due, Endpoint, Outbox } from '../ports/outbox.ts'
import type { Deliver } from './deliver.ts'
import { GIVE_UP_MS, nextAttemptIn, type Schedule } from './schedule.ts'
import type { Settle } from './settle.ts'
import type { Slots } from './slots.ts'

export interface DrainsOptions {
  readonly outbox: Pick<Outbox, 'hold' | 'release' | 'due' | 'endpoint'>
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
  /** Sends what is due, until nothing is or some seconds have passed; then says when to come again. */
  drain(hint: Delivery): Promise<Handled>
  /** There is something new for the endpoint. Whether it is being drained here. */
  wake(endpoint: string): boolean
  /** Begins nothing new; resolves when what is under way is settled. */
  stop(): Promise<void>
}

/** Deliveries to one endpoint that are under way at once, at most. */
const MOST_AT_ONCE = 10
/** A drain ends after this long, so that the queue hears of it. */
const BUDGET_MS = 10_000
/** When reads lag behind, or the endpoint is held elsewhere. */
const SOON_MS = 500
/** When the outbox or the reads are away. */
const AWAY_MS = 2_000

export function drains(options: DrainsOptions): Drains {
  const { outbox, clock } = options
  const running = new Map<string, { wake: () => void; readonly ended: Promise<unknown> }>()
  /** How many deliveries at once an endpoint has earned. */
  const windows = new Map<string, number>()
  let stopping = false

  const attempt = async (key: string, due: Due): Promise<void> => {
    const { message, id } = due
    const giveBack = await options.slots.take(message.company)
    try {
      const endpoint = await outbox.endpoint(key)
      if (stopping || !endpoint?.active) return
      const { attempt, succeeded, gone, aborted, retryAfterMs } = await options.deliver(endpoint, due)
      // Cut off by our own end: it is made again by the next process.
      if (aborted) return
      windows.set(key, succeeded ? Math.min(MOST_AT_ONCE, (windows.get(key) ?? 1) * 2) : 1)
      const made = { schedule: options.schedule, attempts: due.attempts + 1, retryAfterMs }
      const againInMs = succeeded ? undefined : nextAttemptIn({ ...made, random: options.random() })
      const failingMs = await options.settle({ id, endpoint: key, attempt, succeeded, againInMs })
      if (gone) await options.disable(endpoint, 'the receiver answered 410: it is gone')
      else if (!succeeded && (failingMs ?? 0) >= GIVE_UP_MS)
        await options.disable(endpoint, 'every delivery of the last five days has failed')
    } finally {
      giveBack()
    }
  }

  const run = async (key: string, onChange: (change: () => void) => void): Promise<Handled> => {
    if (!(await outbox.hold(key))) return { againInMs: SOON_MS }
    const underWay = new Map<string, string>()
    const end = clock.elapsed() + BUDGET_MS
    let hasChanged = false
    let goOn = () => {}
    const change = () => {
      hasChanged = true
      goOn()
    }
    onChange(change)
    let trouble = false
    let failure: { readonly error: unknown } | undefined
    const launch = (due: Due) => {
      underWay.set(due.id, due.message.record)
      void attempt(key, due)
        .catch((error: unknown) => {
          trouble = true
          options.onTrouble(`delivery ${due.id} could not be made`, error)
        })
        .finally(() => {
          underWay.delete(due.id)
          change()
        })
    }
    try {
      for (;;) {
        hasChanged = false
        const isOver = stopping || trouble || failure !== undefined || clock.elapsed() > end
        const limit = (windows.get(key) ?? 1) - underWay.size
        let nextInMs: number | undefined = isOver && !trouble ? 0 : SOON_MS
        if (!isOver && limit > 0) {
          const wanted = { limit, underWay: new Set(underWay.keys()), records: new Set(underWay.values()) }
          try {
            const found = await outbox.due(key, wanted)
            const latest = Math.max(0, ...(found?.due ?? []).map(({ message }) => message.position))
            if (await options.visible(latest)) {
              found?.due.forEach(launch)
              nextInMs = found?.nextInMs
            }
          } catch (error) {
            // Nobody else may send to the endpoint while something is under way.
            failure = { error }
          }
        }
        if (hasChanged) continue
        if (underWay.size === 0 && failure) throw failure.error
        if (underWay.size === 0)
          return nextInMs === undefined ? 'done' : { againInMs: Math.min(nextInMs, LONGEST_DELAY_MS) }
        await new Promise<void>((resolve) => (goOn = resolve))
      }
    } finally {
      await outbox.release(key)
    }
  }

  return {
    async drain({ endpoint: key }) {
      if (stopping) return { againInMs: SOON_MS }
      const at = running.get(key)
      if (at) {
        at.wake()
        return 'done'
      }
      let wake = () => {}
      const ended = run(key, (change) => (wake = change))
      running.set(key, { wake: () => wake(), ended })
      try {
        return await ended
      } catch (error) {
        // No fault of the hint; the sweep, which asks the same stores, tells of it once for all.
        if (!(error instanceof Unavailable)) throw error
        return { againInMs: AWAY_MS }
      } finally {
        running.delete(key)
        if (windows.get(key) === 1) windows.delete(key)
      }
    },
    wake(endpoint) {
      running.get(endpoint)?.wake()
      return running.has(endpoint)
    },
    async stop() {
      stopping = true
      const all = [...running.values()]
      for (const { wake } of all) wake()
      await Promise.allSettled(all.map(({ ended }) => ended))
    },
  }
}
