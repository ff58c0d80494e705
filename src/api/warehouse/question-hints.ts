/** What an analyst may have meant, said behind what the engine says of a question. */
import { Invalid, invalid } from '../../domain/errors.ts'
import { meantName } from '../../domain/filter/closest-name.ts'
import type { TableInfo } from '../../ports/warehouse.ts'

/** What other engines call it. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  date_trunc: "strftime('%Y-%m', column)",
  date_part: "strftime('%Y', column)",
  to_char: "strftime('%Y-%m', column)",
  date_format: "strftime('%Y-%m', column)",
  year: "strftime('%Y', column)",
  month: "strftime('%m', column)",
  day: "strftime('%d', column)",
  now: "datetime('now')",
  getdate: "datetime('now')",
  current_date: "date('now')",
  today: "date('now')",
  datediff: 'julianday(later) - julianday(earlier)',
  dateadd: "date(column, '+1 month')",
  string_agg: 'group_concat',
  listagg: 'group_concat',
  left: 'substr(column, 1, n)',
  right: 'substr(column, -n)',
  isnull: 'ifnull',
  nvl: 'ifnull',
}

/** @param tables those that the analyst may read: others are not named */
export async function withHint<T>(
  tables: readonly TableInfo[],
  sql: string,
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    const said = error instanceof Invalid ? error.faults[0] : undefined
    const hint = said && hintFor(said.Message, tables, sql)
    throw hint ? invalid('Sql', `${said.Message}${hint}`) : error
  }
}

/** By the words of SQLite and of PostgreSQL. */
function hintFor(message: string, tables: readonly TableInfo[], sql: string): string {
  if (message.includes('did you mean') || message.includes('with its quotes')) return ''
  const table = /no such table: (?:\w+\.)?([^\s(]+)|relation "([^"]+)" does not exist/.exec(message)
  if (table) return tableHint(table[1] ?? table[2]!, tables)
  const column = /no such column: (?:\w+\.)?([^\s(]+)|column "?(?:\w+\.)?(\w+)"? does not exist/.exec(message)
  if (column) {
    return columnHint(column[1] ?? column[2]!, tables, sql)
  }
  const called = /no such function: (\w+)/.exec(message)?.[1]?.toLowerCase()
  const other = called !== undefined && Object.hasOwn(FUNCTIONS, called) ? FUNCTIONS[called] : undefined
  if (other !== undefined) return `; write ${other}`
  return /near "ilike"/i.test(message) ? '; write LIKE, which ignores the case of A to Z' : ''
}

/** A column of the tables that the question names, by their whole names. */
function columnHint(name: string, tables: readonly TableInfo[], sql: string): string {
  const words = new Set(sql.toLowerCase().match(/\w+/g))
  const asked = tables.filter((table) => words.has(table.name.toLowerCase()))
  const columns = new Set(asked.flatMap((table) => table.columns.map((one) => one.name)))
  columns.delete(name)
  return meantName(name, [...columns])
}

/** The table that was meant, or where to see which there are. */
export function tableHint(name: string, tables: readonly TableInfo[]): string {
  const meant = meantName(
    name.replace(/s$/, ''),
    tables.map((one) => one.name),
  )
  const plain = name.toLowerCase().replace(/s$/, '')
  const own = tables.find((one) => one.object === plain && !one.isHistory)
  if (own) return `; did you mean ${own.name}?`
  return meant || '; GET /api/v1/warehouse lists the tables'
}
