/** The journal as it is asked: of an event file, in threads of its own, beside the file's writer. */
import type { Company, Position } from '../../../domain/events/event.ts'
import { rowPlaceOf } from '../../../domain/events/packs.ts'
import { nameOfStream, streamOf } from '../../../domain/events/stream-name.ts'
import {
  journalTooLong,
  type Journal,
  type JournaledEvent,
  type JournalFilter,
  type JournalPage,
  type LatestChange,
} from '../../../ports/journal.ts'
import type { SqlValue } from '../read-models/columns.ts'
import type { Sql } from '../read-models/queries/compile-filter.ts'
import { recordedWhole, type EventRow } from './event-rows.ts'
import { readerPool } from '../read-models/queries/reader-pool.ts'

export interface SqliteJournalOptions {
  /** A file with a journal; see `journal-table.ts`. */
  readonly path: string
  readonly caughtUp: Journal['caughtUp']
}

const LIMIT_MS = 2_000
/** Events that are looked at for one page of changes. */
const LOOK = 10_000

export function sqliteJournal({ path, caughtUp }: SqliteJournalOptions): Journal {
  const pool = readerPool({ path, threads: 1, limitMs: LIMIT_MS, tooLong: journalTooLong })
  const rows = async (sql: Sql) => (await pool.run([sql]))[0] ?? []
  const number = async (sql: Sql) => Number((await rows(sql))[0]?.[0] ?? 0)

  return {
    caughtUp,

    async count(company, filter, upTo) {
      const { text, params } = matching(company, filter, { upTo })
      return number({ text: `SELECT count(*) FROM ${text}`, params })
    },

    async find(company, filter, page) {
      const { text, params } = matching(company, filter, page)
      const order = page.descending ? 'DESC' : 'ASC'
      const found = await rows({
        text: `SELECT page.ordinal, e.*
          FROM (SELECT j.position, j.ordinal FROM ${text} ORDER BY j.position ${order} LIMIT ? + 0 OFFSET ? + 0) AS page
          CROSS JOIN events AS e ON e.position = page.position ORDER BY e.position ${order}`,
        params: [...params, page.limit, page.offset ?? 0],
      })
      return found.map(eventOf)
    },

    async latestChanges(company, object, after, limit) {
      const look = matching(company, { object }, { after })
      const inside = `(SELECT j.position FROM ${look.text} ORDER BY j.position LIMIT ${LOOK})`
      const [ends, found] = await pool.run([
        { text: `SELECT max(position), count(*) FROM ${inside}`, params: look.params },
        {
          text: `SELECT e.position, e.stream, e.version, e.type FROM ${inside} AS l
            CROSS JOIN events AS e ON e.position = l.position
            WHERE NOT EXISTS (SELECT 1 FROM events AS n WHERE n.stream = e.stream AND n.version = e.version + 1)
            ORDER BY e.position LIMIT ? + 0`,
          params: [...look.params, limit + 1],
        },
      ])
      const [end, looked] = (ends?.[0] ?? [null, 0]) as [Position | null, number]
      const all = (found ?? []).map(latestChange)
      const changes = all.slice(0, limit)
      if (all.length > limit) return { changes, position: changes.at(-1)!.position, more: true }
      return { changes, position: end ?? after, more: looked === LOOK }
    },

    async positionAt(company, moment) {
      const { text, params } = matching(company, { to: moment }, {})
      return number({ text: `SELECT j.position FROM ${text} ORDER BY j.position DESC LIMIT 1`, params })
    },

    close: () => pool.close(),
  }
}

const numberOf = '(SELECT number FROM journal_names WHERE name = ?)'

/** The rows that are asked for, as what comes after FROM. */
function matching(
  company: Company,
  { object, key, actor, event, from, to }: JournalFilter,
  { after, upTo }: Pick<JournalPage, 'after' | 'upTo'>,
): Sql {
  const terms: string[] = ['in_time() = 1', `j.company = ${numberOf}`]
  const params: SqlValue[] = [company]
  const term = (text: string, ...values: SqlValue[]) => {
    terms.push(text)
    params.push(...values)
  }
  if (after !== undefined) term('j.position > ?', after)
  if (upTo !== undefined) term('j.position <= ?', upTo)
  if (object !== undefined) term(`j.object = ${numberOf}`, object)
  if (key !== undefined)
    term(
      'j.position IN (SELECT position FROM events WHERE stream IN (?, ?))',
      streamOf(company, key),
      streamOf(company, rowPlaceOf(key)?.pack ?? key),
    )
  if (actor !== undefined) term(`j.actor = ${numberOf}`, actor)
  if (event && 'name' in event) term(`j.type = ${numberOf}`, event.name)
  if (event && 'begin' in event)
    term(
      'j.type IN (SELECT number FROM journal_names WHERE name >= ? AND name < ?)',
      event.begin,
      `${event.begin}\u{10ffff}`,
    )
  if (from !== undefined) term('j.at >= ?', from)
  if (to !== undefined) term('j.at <= ?', to)
  const by = object !== undefined && key === undefined ? 'INDEXED BY journal_by_object' : ''
  return { text: `journal AS j ${by} WHERE ${terms.join(' AND ')}`, params }
}

function eventOf([ordinal, ...row]: readonly unknown[]): JournaledEvent {
  const event = recordedWhole(row as unknown as EventRow)
  return { ...event, ordinal: ordinal as number }
}

function latestChange(row: readonly unknown[]): LatestChange {
  const [position, stream, version, type] = row as [Position, string, number, string]
  return { position, key: nameOfStream(stream) ?? stream, version, type }
}
