/**
 * Whether the log that is followed is the one that a checkpoint is of. It is not when a store of events was replaced, or
 * put back to an earlier state: what was derived from it then shows what never happened, and would pass by what happens.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Unavailable } from '../domain/errors.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { LastEvent } from '../ports/projection-store.ts'

export type LogState = 'same' | 'other'

const RETRY_MS = 500

/** The first of the last events that is not where it was; undefined when all are. Asks until the store of events answers. */
export async function strayOf(
  events: Pick<EventStore, 'read'>,
  lasts: readonly LastEvent[],
  isClosing: () => boolean,
): Promise<LastEvent | undefined> {
  while (!isClosing())
    try {
      for (const last of lasts) if ((await logState(events, last)) === 'other') return last
      return undefined
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      await delay(RETRY_MS)
    }
  return undefined
}

/** Reads the last event of a checkpoint back. @throws Unavailable when the store of events cannot be asked now */
export async function logState(
  events: Pick<EventStore, 'read'>,
  last: LastEvent | undefined,
): Promise<LogState> {
  if (!last) return 'same'
  try {
    const [there] = await events.read(last.company, last.stream, last.version - 1)
    return there?.id === last.id && there.position === last.position ? 'same' : 'other'
  } catch (error) {
    if (error instanceof Unavailable) throw error
    return 'same' // it is there, but cannot be read: followers come across it
  }
}

/** For the log: which event is not where it was. */
export function describeLast({ id, position, stream }: LastEvent): string {
  return `the event ${id} of ${stream} is not at position ${position}`
}
