/** The log that everything is held against: the embedded event file, or the server of events whose URL is set. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { strayOf } from '../../src/projections/log-state.ts'
import { openSource, type SourceData } from '../../src/compose/source.ts'
import type { Position } from '../../src/domain/events/event.ts'
import type { EventBatch } from '../../src/ports/event-store.ts'
import type { LastEvent } from '../../src/ports/projection-store.ts'

export interface Log {
  /** Position of the last event that there is now. */
  head(): Promise<Position>
  /** The events after a position, up to one that the log has reached, some at a time. */
  between(after: Position, to: Position): AsyncIterable<EventBatch>
  /** The first of these that is not where it was: what covers it is of another log. */
  strayOf(lasts: readonly LastEvent[]): Promise<LastEvent | undefined>
  close(): Promise<void>
}

/** @throws Error when the folder has no event file, and no server is named */
export async function openLog(of: SourceData): Promise<Log> {
  if (of.eventStoreUrl === undefined && !existsSync(join(of.dataDir, 'events.db')))
    throw new Error(`there is no event file in ${of.dataDir}`)
  const source = await openSource(of)
  return {
    head: () => source.head(),
    async *between(after, to) {
      if (after >= to) return
      for await (const { events, position } of source.subscribe(after)) {
        yield { events: events.filter((event) => event.position <= to), position: Math.min(position, to) }
        if (position >= to) return
      }
      throw new Error('the log has ended before the position that it had reached')
    },
    strayOf: (lasts) => strayOf(source, lasts, () => false),
    close: () => source.close(),
  }
}

export async function countEvents(log: Log, to: Position): Promise<number> {
  let count = 0
  for await (const { events } of log.between(0, to)) count += events.length
  return count
}
