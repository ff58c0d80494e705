/**
 * What a table comes to: how many rows, how many of them deleted, and the exact sum of every number in it. Two ways to
 * the same figures: by folding the log, and by reading the table.
 */
import type { DatabaseSync } from 'node:sqlite'
import { isObject, type Fields, type Json } from '../../src/domain/json.ts'
import {
  historyName,
  type ColumnType,
  type WarehouseColumn,
  type WarehouseTable,
} from '../../src/domain/warehouse/columns.ts'

export interface Totals {
  rows: number
  deleted: number
  /** By field, and by currency of amounts; in units of the twentieth decimal. */
  readonly sums: Map<string, bigint>
}

export const noTotals = (): Totals => ({ rows: 0, deleted: 0, sums: new Map() })

const DECIMALS = 20
const FITS: { readonly [type in ColumnType]?: (value: Json) => boolean } = {
  integer: (value) => Number.isInteger(value),
  decimal: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  money: (value) => isObject(value) && typeof value['Amount'] === 'number',
}

/** The columns of a table that are added up; a field whose type has changed may have several. */
function addedColumns({ columns }: WarehouseTable): readonly WarehouseColumn[] {
  return columns.filter(({ part, type }) => (part === 'value' || part === 'amount') && FITS[type])
}

/** The fields of an object that are added up. */
export function addedFields(table: WarehouseTable): ReadonlySet<string> {
  return new Set(addedColumns(table).map(({ field }) => field))
}

/** Adds (1) or takes away (-1) what a record holds; not what none of its columns takes. */
export function add(totals: Totals, table: WarehouseTable, fields: Fields, by: 1 | -1): void {
  for (const [field, columns] of Map.groupBy(addedColumns(table), ({ field }) => field)) {
    const value = fields[field] ?? null
    if (columns.some(({ type }) => FITS[type]!(value))) addValue(totals, field, value, by)
  }
}

function addValue({ sums }: Totals, field: string, value: Json, by: 1 | -1): void {
  const { Amount: amount = value, Currency: currency } = isObject(value) ? value : {}
  if (amount === null) return
  const label = typeof currency === 'string' ? `${field} ${currency}` : field
  const sum = (sums.get(label) ?? 0n) + BigInt(by) * exact(Number(amount))
  if (sum === 0n) sums.delete(label)
  else sums.set(label, sum)
}

/** The number in units of the twentieth decimal, from its shortest text. Smaller ones are cut off. */
export function exact(value: number): bigint {
  const [mantissa = '', exponent = '0'] = String(value).split('e')
  const [whole = '', decimals = ''] = mantissa.split('.')
  const zeros = DECIMALS - decimals.length + Number(exponent)
  const digits = BigInt(whole + decimals)
  return zeros >= 0 ? digits * 10n ** BigInt(zeros) : digits / 10n ** BigInt(-zeros)
}

/** The unit of sums, as text without needless zeros. */
export function sumText(sum: bigint): string {
  const digits = String(sum < 0n ? -sum : sum).padStart(DECIMALS + 1, '0')
  const decimals = digits.slice(-DECIMALS).replace(/0+$/, '')
  return `${sum < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}${decimals && `.${decimals}`}`
}

/** What the table in this file comes to. */
export function tableTotals(db: DatabaseSync, table: WarehouseTable): Totals {
  const totals = noTotals()
  const added = addedColumns(table).map(({ name, field }) => ({
    name,
    field,
    beside: table.columns.find((column) => column.field === field && column.part === 'currency')?.name,
  }))
  const columns = added.flatMap(({ name, beside }) => (beside ? [name, beside] : [name]))
  const statement = db.prepare(
    `SELECT ${['IsDeleted', ...columns].map((name) => `"${name}"`).join(', ')} FROM "${table.name}"`,
  )
  for (const row of statement.iterate()) {
    totals.rows++
    if (row['IsDeleted'] === 1) totals.deleted++
    for (const { name, field, beside } of added) {
      const value = row[name] as Json
      const amount = beside !== undefined && value !== null && row[beside] !== null
      addValue(totals, field, amount ? { Amount: value, Currency: row[beside] as Json } : value, 1)
    }
  }
  return totals
}

/** Versions in the history of the table, and how many of them are deletes. */
export function historyTotals(db: DatabaseSync, table: WarehouseTable): Totals {
  const statement = db.prepare(
    `SELECT count(*) AS rows, sum("Operation" = 'deleted') AS deleted FROM "${historyName(table.name)}"`,
  )
  const { rows, deleted } = statement.get() as { rows: number; deleted: number | null }
  return { rows, deleted: deleted ?? 0, sums: new Map() }
}
