/** Following the event file: read what is there, wait for word that there is more. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Position, RecordedEvent } from '../../../domain/events/event.ts'
import type { EventBatch } from '../../../ports/event-store.ts'

/** Notifies those who wait that the log has grown, or is closed. */
export interface LogSignal {
  grown(): void
  close(): void
  isOpen(): boolean
  /** Resolves when the log grows after this call; false: it is closed. */
  more(): Promise<boolean>
}

export function logSignal(): LogSignal {
  let waiting: ((open: boolean) => void)[] = []
  let open = true
  const wake = () => {
    const woken = waiting
    waiting = []
    for (const resolve of woken) resolve(open)
  }
  return {
    grown: wake,
    close() {
      open = false
      wake()
    },
    isOpen: () => open,
    more: () => (open ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(false)),
  }
}

export interface SubscriptionTo {
  readonly after: Position
  /** What follows, with the last event of the stretch that it looks at; none at the end of the log. */
  readonly read: (after: Position, limit: number) => readonly RecordedEvent[]
  readonly signal: LogSignal
}

const BATCH = 500

/** Not a generator: one that waits could not be left until it has something to give. */
export function subscription({ after, read, signal }: SubscriptionTo): AsyncIterableIterator<EventBatch> {
  let position = after
  let left = false
  let leave = () => {}
  /** Whether the last batch was there without waiting: there may be many more. */
  let isBehind = false
  /** Resolves when there may be more, or the caller leaves. No promise outlives the wait: each would be kept for ever. */
  const wait = (more: Promise<boolean>) =>
    new Promise<boolean>((resolve) => {
      leave = () => resolve(false)
      void more.then(resolve)
    })
  return {
    async next() {
      // Promises alone would let nobody else have a turn until all is read.
      if (isBehind) await nextTurn()
      isBehind = true
      while (!left && signal.isOpen()) {
        // Asked for before reading, so that growth between the read and the wait is not missed.
        const more = signal.more()
        const events = read(position, BATCH)
        const last = events.at(-1)
        if (last) {
          position = last.position
          return { done: false, value: { events, position } }
        }
        isBehind = false
        if (!(await wait(more))) left = true
      }
      return { done: true, value: undefined }
    },
    async return() {
      left = true
      leave()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
