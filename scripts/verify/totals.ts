/**
 * What a table comes to: how many rows, how many of them deleted, and the exact sum of every number in it. Two ways to
 * the same figures: by folding the log, and by reading the table.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { FieldDefinition, ObjectDefinition } from '../../src/domain/definition.ts'
import { isObject } from '../../src/domain/field-values.ts'
import type { Fields, Json } from '../../src/domain/json.ts'
import { historyName, tableName } from '../../src/domain/warehouse/columns.ts'

export interface Totals {
  rows: number
  deleted: number
  /** By field, and by currency of amounts; in units of the twentieth decimal. */
  readonly sums: Map<string, bigint>
}

export const noTotals = (): Totals => ({ rows: 0, deleted: 0, sums: new Map() })

const DECIMALS = 20
const ADDED: readonly FieldDefinition['type'][] = ['integer', 'decimal', 'money', 'boolean']

/** The fields of an object that are added up. */
export function addedFields({ fields }: ObjectDefinition): readonly FieldDefinition[] {
  return fields.filter(({ type }) => ADDED.includes(type))
}

/** Adds (1) or takes away (-1) what a record holds. */
export function add(totals: Totals, definition: ObjectDefinition, fields: Fields, by: 1 | -1): void {
  for (const { name } of addedFields(definition)) addValue(totals, name, fields[name] ?? null, by)
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

/** What the object's table in this file comes to. */
export function tableTotals(db: DatabaseSync, definition: ObjectDefinition): Totals {
  const totals = noTotals()
  const columns = addedFields(definition).flatMap(({ name, type }) =>
    type === 'money' ? [`"${name}_Amount"`, `"${name}_Currency"`] : [`"${name}"`],
  )
  const statement = db.prepare(
    `SELECT ${['"IsDeleted" AS IsDeleted', ...columns].join(', ')} FROM "${tableName(definition)}"`,
  )
  for (const row of statement.iterate()) {
    totals.rows++
    if (row['IsDeleted'] === 1) totals.deleted++
    for (const { name, type } of addedFields(definition))
      if (type !== 'money') addValue(totals, name, row[name] as Json, 1)
      else if (row[`${name}_Amount`] !== null)
        addValue(
          totals,
          name,
          { Amount: row[`${name}_Amount`] as Json, Currency: row[`${name}_Currency`] as Json },
          1,
        )
  }
  return totals
}

/** Versions in the object's history table, and how many of them are the present ones. */
export function historyTotals(db: DatabaseSync, definition: ObjectDefinition): Totals {
  const statement = db.prepare(
    `SELECT count(*) AS rows, sum("Operation" = 'deleted') AS deleted FROM "${historyName(tableName(definition))}"`,
  )
  const { rows, deleted } = statement.get() as { rows: number; deleted: number | null }
  return { rows, deleted: deleted ?? 0, sums: new Map() }
}
