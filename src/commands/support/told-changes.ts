/**
 * Which streams of a store that others write to have changed, by the store's own order of events: then what is
 * remembered of all others need not be read again.
 *
 * All who ask while a look at where the store ends is under way share the next one. A look is begun after they asked, so
 * what they go on with is never older than their question.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { boundedWait } from '../../domain/bounded-wait.ts'
import type { Position } from '../../domain/events/event.ts'
import type { EventStore } from '../../ports/event-store.ts'

export interface ToldChanges {
  /**
   * True once the listener has had every event that was stored when this was called; false when that cannot be
   * had soon, and streams are to be read. Never rejects.
   */
  caughtUp(): Promise<boolean>
  /** The one listener: the stream has come to this version. Called in order, and now and then more than once. */
  listen(listener: (stream: string, version: number) => void): void
}

export interface ToldChangesOptions {
  readonly events: Pick<EventStore, 'head'>
  /** True once everything up to the position has come in; false after `timeoutMs`. */
  readonly told: (position: Position, timeoutMs: number) => Promise<boolean>
  readonly listen: ToldChanges['listen']
  /** Milliseconds, never going back. */
  readonly elapsed: () => number
}

/** Longer than this nobody waits to be spared a read; and less until it has worked once: a first copy may take an hour. */
const PATIENCE_MS = { usual: 1_500, first: 100 }
/** After that, reads are not even tried to be spared for a while: twice as long each time. */
const REST_MS = { first: 1_000, most: 30_000 }

export function toldChanges({ events, told, listen, elapsed }: ToldChangesOptions): ToldChanges {
  let asked: Promise<boolean> | undefined
  let reading: Promise<Position | undefined> | undefined
  let restingUntil = 0
  let rest = REST_MS.first
  let hasWorked = false

  const look = async (): Promise<boolean> => {
    const began = elapsed()
    reading = boundedWait(
      PATIENCE_MS.usual,
      events.head(),
      'the event store does not answer where it ends',
    ).catch(() => undefined)
    const head = await reading
    const patience = hasWorked ? PATIENCE_MS.usual : PATIENCE_MS.first
    const isToldAll = head !== undefined && (await told(head, patience - (elapsed() - began)))
    if (isToldAll) {
      hasWorked = true
      rest = REST_MS.first
    } else if (elapsed() >= restingUntil) {
      restingUntil = elapsed() + rest
      if (hasWorked) rest = Math.min(rest * 2, REST_MS.most)
    }
    return isToldAll
  }

  return {
    listen,
    caughtUp() {
      if (elapsed() < restingUntil) return Promise.resolve(false)
      return (asked ??= Promise.all([nextTurn(), reading]).then(() => {
        asked = undefined
        return look()
      }))
    },
  }
}
