/** Some of a company's events, read through the journal of an event file: those of certain objects between two positions. */
import type { StatementSync } from 'node:sqlite'
import type { Position, RecordedEvent } from '../../../domain/events/event.ts'
import type { EventRanges, Range } from '../../../ports/journal.ts'
import { recorded, selecting } from './event-rows.ts'
import { openForReading } from '../files/open.ts'

interface Cursor {
  readonly object: number
  positions: Position[]
  at: number
}

const AHEAD = 2_000

export function eventRanges(path: string): EventRanges {
  const db = openForReading({ path, cacheMegabytes: 16, reads: 'again and again' })
  const rows =
    'FROM journal INDEXED BY journal_by_object WHERE company = ? AND object = ? AND position > ? AND position <= ?'
  const numberOf = db.prepare('SELECT number FROM journal_names WHERE name = ?')
  const last = db.prepare(`SELECT max(position) AS value ${rows}`)
  const count = db.prepare(`SELECT count(*) AS value ${rows}`)
  const some = db.prepare(`SELECT position ${rows} ORDER BY position LIMIT ${AHEAD}`)
  const event = selecting(db, 'SELECT * FROM events WHERE position = ?')

  const numbersOf = ({ company, objects }: Range) => {
    const known = (name: string) => numberOf.get(name)?.['number'] as number | undefined
    return { company: known(company) ?? 0, objects: objects.map(known).filter((one) => one !== undefined) }
  }
  const valuesOf = (statement: StatementSync, range: Range): number[] => {
    const { company, objects } = numbersOf(range)
    return objects.map((object) => {
      const row = statement.get(company, object, range.after, range.upTo)
      return (row?.['value'] as number | null) ?? 0
    })
  }

  return {
    last: async (range) => Math.max(0, ...valuesOf(last, range)),
    count: async (range) => valuesOf(count, range).reduce((sum, value) => sum + value, 0),
    async *batches(range, size) {
      const { company, objects } = numbersOf(range)
      const fill = (cursor: Cursor, after: Position) => {
        const found = some.all(company, cursor.object, after, range.upTo)
        cursor.positions = found.map(({ position }) => position as Position)
        cursor.at = 0
      }
      const cursors = objects.map((object): Cursor => ({ object, positions: [], at: 0 }))
      for (const cursor of cursors) fill(cursor, range.after)
      let batch: RecordedEvent[] = []
      for (;;) {
        let first: Cursor | undefined
        for (const cursor of cursors)
          if (cursor.at < cursor.positions.length)
            if (!first || cursor.positions[cursor.at]! < first.positions[first.at]!) first = cursor
        if (!first) break
        const position = first.positions[first.at++]!
        if (first.at === first.positions.length) fill(first, position)
        batch.push(recorded(event.get(position)!))
        if (batch.length < size) continue
        yield batch
        batch = []
      }
      if (batch.length > 0) yield batch
    },
    close: async () => db.close(),
  }
}
