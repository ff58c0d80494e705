/**
 * From the fields of an event to the cells of a row: in which column of a field a value stands.
 *
 * A value stands in the column that was the one to write at the event's position. Where it does not fit there, because
 * the event was made by an older definition, in another column of its field; where none takes it, as text where there is
 * a text column, else nowhere. The field's other columns are empty.
 */
import { isDate, utcTimestamp } from '../fields/dates.ts'
import type { Position } from '../events/event.ts'
import { isObject, type Fields, type Json } from '../json.ts'
import type { Cell, ColumnType, WarehouseColumn, WarehouseTable } from './columns.ts'

/** A Key that was written into a lookup column: the name column beside it is to show the record's display field. */
export interface NamedLookup {
  readonly column: string
  readonly object: string
  readonly key: string
}

export interface ChangedCells {
  readonly cells: ReadonlyMap<string, Cell>
  readonly lookups: readonly NamedLookup[]
}

export type CellsOf = (changes: Fields, position: Position) => ChangedCells

/** Made once for a table: what a field's columns are does not change while the process runs. */
export function cellsOf({ columns }: Pick<WarehouseTable, 'columns'>): CellsOf {
  const byField = Map.groupBy(columns, ({ field }) => field)
  return (changes, position) => {
    const cells = new Map<string, Cell>()
    const lookups: NamedLookup[] = []
    for (const [field, value] of Object.entries(changes)) {
      const ofField = byField.get(field)
      if (!ofField) continue // it was removed before there was a warehouse
      for (const { name } of ofField) cells.set(name, null)
      if (value !== null) place(ofField, value, position, cells, lookups)
    }
    return { cells, lookups }
  }
}

function place(
  columns: readonly WarehouseColumn[],
  value: Json,
  position: Position,
  cells: Map<string, Cell>,
  lookups: NamedLookup[],
): void {
  const main = columns.length === 1 ? columns[0] : mainColumn(columns, value, position)
  if (!main) return
  if (main.part === 'amount') {
    const { Amount: amount, Currency: currency } = isObject(value) ? value : {}
    if (typeof amount !== 'number' || typeof currency !== 'string') return
    cells.set(main.name, amount)
    const beside = columns.find(({ part }) => part === 'currency')
    if (beside) cells.set(beside.name, currency)
    return
  }
  const cell = cellOf(main.type, value)
  cells.set(main.name, cell)
  const beside = columns.find(({ part, current }) => part === 'name' && current)
  if (main.target && beside && typeof cell === 'string')
    lookups.push({ column: beside.name, object: main.target.object, key: cell })
}

/** The column that takes the value: the one to write at that position, else the newest that the value fits. */
function mainColumn(
  columns: readonly WarehouseColumn[],
  value: Json,
  position: Position,
): WarehouseColumn | undefined {
  const latest = ({ from }: WarehouseColumn) => Math.max(-1, ...from.filter((start) => start < position))
  const candidates = columns
    .filter(({ part }) => part === 'value' || part === 'amount')
    .sort((one, other) => latest(other) - latest(one))
  return candidates.find(({ type }) => FITS[type](value)) ?? candidates.find(({ type }) => type === 'text')
}

const FITS: { readonly [type in ColumnType]: (value: Json) => boolean } = {
  text: (value) => typeof value === 'string',
  integer: (value) => Number.isSafeInteger(value),
  decimal: (value) => typeof value === 'number',
  money: (value) => isObject(value) && typeof value['Amount'] === 'number',
  boolean: (value) => typeof value === 'boolean',
  date: (value) => typeof value === 'string' && isDate(value),
  timestamp: (value) => typeof value === 'string' && utcTimestamp(value) === value,
  json: () => true,
}

function cellOf(type: ColumnType, value: Json): Cell {
  if (type === 'json') return JSON.stringify(value)
  if (FITS[type](value)) return value as Cell
  if (type !== 'text') return null
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
