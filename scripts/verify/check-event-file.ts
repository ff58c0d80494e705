/** The event file by itself: nothing is missing from the middle of it, and its journal says what its events say. */
import { DatabaseSync } from 'node:sqlite'
import { journaled } from '../../src/domain/events/journaled.ts'
import { versionBefore } from '../../src/domain/events/packs.ts'
import { nameOfStream } from '../../src/domain/events/stream-name.ts'
import type { TableReport } from './compare-files.ts'

const NAMED = 5

/** @throws Error when the file is damaged */
export function checkEventFile(path: string): TableReport[] {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    const damage = db.prepare('PRAGMA quick_check').get()?.['quick_check']
    if (damage !== 'ok') throw new Error(`the event file is damaged: ${String(damage)}`)
    return [checkOrder(db), checkJournal(db)]
  } finally {
    db.close()
  }
}

/** Positions and versions follow each other without gaps. */
function checkOrder(db: DatabaseSync): TableReport {
  const gaps = db
    .prepare(
      `SELECT after, position FROM (SELECT position, lag(position) OVER (ORDER BY position) AS after FROM events)
        WHERE position <> after + 1 LIMIT ${NAMED}`,
    )
    .all()
    .map(({ after, position }) => `no event between positions ${String(after)} and ${String(position)}`)
  const streams: string[] = []
  for (const row of db.prepare(ODD_STREAMS).iterate()) {
    const { stream, events, version } = row as { stream: string; events: number; version: number }
    // What happens to a row of a pack begins with version 2.
    if (version === events + versionBefore(stream)) continue
    streams.push(`${stream} has ${events} events, but its last is version ${version}`)
    if (streams.length === NAMED) break
  }
  const rows = Number(db.prepare('SELECT count(*) AS rows FROM events').get()?.['rows'])
  return { table: 'events', rows, differences: [...gaps, ...streams] }
}

/** Each event of a record has its row, with its type, actor, time and ordinal, and there are no others. */
function checkJournal(db: DatabaseSync): TableReport {
  const rows = Number(db.prepare('SELECT count(*) AS rows FROM journal').get()?.['rows'])
  const differences: string[] = []
  const times = new Map<string, number>()
  const ordinals = new Map<string, number>()
  let found = 0
  for (const row of db.prepare(EVENTS_WITH_ROWS).iterate()) {
    const { position, stream, type, company, metadata, ...kept } = row as Record<string, string>
    const expected = journaled(nameOfStream(stream!) ?? '', metadata!)
    if (kept['at'] !== null) found++
    const at = Math.max(times.get(company!) ?? 0, expected?.at ?? 0)
    const ordinal = (ordinals.get(company!) ?? 0) + 1
    if (expected) {
      times.set(company!, at)
      ordinals.set(company!, ordinal)
    }
    const said = JSON.stringify([
      kept['object'],
      kept['type_name'],
      kept['actor'],
      kept['at'],
      kept['ordinal'],
    ])
    const wanted = expected ? [expected.object, type, expected.actor, at, ordinal] : NO_ROW
    if (said !== JSON.stringify(wanted) && differences.length < NAMED)
      differences.push(`position ${position}, ${stream}: ${said} is kept, ${JSON.stringify(wanted)} expected`)
  }
  if (found !== rows) differences.push(`${rows - found} rows are of no event`)
  return { table: 'journal', rows, differences }
}

const ODD_STREAMS = `
  SELECT stream, count(*) AS events, max(version) AS version FROM events
  GROUP BY stream HAVING min(version) <> 1 OR max(version) <> count(*)`

const NO_ROW = [null, null, null, null, null]

const EVENTS_WITH_ROWS = `
  SELECT e.position, e.stream, e.type, e.company, e.metadata,
    o.name AS object, t.name AS type_name, a.name AS actor, j.at, j.ordinal
  FROM events AS e
  LEFT JOIN journal_names AS c ON c.name = e.company
  LEFT JOIN journal AS j ON j.company = c.number AND j.position = e.position
  LEFT JOIN journal_names AS o ON o.number = j.object
  LEFT JOIN journal_names AS t ON t.number = j.type
  LEFT JOIN journal_names AS a ON a.number = j.actor
  ORDER BY e.position`
