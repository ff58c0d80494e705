/** What PostgreSQL says of a question, as the analyst is to read it. */
import type { TableInfo } from '../../../ports/warehouse.ts'
import { isTrouble, sqlState } from '../connection.ts'
import type { Readable } from '../../../ports/tool-logins.ts'

export interface FaultOf {
  readonly readable: Readable
  readonly tables: readonly TableInfo[]
  readonly milliseconds: number
  /** How many characters stand before the analyst's own. */
  readonly before: number
}

const STATES = {
  canceled: '57014',
  noPrivilege: '42501',
  noColumn: '42703',
  noTable: '42P01',
  outOfMemory: '53200',
  limitReached: '53400',
}

/** Undefined: the server is at fault, or the way to it. */
export function faultOf(
  error: unknown,
  { readable, tables, milliseconds, before }: FaultOf,
): { readonly fault: string } | { readonly forbidden: string } | undefined {
  if (!(error instanceof Error)) return undefined
  const state = sqlState(error)
  if (state === STATES.canceled) return { fault: `takes longer than ${milliseconds / 1_000} s` }
  if (state === STATES.outOfMemory || state === STATES.limitReached)
    return { fault: 'takes more memory than a question may' }
  if (state === STATES.noPrivilege) return refusalOf(error.message, readable, tables)
  if (state === '' || isTrouble(error)) return undefined
  const at = 'position' in error ? Number(error.position) - before : Number.NaN
  const place = at >= 1 ? ` (at position ${at})` : ''
  return { fault: `${error.message}${place}${quotedName(state, error.message, tables)}` }
}

/** PostgreSQL names the table, not the column. */
function refusalOf(message: string, readable: Readable, tables: readonly TableInfo[]) {
  const name = /^permission denied for (?:table|view|relation) "?(.+?)"?$/.exec(message)?.[1]
  const table = tables.find((one) => one.name === name)
  if (!table) return { fault: message }
  const granted = readable[table.name]
  if (!granted) return { forbidden: `you cannot read a table ${table.name}` }
  const hidden = table.columns.map((column) => column.name).filter((column) => !granted.includes(column))
  return {
    forbidden: `you cannot read these columns of ${table.name}: ${hidden.join(', ')}; write the columns that you need in place of *`,
  }
}

/** Unquoted names are folded to lower case: the error offers the name with its quotes. */
function quotedName(state: string, message: string, tables: readonly TableInfo[]): string {
  if (state !== STATES.noColumn && state !== STATES.noTable) return ''
  const asked = /"?([\w]+)"? does not exist/.exec(message)?.[1]?.toLowerCase()
  const names =
    state === STATES.noTable
      ? tables.map(({ name }) => name)
      : tables.flatMap(({ columns }) => columns.map(({ name }) => name))
  const meant = names.find((name) => name.toLowerCase() === asked)
  return meant === undefined ? '' : `; write "${meant}" with its quotes`
}
