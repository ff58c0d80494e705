/**
 * Deals with timers when they are due: in order, and each once, for what a rule does may be done twice without harm.
 *
 * The clock may jump and the process may stand still for days: whatever is due by then is dealt with. Each timer is judged
 * by the record as it is now, so that one that was planned for another date does nothing.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Unavailable } from '../domain/errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { Timer, TimerChange, Timers } from '../ports/timers.ts'
import type { Adopted } from './adopt-rules.ts'
import { duesOf, plannedRecord, type CurrentStates } from './plan-timers.ts'

export interface PollOptions {
  readonly adopted: readonly Adopted[]
  readonly timers: Timers
  readonly states: CurrentStates
  readonly clock: Pick<Clock, 'now'>
  readonly onTrouble: (message: string, error: unknown) => void
  /** How often timers are looked at, in ms; left out: each second. */
  readonly lookMs?: number | undefined
}

export interface Poller {
  /** Deals with all that is due now; how many timers that were. @throws Unavailable with the rest still to be done */
  once(): Promise<number>
  /** Looks again and again. */
  start(): void
  stop(): Promise<void>
}

/** Timers that are read together. */
const PIECE = 200
/** How soon what could not be done is tried again, in ms: after trouble with one timer, and with the stores. */
const LATER = { one: 300_000, all: 2_000 }
const LOOK_MS = 1_000

export function timerPoller(options: PollOptions): Poller {
  const { adopted, timers, states, clock, onTrouble, lookMs = LOOK_MS } = options
  const named = new Map(adopted.map((one) => [one.timers, one]))
  const stopping = new AbortController()
  let running: Promise<void> = Promise.resolve()

  const deal = async (timer: Timer): Promise<TimerChange> => {
    const one = named.get(timer.rule)
    // A rule of processes with other definitions.
    if (!one) return { op: 'postpone', timer, until: clock.now() + LATER.one }
    const record = await plannedRecord(states, timer.company, timer.record)
    const isDue = (due: { readonly occurrence: string; readonly due: number }) =>
      due.occurrence === timer.occurrence && due.due === timer.due
    if (!record || !duesOf(one, record).some(isDue)) return { op: 'done', timer }
    try {
      const fired = await one.rule.fire(timer, record)
      return fired ? { op: 'postpone', timer, until: fired.again } : { op: 'done', timer }
    } catch (error) {
      if (error instanceof Unavailable) throw error
      onTrouble(`${timer.rule} cannot be done for ${timer.record} now`, error)
      return { op: 'postpone', timer, until: clock.now() + LATER.one }
    }
  }

  const once = async (): Promise<number> => {
    let dealt = 0
    while (!stopping.signal.aborted) {
      const due = await timers.due(clock.now(), PIECE)
      if (due.length === 0) break
      const changes: TimerChange[] = []
      try {
        for (const timer of due) {
          if (stopping.signal.aborted) break
          changes.push(await deal(timer))
        }
      } finally {
        // What was done before the trouble is done.
        await timers.store(changes)
      }
      dealt += changes.length
    }
    return dealt
  }

  const run = async () => {
    while (!stopping.signal.aborted) {
      const rest = await once().then(
        () => lookMs,
        (error: unknown) => {
          if (!stopping.signal.aborted) onTrouble('timers cannot be dealt with for now', error)
          return LATER.all
        },
      )
      await delay(rest, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
    }
  }

  return {
    once,
    start: () => void (running = run()),
    async stop() {
      stopping.abort()
      await running
    },
  }
}
