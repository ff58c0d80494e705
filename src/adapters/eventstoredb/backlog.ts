/**
 * What a subscription has received and its consumer has not yet taken: bounded, in order, without repeats.
 */
import { setImmediate } from 'node:timers/promises'
import type { Position, RecordedEvent } from '../../domain/events/event.ts'
import type { EventBatch } from '../../ports/event-store.ts'
import type { Passed } from './follow.ts'

const MOST = 2_048
const BATCH = 512

export interface Backlog {
  /** The last position put in, which is where to go on from. */
  reached(): Position
  /** Keeps it; false when there is no room for more. Anything at or before `reached` is left out. */
  put(passed: Passed): boolean
  /** Resolves when it is at most half full, or ended. */
  room(): Promise<void>
  /** The next events, as soon as there are some; undefined after the end. @throws the error it was ended with, when empty */
  take(): Promise<EventBatch | undefined>
  /** Without an error, what is left is dropped. */
  end(error?: Error): void
}

export function backlog(after: Position): Backlog {
  let events: RecordedEvent[] = []
  let reached = after
  let taken = after
  let ended: { readonly error?: Error } | undefined
  let changed = Promise.withResolvers<void>()

  function change(): void {
    changed.resolve()
    changed = Promise.withResolvers()
  }

  return {
    reached: () => reached,
    put: ({ event, position }) => {
      if (position > reached) {
        reached = position
        if (event) events.push(event)
        change()
      }
      return events.length < MOST
    },
    room: async () => {
      while (events.length > MOST / 2 && !ended) await changed.promise
    },
    take: async () => {
      while (taken === reached && !ended) {
        await changed.promise
        // The rest of what has just arrived is put in during this turn of the event loop: one batch, not one each.
        await setImmediate()
      }
      if (taken === reached || (ended && !ended.error)) {
        if (ended?.error) throw ended.error
        return undefined
      }
      const batch = events.slice(0, BATCH)
      events = events.slice(BATCH)
      taken = events.length === 0 ? reached : (batch.at(-1)?.position ?? reached)
      change()
      return { events: batch, position: taken }
    },
    end: (error) => {
      ended ??= error ? { error } : {}
      change()
    },
  }
}
