/**
 * What a principal may see of the warehouse: the tables, and of each the columns, that are granted for every record.
 *
 * A table shows all records, so what is granted of some records only is not there at all: neither the table, when some
 * records are hidden, nor a column that is hidden for some. Histories need `audit` as well.
 */
import { rowsOf, type Grant } from '../domain/grant.ts'
import type { Access, Action } from './access.ts'
import type { ColumnInfo, TableInfo } from '../domain/warehouse/table-infos.ts'

/** The tables that are granted, with the columns that are; columns that no field stands behind are always. */
export function grantedTables(tables: readonly TableInfo[], access: Access): TableInfo[] {
  return tables.flatMap((table) => {
    const actions: readonly Action[] = table.isHistory ? ['read', 'export', 'audit'] : ['read', 'export']
    const shown = (object: string, action: Action, field?: string) =>
      rowsOf(access.grant(object, action), field) === undefined
    if (!actions.every((action) => shown(table.object, action))) return []
    const seesAll = actions.every((action) => showsAll(access.grant(table.object, action)))
    const isGranted = ({ field, shows, tellsOfAll }: ColumnInfo) =>
      field === undefined
        ? tellsOfAll !== true || seesAll
        : actions.every((action) => shown(table.object, action, field)) &&
          (!shows || shown(shows.object, 'read', shows.field))
    return [{ ...table, columns: table.columns.filter(isGranted) }]
  })
}

/** Every field of every record. */
function showsAll(grant: Grant | undefined): boolean {
  if (!grant) return false
  return grant.shares?.some(({ rows, fields }) => !rows && !fields) ?? true
}

/** The names of tables and of their columns, as a question may read them. */
export function readableOf(tables: readonly TableInfo[]): { readonly [table: string]: readonly string[] } {
  return Object.fromEntries(tables.map(({ name, columns }) => [name, columns.map((column) => column.name)]))
}
