/**
 * Columns of records in memory, by which filters are counted and pages are found without a look at the file.
 *
 * What is asked for is read by a thread of its own, and until then the file answers. A set of columns is read in one state of
 * the file and then stays; records that have changed are looked up in the file before the next answer, and stand beside it
 * until there are so many that the columns are read again. Objects and companies that were not asked for the longest are given
 * up when all together take more than their memory.
 */
import type { Company } from '../../../../domain/events/event.ts'
import type { RecordChanges } from '../../events/engine-messages.ts'
import { quoted, tableOf } from '../columns.ts'
import type { Sql } from '../queries/compile-filter.ts'
import type { ListOf } from '../queries/compile-list.ts'
import type { ReadModelFile } from '../read-model-file.ts'
import { isChosen, type ChangedRows } from './changed-rows.ts'
import { choiceOf, columnsOfFilter, countOf, testOf } from './choice.ts'
import { columnScopes, type ColumnReader, type Kept, type Scope } from './column-scopes.ts'
import { columnAt, type Choice } from './codes.ts'
import type { ColumnValue } from './column.ts'
import { pageNumbers, type OrderBy } from './page-numbers.ts'

export interface Found {
  readonly total: number
  /** The numbers of the page's records, in order. */
  readonly numbers: readonly number[]
}

export interface KeptColumns {
  /** Undefined: the columns that decide the query are not here, or not yet. */
  find(list: ListOf, company: Company): Found | undefined
  changed(changes: RecordChanges): void
  /** The records are in another file now. */
  forget(): void
  /** Resolves when all that was asked for has been read. */
  settled(): Promise<void>
  readonly bytes: number
  close(): void
}

export interface KeptColumnsOptions {
  readonly file: () => ReadModelFile
  readonly reader: () => ColumnReader
  readonly mostBytes?: number
}

const MOST_BYTES = 160_000_000
/** Pages further back than this are left to the file. */
const MOST_ROWS_BEFORE = 10_000
/** Changed records that are looked up at a time: a few milliseconds. */
const MOST_LOOKED_UP = 1_000
/** When so many records have changed the columns are read again, in time; with most of them a query takes milliseconds. */
const CHANGED = { again: 5_000, most: 10_000 }

export function keptColumns({ file, reader, mostBytes = MOST_BYTES }: KeptColumnsOptions): KeptColumns {
  let reads = reader()
  const scopes = columnScopes(() => reads, mostBytes)
  return {
    find(list, company) {
      const names = columnsAsked(list)
      if (!names) return undefined
      const name = `${list.definition.object} ${company}`
      const scope = scopes.asked(name)
      if (names.some((column) => scope.unfit.has(column))) return undefined
      const before = scope.asked.size
      for (const column of names) scope.asked.add(column)
      if (scope.asked.size > before && scope.kept) scope.next = 0
      const { kept } = scope
      if (!kept || names.some((column) => !kept.columns.has(column))) {
        scopes.read(name, list)
        return undefined
      }
      const changed = kept.changed.size + scope.unread.size
      if (changed > CHANGED.again) scopes.read(name, list)
      if (changed > CHANGED.most) return undefined
      return lookUp(file(), list, scope, kept) ? answer(list, kept) : undefined
    },
    changed(changes) {
      for (const [name, { rows }] of changes) scopes.changed(name, rows)
    },
    forget() {
      scopes.clear()
      reads.close()
      reads = reader()
    },
    settled: () => scopes.settled(),
    get bytes() {
      return scopes.bytes
    },
    close: () => reads.close(),
  }
}

/** The columns that decide the query; undefined when more than these do. */
function columnsAsked({ query }: ListOf): readonly string[] | undefined {
  if (query.words?.length || query.offset + query.limit > MOST_ROWS_BEFORE) return undefined
  if (!query.filter && query.sort.length === 0) return undefined
  const filtered = query.filter ? columnsOfFilter(query.filter) : []
  const sorted = query.sort.map(({ path }) => columnAt(path))
  if (!filtered || !sorted.every((one) => one !== undefined)) return undefined
  return [...filtered, ...sorted]
}

/**
 * Reads records of the company by their numbers: n, whether deleted, and the columns. By `+company` no index of companies is
 * considered: SQLite would read all records of the company by it, for a handful of numbers.
 */
export function changedRowsSql(list: ListOf, columns: readonly string[], numbers: readonly number[]): Sql {
  const text = `SELECT n, deleted${columns.map((name) => `, ${quoted(name)}`).join('')}
    FROM ${tableOf(list.definition)} WHERE n IN (SELECT value FROM json_each(?)) AND +company = ?`
  return { text, params: [JSON.stringify(numbers), list.company] }
}

/** Looks up what has changed; false when that is too much for now. */
function lookUp(file: ReadModelFile, list: ListOf, scope: Scope, { columns, changed }: Kept): boolean {
  if (scope.unread.size === 0) return true
  const some = [...scope.unread].slice(0, MOST_LOOKED_UP)
  const query = changedRowsSql(list, [...columns.keys()], some)
  const found = new Map<number, ColumnValue[]>()
  for (const [n, deleted, ...values] of file.rows(query))
    if (deleted === 0) found.set(n as number, values as ColumnValue[])
  for (const n of some) {
    changed.put(n, found.get(n))
    scope.unread.delete(n)
  }
  return scope.unread.size === 0
}

function answer({ query }: ListOf, { numbers, columns, changed }: Kept): Found | undefined {
  const choice = query.filter && choiceOf(query.filter, columns)
  if (query.filter && !choice) return undefined
  const total = totalOf(choice, numbers.length, changed)
  if (query.limit === 0 || query.offset >= total) return { total, numbers: [] }
  const order: OrderBy[] = query.sort.map(({ path, descending }) => ({
    column: columns.get(columnAt(path)!)!,
    descending,
  }))
  const { offset, limit } = query
  return { total, numbers: pageNumbers({ numbers, changed, choice, total, order, offset, limit }) }
}

function totalOf(choice: Choice | undefined, all: number, changed: ChangedRows): number {
  let total = choice ? countOf(choice, all) : all
  if (changed.size === 0) return total
  const test = choice ? testOf(choice) : () => true
  for (const row of changed.rows) if (test(row)) total--
  for (const row of changed.present()) if (!choice || isChosen(choice, row)) total++
  return total
}
