/**
 * Keeps deliveries going: publishes a hint when something is due, listens for hints and drains endpoints, sweeps the
 * outbox for what no hint announced, works off replays, and ends the log of old deliveries.
 *
 * Without a broker, or while it is away, hints stay within this process.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Definitions } from '../domain/definition.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { Hint, Hints, HintsStatus } from '../ports/hints.ts'
import type { EventRanges } from '../ports/journal.ts'
import type { Endpoint, Relaying, Sending } from '../ports/outbox.ts'
import type { Drains } from './drain.ts'
import { hintsInProcess } from './hints-in-process.ts'
import { workOffReplays } from './replay.ts'

export interface RelayOptions {
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'read' | 'subscribe'>
  /** See `replay.ts`. */
  readonly journal?: Pick<EventRanges, 'batches'> | undefined
  readonly outbox: Relaying & Pick<Sending, 'endpoint'>
  readonly drains: Pick<Drains, 'wake' | 'drain'>
  /** Shares the work with other processes; undefined: this process sends all that it finds. */
  readonly broker?: Hints | undefined
  /** What else is to be done at each sweep. */
  readonly upkeep?: () => Promise<void>
  readonly onTrouble: (message: string, error: unknown) => void
}

export interface Relay {
  /** There is something new for these. */
  filled(endpoints: readonly Pick<Endpoint, 'key' | 'company'>[]): void
  /** Look now, rather than at the next sweep: something was asked for. */
  sweepNow(): void
  /** How the broker stands, or what stands in for one. */
  hints(): Promise<HintsStatus>
  stop(): Promise<void>
}

/** Endpoints that are sent to at once. */
const ENDPOINTS_AT_ONCE = 1_000
const SWEEP_MS = 2_000
/** What has been due for longer, and is sent by nobody, had no hint. */
const OVERDUE_MS = 3_000
/** What is due later than this is left to the sweep. */
const NEAR_MS = 60_000
/** After an endpoint could not be drained. */
const AWAY_MS = 2_000
/** How long the log of deliveries that have ended is kept. */
const KEPT_MS = 90 * 24 * 3_600_000
const PURGE_MS = 3_600_000
/** Between two pieces. */
const PURGE_REST_MS = 50

export function startRelay(options: RelayOptions): Relay {
  const { outbox, broker, onTrouble } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const hints = startHints(options, signal)
  const pauses = new Set<AbortController>()
  let asked = false

  /** With a broker, one process looks for all; the others look only while it is away. */
  const sweeps = async () => !broker || outbox.leads() || (await broker.status()).state === 'unreachable'

  const sweep = async (count: number) => {
    // What an earlier process left is due whether or not its hint is still there.
    if (await sweeps()) {
      const waiting = await outbox.waiting(count === 0 || asked ? 0 : OVERDUE_MS)
      if (!(await haveHints(waiting.length))) hints.give(waiting)
    }
    asked = false
    await options.upkeep?.()
    return asked
  }
  /** While all that send are busy, hints wait in the broker: more of them would say nothing new. */
  const haveHints = async (count: number) => {
    const { waiting = 0 } = (await broker?.status()) ?? {}
    return count > 0 && waiting >= count
  }
  const replays = () => workOffReplays({ ...options, onFilled: hints.give, signal })
  const purge = async () => (await outbox.purge(KEPT_MS)) > 0 && delay(PURGE_REST_MS, true)

  /** Repeats the work: at once when it says that there is more, else after a pause that can be cut short. */
  const repeat = async (trouble: string, work: (count: number) => Promise<boolean>, pauseMs = SWEEP_MS) => {
    for (let count = 0; !signal.aborted; count++) {
      try {
        if (await work(count)) continue
      } catch (error) {
        if (!signal.aborted) onTrouble(trouble, error)
      }
      const pause = new AbortController()
      pauses.add(pause)
      const either = AbortSignal.any([pause.signal, signal])
      await delay(pauseMs, undefined, { signal: either }).catch(() => {})
      pauses.delete(pause)
    }
  }
  // Beside each other: neither a long replay nor much that is old holds up a delivery.
  const running = Promise.all([
    repeat('the outbox cannot be swept for now', sweep),
    repeat('replays cannot go on for now', replays),
    repeat('old deliveries cannot be removed for now', purge, PURGE_MS),
  ])

  return {
    filled: hints.give,
    sweepNow() {
      asked = true
      for (const pause of pauses) pause.abort()
    },
    hints: hints.status,
    async stop() {
      stopping.abort()
      await Promise.all([running, hints.stop()])
    },
  }
}

interface RelayedHints {
  /** Something is due for these. */
  give(endpoints: readonly Pick<Endpoint, 'key' | 'company'>[]): void
  status(): Promise<HintsStatus>
  /** The signal is aborted: resolves when the endpoints being drained have settled. */
  stop(): Promise<void>
}

/** Publishes hints and drains the endpoints of those that this process gets. */
function startHints({ drains, broker, onTrouble }: RelayOptions, stopping: AbortSignal): RelayedHints {
  const local = hintsInProcess()
  const timers = new Map<string, NodeJS.Timeout>()
  let isBrokerAway = false

  const publish = async (hints: readonly Hint[]): Promise<void> => {
    if (stopping.aborted || hints.length === 0) return
    if (!broker) return local.publish(hints)
    try {
      await broker.publish(hints)
      isBrokerAway = false
    } catch (error) {
      // Reported once, and not for every event meanwhile.
      if (!isBrokerAway)
        onTrouble('Hints cannot be published: this process sends what it finds in the outbox.', error)
      isBrokerAway = true
      if (!stopping.aborted) await local.publish(hints)
    }
  }
  const later = (one: Hint, ms: number) => {
    if (stopping.aborted) return
    clearTimeout(timers.get(one.endpoint))
    const due = () => {
      timers.delete(one.endpoint)
      void publish([one])
    }
    timers.set(one.endpoint, setTimeout(due, ms))
  }
  const handle = async (one: Hint) => {
    try {
      const nextInMs = await drains.drain(one.endpoint)
      if (nextInMs !== undefined && nextInMs <= NEAR_MS) later(one, nextInMs)
    } catch (error) {
      onTrouble(`deliveries to ${one.endpoint} cannot be made for now`, error)
      later(one, AWAY_MS)
    }
  }
  const listening = [local, ...(broker ? [broker] : [])].map((hints) =>
    hints.listen({ concurrency: ENDPOINTS_AT_ONCE, handle }),
  )

  return {
    give: (endpoints) =>
      void publish(
        endpoints
          .filter(({ key }) => !drains.wake(key))
          .map(({ key, company }) => ({ endpoint: key, company })),
      ),
    status: () => (broker ?? local).status(),
    async stop() {
      for (const timer of timers.values()) clearTimeout(timer)
      await Promise.all(listening.map((one) => one.stop()))
      await local.close()
    },
  }
}
