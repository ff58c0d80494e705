/** The read models' file, opened for reading: statements are prepared once and kept. */
import type { StatementSync } from 'node:sqlite'
import { foldedText } from '../../../domain/fields/folded-text.ts'
import type { FieldDefinition } from '../../../domain/definition.ts'
import type { Company } from '../../../domain/events/event.ts'
import type { Fields } from '../../../domain/json.ts'
import { recentlyUsed } from '../../../domain/recently-used.ts'
import { hasWords, searchedText } from '../../../domain/search/searched-text.ts'
import { companyNumbers } from './companies.ts'
import type { Sql } from './queries/compile-filter.ts'
import { openForReading } from '../files/open.ts'

export interface ReadModelFile {
  /** The rows as arrays of values. */
  rows(sql: Sql): unknown[][]
  /** Runs `work` on one state of the file. */
  snapshot<T>(work: () => T): T
  /** The number that stands for a company; undefined when it has no records. */
  companyNumber(company: Company): number | undefined
  close(): void
}

const MAX_STATEMENTS = 500
const ROWS_BETWEEN_LOOKS = 256
/** The message of the error that ends a statement whose time is up. */
export const LATE = 'out of time'

/** `inTime` is asked by statements that may take long, now and then; false ends them with an error. */
export function openReadModelFile(path: string, inTime: () => boolean = () => true): ReadModelFile {
  const db = openForReading({ path, cacheMegabytes: 32, reads: 'again and again' })
  db.function('fold', { deterministic: true }, (value) => (value === null ? null : foldedText(String(value))))
  db.function('has_words', { deterministic: true }, (document, fields, words) => {
    const searched = JSON.parse(String(fields)) as readonly FieldDefinition[]
    const text = searchedText({ fields: searched }, JSON.parse(String(document)) as Fields)
    return Number(hasWords(text, JSON.parse(String(words)) as readonly string[]))
  })
  let asked = 0
  db.function('time_left', () => {
    if (!inTime()) throw new Error(LATE)
    return 1
  })
  db.function('in_time', () => {
    if (++asked % ROWS_BETWEEN_LOOKS === 0 && !inTime()) throw new Error(LATE)
    return 1
  })
  const statements = recentlyUsed<StatementSync>(MAX_STATEMENTS)

  const prepared = (text: string): StatementSync => {
    let statement = statements.get(text)
    if (!statement) {
      statement = db.prepare(text)
      statement.setReturnArrays(true)
      statements.set(text, statement)
    }
    return statement
  }

  return {
    rows: ({ text, params }) => prepared(text).all(...params) as unknown as unknown[][],
    snapshot(work) {
      db.exec('BEGIN')
      try {
        return work()
      } finally {
        db.exec('COMMIT')
      }
    },
    companyNumber: companyNumbers(db),
    close: () => db.close(),
  }
}
