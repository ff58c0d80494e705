/** Answers for people, as a table, and for programs, as JSON. */

const WIDEST = 40

export function shown(answer: unknown, isTable: boolean): string {
  if (!isTable) return JSON.stringify(answer, null, 2)
  const rows = Array.isArray(answer)
    ? (answer as readonly object[])
    : Object.entries(answer as object).map(([Field, Value]) => ({ Field, Value: Value as unknown }))
  if (rows.length === 0) return 'nothing'
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cells = rows.map((row) => columns.map((column) => cell((row as Record<string, unknown>)[column])))
  const widths = columns.map((column, at) => Math.max(column.length, ...cells.map((row) => row[at]!.length)))
  const line = (row: readonly string[]) =>
    row
      .map((text, at) => text.padEnd(widths[at]!))
      .join('  ')
      .trimEnd()
  return [line(columns), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)].join('\n')
}

/** A lookup by its display field, money by its amount; without what would move the cursor. */
function cell(value: unknown): string {
  const text = plain(value).replace(/[\p{Cc}\p{Cf}]/gu, ' ')
  return text.length > WIDEST ? `${text.slice(0, WIDEST - 1)}…` : text
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (typeof value !== 'object') return JSON.stringify(value)
  if ('Amount' in value && 'Currency' in value) return `${String(value.Amount)} ${String(value.Currency)}`
  const [id, display] = Object.values(value) as unknown[]
  return 'Id' in value && Object.keys(value).length === 2 ? plain(display ?? id) : JSON.stringify(value)
}
