/** Reads the event file, on the connection that writes it or beside it. */
import type { DatabaseSync } from 'node:sqlite'
import type { Company, Position, RecordedEvent } from '../../../domain/events/event.ts'
import { rowIn, rowPlaceOf } from '../../../domain/events/packs.ts'
import { nameOfStream, streamOf } from '../../../domain/events/stream-name.ts'
import { objectOfKey } from '../../../domain/records/key.ts'
import type { StoredText } from '../../../ports/event-store.ts'
import { openForReading, orUnavailable, type ReadOptions } from '../files/open.ts'
import { recorded, recordedWhole, selecting, type EventRow } from './event-rows.ts'

/** Each of them: @throws Unavailable where the disk is in trouble */
export interface EventReader {
  /** `limit`: at most so many. */
  read(company: Company, stream: string, after: number, limit?: number): RecordedEvent[]
  last(company: Company, stream: string): RecordedEvent | undefined
  texts(company: Company, stream: string, after: number): StoredText[]
  /** At most `limit`, fewer where they are large; none where none follows. */
  readAll(after: Position, limit: number): RecordedEvent[]
  /**
   * Of the events that `readAll` looks at those of records, and the last one, whatever it is: followers remember what they have
   * covered by it. The service's own bookkeeping, as often a half of all, need not be parsed by those who pass it over.
   */
  readRecords(after: Position, limit: number): RecordedEvent[]
  head(): Position
}

/** Events of large records are read fewer at a time: a thread that parses a million characters is held for some 10 ms. */
const MOST_CHARACTERS = 1_000_000
/** Rows that are asked for at once: one by one they cost a fifth more, and many large ones would take much memory. */
const PIECE = 50

/** Opens the event file beside its writer; `once`: for a follower, which reads each event once. */
export function openEventReader(
  path: string,
  reads: ReadOptions['reads'] = 'again and again',
): EventReader & { close(): void } {
  const db = openForReading({ path, cacheMegabytes: reads === 'once' ? 2 : 16, reads })
  return { ...eventReader(db), close: () => db.close() }
}

/** By the name that a stream is stored under. */
const isOfRecord = (stored: string): boolean => objectOfKey(nameOfStream(stored) ?? '') !== undefined

export function eventReader(db: DatabaseSync): EventReader {
  const stream = selecting(
    db,
    'SELECT * FROM events WHERE stream = ? AND version > ? AND company = ? ORDER BY version LIMIT ? + 0',
  )
  const last = selecting(
    db,
    'SELECT * FROM events WHERE stream = ? AND company = ? ORDER BY version DESC LIMIT 1',
  )
  const texts = db.prepare(
    'SELECT id, type, version, data, metadata FROM events WHERE stream = ? AND version > ? AND company = ? ORDER BY version',
  )
  const all = selecting(db, 'SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ? + 0')
  const head = db.prepare('SELECT max(position) AS head FROM events')
  // SQLite takes -1 for no limit.
  const read: EventReader['read'] = (company, name, after, limit = -1) => {
    const rows = orUnavailable(() => stream.all(streamOf(company, name), after, company, limit))
    const own = rows.map(recordedWhole)
    const row = after === 0 ? packedRow(company, name) : undefined
    return row ? [row, ...own] : own
  }
  const packedRow = (company: Company, name: string): RecordedEvent | undefined => {
    const at = rowPlaceOf(name)
    return at && rowIn(read(company, at.pack, 0, 1)[0], at.place)
  }
  const following = (after: Position, limit: number, isWanted: (stream: string) => boolean) => {
    const events: RecordedEvent[] = []
    let characters = 0
    let passedOver: EventRow | undefined
    for (let [from, left] = [after, limit]; left > 0;) {
      const piece = Math.min(PIECE, left)
      const rows = orUnavailable(() => all.all(from, piece))
      for (const row of rows) {
        from = row[0]
        passedOver = isWanted(row[1]) ? undefined : row
        if (passedOver) continue
        events.push(recorded(row))
        characters += row[6].length
        if (characters > MOST_CHARACTERS) return events
      }
      left = rows.length < piece ? 0 : left - piece
    }
    if (passedOver) events.push(recorded(passedOver))
    return events
  }
  return {
    read,
    last(company, name) {
      const row = orUnavailable(() => last.get(streamOf(company, name), company))
      return row ? recordedWhole(row) : packedRow(company, name)
    },
    texts: (company, name, after) =>
      orUnavailable(() => texts.all(streamOf(company, name), after, company)) as unknown as StoredText[],
    readAll: (after, limit) => following(after, limit, () => true),
    readRecords: (after, limit) => following(after, limit, isOfRecord),
    head: () => (head.get()?.['head'] as number | null) ?? 0,
  }
}
