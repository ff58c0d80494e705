/**
 * Two read-model files, compared row by row and byte by byte.
 *
 * Every table counts, whatever it is called, so that a read model which is added later is compared without a word here.
 * A full-text index keeps no text: of it the words are compared, with the rows that have them. Of deleted records their
 * Keys, versions and documents are, without the names that they show of others: these are as old as they are.
 */
import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'

export interface TableReport {
  readonly table: string
  readonly rows: number
  /** The first differences, in words; empty when the tables are equal. */
  readonly differences: readonly string[]
}

/** Work that is pending, which is waited for before comparing; not a read model. */
const NOT_COMPARED = ['fan_outs']
const NAMED = 5

/**
 * @param except names of further tables that are not compared
 * @throws Error when a file is damaged
 */
export function compareFiles(kept: string, rebuilt: string, except: readonly string[] = []): TableReport[] {
  const [one, other] = [kept, rebuilt].map((path) => new DatabaseSync(path, { readOnly: true }))
  try {
    checkIntegrity(one!, kept)
    const tables = new Map([...readersOf(one!)])
    const others = new Map([...readersOf(other!)])
    const names = [...new Set([...tables.keys(), ...others.keys()])]
      .sort()
      .filter((name) => !except.includes(name))
    return names.map((table) => compareTables(table, tables.get(table), others.get(table)))
  } finally {
    one!.close()
    other!.close()
  }
}

type Rows = () => Iterable<readonly unknown[]>

/** Indexes that disagree with their table are damage too. */
function checkIntegrity(db: DatabaseSync, path: string): void {
  const lines = db.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[]
  const damage = lines.map(({ integrity_check: line }) => line).filter((line) => line !== 'ok')
  if (damage.length > 0) throw new Error(`${path} is damaged: ${damage.join('; ')}`)
}

function* readersOf(db: DatabaseSync): Iterable<readonly [string, Rows]> {
  const all = db
    .prepare(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .all() as { name: string; sql: string }[]
  const virtual = all.filter(({ sql }) => /^CREATE VIRTUAL TABLE\b/i.test(sql))
  const indexes = virtual.filter(({ sql }) => /\bUSING fts5\s*\(/i.test(sql))
  const shadows = indexes.flatMap(({ name }) =>
    ['data', 'idx', 'content', 'docsize', 'config'].map((part) => `${name}_${part}`),
  )
  const skipped = new Set([...NOT_COMPARED, ...virtual.map(({ name }) => name), ...shadows])
  for (const { name } of indexes) yield [name, wordsOf(db, name)]
  for (const { name } of all) {
    if (skipped.has(name)) continue
    const columns = columnsOf(db, name)
    const rows =
      (select: string, where = ''): Rows =>
      () =>
        rowsOf(db, `SELECT ${select} FROM ${quoted(name)} ${where} ORDER BY ${keyOf(columns)}`)
    if (!columns.some((column) => column.name === 'deleted')) yield [name, rows('*')]
    else {
      yield [name, rows('*', 'WHERE deleted = 0')]
      const document = columns.some((column) => column.name === 'json') ? 'json' : 'document'
      const deleted = rows(`company, id, version, ${document}`, 'WHERE deleted = 1')
      yield [`${name} (deleted)`, () => withoutNames(deleted())]
    }
  }
}

/** Rows that end with a document, lookups in it by their Keys alone. */
function* withoutNames(rows: Iterable<readonly unknown[]>): Iterable<readonly unknown[]> {
  const keyIn = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && 'Id' in value && Object.keys(value).length === 2
      ? value.Id
      : value
  for (const row of rows) {
    const document = JSON.parse(String(row.at(-1))) as Record<string, unknown>
    yield [...row.slice(0, -1), ...Object.entries(document).flatMap(([name, value]) => [name, keyIn(value)])]
  }
}

interface ColumnInfo {
  readonly name: string
  /** Place in the primary key, from 1; 0: not part of it. */
  readonly pk: number
}

function columnsOf(db: DatabaseSync, table: string): ColumnInfo[] {
  return db.prepare(`PRAGMA table_info(${quoted(table)})`).all() as unknown as ColumnInfo[]
}

/** Tables are read in the order of their key, so that equal ones give equal texts. */
function keyOf(columns: readonly ColumnInfo[]): string {
  const key = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk)
  return key.length > 0 ? key.map(({ name }) => quoted(name)).join(', ') : 'rowid'
}

function wordsOf(db: DatabaseSync, index: string): Rows {
  return () => {
    const words = `words_of_${index}`
    db.exec(
      `CREATE VIRTUAL TABLE IF NOT EXISTS temp.${quoted(words)} USING fts5vocab('main', ${quoted(index)}, 'instance')`,
    )
    return rowsOf(db, `SELECT DISTINCT doc, term FROM temp.${quoted(words)} ORDER BY doc, term`)
  }
}

function rowsOf(db: DatabaseSync, sql: string): Iterable<readonly unknown[]> {
  const statement = db.prepare(sql)
  statement.setReturnArrays(true)
  return statement.iterate() as unknown as Iterable<readonly unknown[]>
}

function compareTables(table: string, kept: Rows | undefined, rebuilt: Rows | undefined): TableReport {
  if (!kept || !rebuilt)
    return { table, rows: 0, differences: [`is missing in the ${kept ? 'rebuilt' : 'kept'} read models`] }
  const [one, other] = [digestOf(kept()), digestOf(rebuilt())]
  const differences = one.digest === other.digest ? [] : differencesOf(kept(), rebuilt())
  return { table, rows: one.rows, differences }
}

function digestOf(rows: Iterable<readonly unknown[]>): { digest: string; rows: number } {
  const hash = createHash('sha256')
  let count = 0
  for (const row of rows) {
    hash.update(`${textOf(row)}\n`)
    count++
  }
  return { digest: hash.digest('hex'), rows: count }
}

function differencesOf(kept: Iterable<readonly unknown[]>, rebuilt: Iterable<readonly unknown[]>): string[] {
  const wanted = new Set<string>()
  for (const row of rebuilt) wanted.add(textOf(row))
  const extra: string[] = []
  for (const row of kept) if (!wanted.delete(textOf(row))) extra.push(textOf(row))
  const named = (rows: readonly string[], where: string) =>
    rows.slice(0, NAMED).map((row) => `only in the ${where}: ${row.slice(0, 600)}`)
  const all = [...named(extra, 'kept'), ...named([...wanted], 'rebuilt')]
  return all.length > 0 ? all : ['hold the same rows a different number of times']
}

const textOf = (row: readonly unknown[]): string =>
  JSON.stringify(row, (_name, value: unknown) =>
    typeof value === 'bigint'
      ? `${value}n`
      : value instanceof Uint8Array
        ? Buffer.from(value).toString('hex')
        : value,
  )

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
