/** What an analyst may have meant, said behind what the engine says of a question. */
import { Invalid, invalid } from '../../domain/errors.ts'
import { meantName } from '../../domain/filter/closest-name.ts'
import type { TableInfo } from '../../ports/warehouse.ts'
import { dialectHints, ENGINES, type Engine } from './dialects.ts'

/** How the engines say that a question is not in their language. */
const NOT_UNDERSTOOD: Readonly<Record<Engine, RegExp>> = {
  sqlite: /^near "|^no such (column|function)|^unrecognized token|^incomplete input/,
  postgres: /^syntax error |^(column|function) .* does not exist|^LIMIT #,#/,
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
  const engine = ENGINES.find((one) => NOT_UNDERSTOOD[one].test(message))
  const foreign = engine && dialectHints(engine, sql)
  if (foreign) return foreign
  const column = /no such column: (?:\w+\.)?([^\s(]+)|column "?(?:\w+\.)?(\w+)"? does not exist/.exec(message)
  return column ? columnHint(column[1] ?? column[2]!, tables, sql) : ''
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
