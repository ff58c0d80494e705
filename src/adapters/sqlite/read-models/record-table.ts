/**
 * One object's records: a row per record with its document and the columns of `columns.ts`.
 *
 * `n` is the position of the event that created the record (`creationOrder`): the order of creation, and the tie-break of every sort.
 * Deleted records stay, outside all indexes but that of Keys, for the lookups that still show them.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Definitions, ObjectDefinition } from '../../../domain/definition.ts'
import type { Fields, Json } from '../../../domain/json.ts'
import { columnsOf, indexOn, quoted, tableOf, type SqlValue } from './columns.ts'
import { prepareWrite } from '../files/open.ts'

/** A row as the projection reads it back. */
export interface RecordRow {
  readonly n: number
  readonly version: number
  readonly deleted: boolean
  readonly document: Fields
  /** The document as text. */
  readonly text: string
}

export interface RecordTable {
  read(company: number, key: string): RecordRow | undefined
  /** What stands for the record where others look it up; null when there is no such record. */
  display(company: number, key: string): Json
  /** False when the record is there already; nothing is then changed. */
  insert(company: number, row: RecordRow): boolean
  /** Writes the columns whose values differ between the two documents. */
  update(before: RecordRow, after: RecordRow): void
  /** Records that show this one in the lookup field, in order, after the record `n`. */
  showing(
    company: number,
    lookup: string,
    key: string,
    n: number,
    limit: number,
  ): (RecordRow & { readonly key: string })[]
}

/** The table with its index of Keys: all that writing needs. */
export function createRecordTable(
  db: DatabaseSync,
  definitions: Definitions,
  definition: ObjectDefinition,
): void {
  const columns = columnsOf(definitions, definition)
  const table = tableOf(definition)
  db.exec(`
    CREATE TABLE IF NOT EXISTS ${table} (
      n INTEGER PRIMARY KEY, company INTEGER NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL,
      deleted INTEGER NOT NULL, ${columns.map(({ name }) => quoted(name)).join(', ')}, document TEXT NOT NULL
    );
    CREATE UNIQUE INDEX IF NOT EXISTS ${indexOn(definition, 'Id')} ON ${table} (company, id);`)
}

/** The statements that create the indexes which lists go by, each for itself. */
export function recordIndexes(definitions: Definitions, definition: ObjectDefinition): string[] {
  const indexed = columnsOf(definitions, definition).filter((column) => column.indexed)
  const indexes: [name: string, columns: readonly string[]][] = [
    ...indexed.map(({ name }): [string, readonly string[]] => [indexOn(definition, name), [name]]),
    [indexOn(definition, ''), []],
  ]
  return indexes.map(([name, on]) => {
    const columns = ['company', ...on.map(quoted)].join(', ')
    return `CREATE INDEX IF NOT EXISTS ${name} ON ${tableOf(definition)} (${columns}) WHERE deleted = 0`
  })
}

export function openRecordTable(
  db: DatabaseSync,
  definitions: Definitions,
  definition: ObjectDefinition,
): RecordTable {
  const columns = columnsOf(definitions, definition)
  const table = tableOf(definition)
  const byKey = db.prepare(`SELECT n, version, deleted, document FROM ${table} WHERE company = ? AND id = ?`)
  const displayByKey = db.prepare(
    `SELECT ${quoted(definition.display)} AS display FROM ${table} WHERE company = ? AND id = ?`,
  )
  const insertion = prepareWrite(
    db,
    `INSERT OR IGNORE INTO ${table} VALUES (${'?, '.repeat(columns.length + 6).slice(0, -2)})`,
  )
  const updates = new Map<string, StatementSync>()
  const showings = new Map<string, StatementSync>()

  const updateOf = (changed: readonly string[]): StatementSync => {
    const id = changed.join()
    let statement = updates.get(id)
    if (!statement) {
      const sets = ['version', 'document', ...changed].map((name) => `${name} = ?`)
      statement = prepareWrite(db, `UPDATE ${table} SET ${sets.join(', ')} WHERE n = ?`)
      updates.set(id, statement)
    }
    return statement
  }

  return {
    read(company, key) {
      const row = byKey.get(company, key)
      return row && rowOf(row)
    },
    display: (company, key) => (displayByKey.get(company, key)?.['display'] ?? null) as Json,
    insert(company, { n, version, deleted, document, text }) {
      const values = columns.map(({ valueIn }) => valueIn(document))
      const { changes } = insertion.run(
        n,
        company,
        document['Id'] as string,
        version,
        Number(deleted),
        ...values,
        text,
      )
      return changes > 0
    },
    update(before, after) {
      const changed: string[] = []
      const values: SqlValue[] = []
      // Every index is limited by it: setting it, also to what it is, would have each of them written again.
      if (after.deleted !== before.deleted) {
        changed.push('deleted')
        values.push(Number(after.deleted))
      }
      for (const column of columns) {
        const value = column.valueIn(after.document)
        if (value === column.valueIn(before.document)) continue
        changed.push(quoted(column.name))
        values.push(value)
      }
      updateOf(changed).run(after.version, after.text, ...values, after.n)
    },
    showing(company, lookup, key, n, limit) {
      let statement = showings.get(lookup)
      if (!statement) {
        statement = db.prepare(
          `SELECT id, n, version, deleted, document FROM ${table}
           WHERE company = ? AND deleted = 0 AND ${quoted(lookup)} = ? AND n > ? ORDER BY n LIMIT ? + 0`,
        )
        showings.set(lookup, statement)
      }
      return statement.all(company, key, n, limit).map((row) => ({ ...rowOf(row), key: row['id'] as string }))
    },
  }
}

function rowOf(row: Record<string, unknown>): RecordRow {
  return {
    n: row['n'] as number,
    version: row['version'] as number,
    deleted: row['deleted'] === 1,
    document: JSON.parse(row['document'] as string) as Fields,
    text: row['document'] as string,
  }
}
