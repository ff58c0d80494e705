/** The tables as analysts are shown them: each object's two, with their columns. */
import {
  CURRENT_COLUMNS,
  HISTORY_COLUMNS,
  historyName,
  type ColumnType,
  type WarehouseTable,
} from './columns.ts'

export interface ColumnInfo {
  readonly name: string
  readonly type: ColumnType
  readonly description: string
  readonly unit?: string
  readonly personal: boolean
  /** The field that it comes from; none for those that every table has. */
  readonly field?: string
  /** Of the name of a looked-up record: whose, and which field of it. */
  readonly shows?: { readonly object: string; readonly field: string }
  /** It may mention any field: only those who see all of them see it. */
  readonly tellsOfAll?: boolean
  /** False: the object has no such field any more. */
  readonly current: boolean
}

export interface TableInfo {
  readonly name: string
  readonly object: string
  readonly isHistory: boolean
  readonly description: string
  readonly columns: readonly ColumnInfo[]
}

/** The table and its history. */
export function tableInfosOf(table: WarehouseTable): TableInfo[] {
  const { name, object, description } = table
  const own = table.columns.map(
    ({ name, type, description, unit, personal = false, field, part, target, current }): ColumnInfo => ({
      name,
      type,
      description,
      ...(unit !== undefined && { unit }),
      personal,
      field,
      ...(part === 'name' && target && { shows: { object: target.object, field: target.display } }),
      current,
    }),
  )
  const fixed = (columns: typeof CURRENT_COLUMNS) =>
    columns.map((column): ColumnInfo => ({ ...column, personal: column.personal === true, current: true }))
  return [
    { name, object, isHistory: false, description, columns: [...fixed(CURRENT_COLUMNS), ...own] },
    {
      name: historyName(name),
      object,
      isHistory: true,
      description: `Every version of every record of ${name}, each from when to when.`,
      columns: [...fixed(HISTORY_COLUMNS), ...own],
    },
  ]
}
