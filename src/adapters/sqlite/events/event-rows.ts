/** Rows of the table of events, and the events that they are. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Company, Position, RecordedEvent } from '../../../domain/events/event.ts'
import { nameOfStream } from '../../../domain/events/stream-name.ts'
import { readStored, requireReadable } from '../../../domain/events/upcast.ts'

/** A row of the table of events: its columns in their order. SQLite hands out arrays at a fraction of what objects cost. */
export type EventRow = readonly [
  position: Position,
  stream: string,
  version: number,
  id: string,
  type: string,
  company: Company,
  data: string,
  metadata: string,
]

/** What a statement that selects all columns of the table of events gives: rows as arrays. */
export function selecting(db: DatabaseSync, sql: string): EventRows {
  const statement = db.prepare(sql)
  statement.setReturnArrays(true)
  return statement as unknown as EventRows
}

export interface EventRows {
  get(...params: SQLInputValue[]): EventRow | undefined
  all(...params: SQLInputValue[]): EventRow[]
}

/** The event of a row of the table of events, in the newest shape; marked when it cannot be read. */
export function recorded(row: EventRow): RecordedEvent {
  const [position, stored, version, id, type, company, data, metadata] = row
  const stream = nameOfStream(stored) ?? stored
  const text = { data, metadata }
  const parse = () => ({ data: JSON.parse(data) as unknown, metadata: JSON.parse(metadata) as unknown })
  return readStored({ position, stream, version, id, type, company, text, parse })
}

/** The same, of a row that must be readable. @throws Error when it is not */
export function recordedWhole(row: EventRow): RecordedEvent {
  const event = recorded(row)
  requireReadable(event)
  return event
}
