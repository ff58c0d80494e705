/**
 * Keeps deliveries going: hints for what is new, sweeps for what the queue lost, replays, and an end for old log entries.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Definitions } from '../domain/definition.ts'
import type { Enqueued } from '../ports/delivery-queue.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { Endpoint, Outbox } from '../ports/outbox.ts'
import type { Drains } from './drain.ts'
import { workOffReplays } from './replay.ts'

export interface RelayOptions {
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'read' | 'subscribe'>
  readonly outbox: Outbox
  readonly drains: Pick<Drains, 'wake'>
  readonly enqueue: (deliveries: readonly Enqueued[]) => Promise<void>
  readonly onTrouble: (message: string, error: unknown) => void
}

export interface Relay {
  /** There is something new for these. */
  filled(endpoints: readonly Pick<Endpoint, 'key' | 'company'>[]): void
  /** Look now, rather than at the next sweep: something was asked for. */
  sweepNow(): void
  stop(): Promise<void>
}

const SWEEP_MS = 2_000
/** What has been due for longer than the queue may take is what it lost. */
const OVERDUE_MS = 3_000
/** How long the log of what came to its end is kept (open fact 31). */
const KEPT_MS = 90 * 24 * 3_600_000
const PURGE_EVERY = 1_800

export function startRelay({ definitions, events, outbox, drains, enqueue, onTrouble }: RelayOptions): Relay {
  const stop = new AbortController()
  let hurry = () => {}
  let asked = false
  let isQueueAway = false

  const hint = (endpoints: readonly Pick<Endpoint, 'key' | 'company'>[]) => {
    const idle = endpoints.filter(({ key }) => !drains.wake(key))
    if (idle.length === 0) return
    enqueue(idle.map(({ key, company }) => ({ id: key, endpoint: key, company }))).then(
      () => {
        isQueueAway = false
      },
      (error: unknown) => {
        // Said once, and not for every event meanwhile.
        if (!isQueueAway) onTrouble('hints cannot be enqueued for now; the next sweep repeats them', error)
        isQueueAway = true
      },
    )
  }

  const round = async (count: number) => {
    // What an earlier process left is due whether or not its hint is still there.
    hint(await outbox.waiting(count === 0 || asked ? 0 : OVERDUE_MS))
    asked = false
    await workOffReplays({
      definitions,
      events,
      outbox,
      onFilled: hint,
      onTrouble,
      isStopped: () => stop.signal.aborted,
    })
    if (count % PURGE_EVERY === 0)
      while (!stop.signal.aborted && (await outbox.purge(KEPT_MS)) > 0) await delay(50)
  }

  const run = async () => {
    for (let count = 0; !stop.signal.aborted; count++) {
      try {
        await round(count)
      } catch (error) {
        if (!stop.signal.aborted) onTrouble('the outbox cannot be swept for now', error)
      }
      if (asked) continue
      const pause = new AbortController()
      hurry = () => pause.abort()
      await delay(SWEEP_MS, undefined, { signal: AbortSignal.any([pause.signal, stop.signal]) }).catch(
        () => {},
      )
    }
  }
  const running = run()

  return {
    filled: hint,
    sweepNow() {
      asked = true
      hurry()
    },
    async stop() {
      stop.abort()
      await running
    },
  }
}
