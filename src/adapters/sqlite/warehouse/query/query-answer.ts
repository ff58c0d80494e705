/**
 * Runs a statement and writes its answer as JSON text: `{"Columns":[…],"Rows":[[…]]}`.
 *
 * Numbers are written with 15 digits, as many as a double keeps exactly: a sum of amounts then reads as the amount that it
 * is (0.3, not 0.30000000000000004).
 */
import type { DatabaseSync } from 'node:sqlite'
import type { QueryLimits, QueryOutcome } from './query-messages.ts'

/** @throws Error of SQLite for what cannot be run */
export function answerOf(
  db: DatabaseSync,
  sql: string,
  { rows: mostRows, characters }: Pick<QueryLimits, 'rows' | 'characters'>,
): QueryOutcome {
  const statement = db.prepare(sql)
  if (rest(sql.slice(statement.sourceSQL.length)) !== '') return { fault: 'only one statement is taken' }
  // Where it has parameters, they are expanded here; nothing can be given for them, and NULL is not what was meant.
  if (statement.expandedSQL !== statement.sourceSQL)
    return { fault: 'parameters (?, :name, @name, $name) cannot be used; write values where they belong' }
  const columns = statement.columns().map(({ name }) => name)
  if (columns.length === 0) return { fault: 'only queries are taken: SELECT, WITH, VALUES, EXPLAIN' }
  statement.setReturnArrays(true)
  statement.setReadBigInts(true)
  let text = `{"Columns":${JSON.stringify(columns)},"Rows":[`
  let count = 0
  for (const row of statement.iterate() as unknown as Iterable<readonly unknown[]>) {
    if (++count > mostRows)
      return { fault: `gives more than ${mostRows} rows; add a LIMIT, or export the table` }
    text += `${count > 1 ? ',' : ''}[${row.map(valueText).join(',')}]`
    if (text.length > characters)
      return { fault: `gives more than ${characters / 1e6} MB; ask for fewer columns` }
  }
  return { json: new TextEncoder().encode(`${text}]}`) }
}

function valueText(value: unknown): string {
  if (typeof value === 'number') return numberText(value)
  // Past what a number keeps exactly: as text.
  if (typeof value === 'bigint')
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? String(value) : `"${value}"`
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('hex')}"`
  return JSON.stringify(value)
}

function numberText(value: number): string {
  const rounded = Number(value.toPrecision(15))
  // The largest of all doubles round up past what is one; JSON has no infinity.
  return Number.isFinite(rounded) ? String(rounded) : Number.isFinite(value) ? String(value) : 'null'
}

/** What is left of a text without blanks, semicolons and comments. */
function rest(text: string): string {
  return text.replace(/--[^\n]*|\/\*[\s\S]*?(\*\/|$)|[\s;]+/g, '')
}
