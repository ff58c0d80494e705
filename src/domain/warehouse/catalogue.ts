/**
 * The tables of the warehouse as they have grown: what was once there for analysts stays.
 *
 * A new field is a new column, empty for what came before; the column of a removed field stays; a changed type is a
 * column of its own (`Score`, then `Score_Text`), and a type that comes back gets its column back. Each column knows after
 * which positions it was the one to write, so that a rebuild puts every value where it was put the first time.
 */
import type { Definitions, ObjectDefinition } from '../definition.ts'
import type { Position } from '../events/event.ts'
import {
  tableName,
  wantedColumns,
  type WantedColumn,
  type WarehouseColumn,
  type WarehouseTable,
} from './columns.ts'

export interface SchemaChange {
  readonly at: string
  /** How far the warehouse had come: later events are written by the new schema. */
  readonly position: Position
  readonly table: string
  /** Empty when it is about the table. */
  readonly column: string
  readonly change: 'table added' | 'table retired' | 'column added' | 'column retired' | 'column is back'
  readonly note: string
}

export interface Catalogue {
  /** Of the columns that every table has. */
  readonly layout: number
  readonly tables: readonly WarehouseTable[]
  /** Oldest first. */
  readonly changes: readonly SchemaChange[]
}

/** Rises with a column that every table gets: its rows follow from the events only once they are written again. */
const LAYOUT = 2

export interface Evolved {
  readonly catalogue: Catalogue
  /** What is stored no longer follows from the events by this catalogue: everything has to be rebuilt. */
  readonly rebuild: boolean
}

/** The catalogue for these definitions, grown out of the one before (undefined: this is the first). */
export function evolveCatalogue(
  before: Catalogue | undefined,
  definitions: Definitions,
  { at, position }: { readonly at: string; readonly position: Position },
): Evolved {
  const changes: SchemaChange[] = []
  const note = (table: string, column: string, change: SchemaChange['change'], text = '') =>
    void changes.push({ at, position, table, column, change, note: text })
  const tables: WarehouseTable[] = []
  let rebuild = before !== undefined && before.layout !== LAYOUT
  for (const definition of definitions.values()) {
    if (definition.internal) continue
    const known = before && tableFor(before, definition)
    const name = known?.name ?? tableName(definition)
    const wanted = wantedColumns(definition, definitions)
    const { object, application, description = '' } = definition
    if (!known) {
      note(name, '', 'table added')
      // The object was kept under another name, and its records are to be found under the new one.
      rebuild ||= before?.tables.some((table) => table.object === object) ?? false
    }
    const columns = evolveColumns(known?.columns ?? [], wanted, position, (column, change, text) => {
      if (known) note(name, column, change, text)
    })
    rebuild ||= columns.some((column) => {
      const old = known?.columns.find((one) => one.name === column.name)
      return old !== undefined && column.current && displayOf(old) !== displayOf(column)
    })
    tables.push({ name, object, application, description, columns })
  }
  for (const table of before?.tables ?? []) {
    if (tables.some(({ name }) => name === table.name)) continue
    if (table.columns.some(({ current }) => current)) note(table.name, '', 'table retired')
    tables.push({ ...table, columns: table.columns.map((column) => ({ ...column, current: false })) })
  }
  const catalogue = { layout: LAYOUT, tables, changes: [...(before?.changes ?? []), ...changes] }
  return { catalogue, rebuild }
}

/** The table that holds the object's records; undefined when the catalogue does not know it. */
export function tableFor({ tables }: Catalogue, definition: ObjectDefinition): WarehouseTable | undefined {
  const wanted = tableName(definition)
  return tables.find(({ name }) => isSameName(name, wanted))
}

type Note = (column: string, change: SchemaChange['change'], text: string) => void

function evolveColumns(
  before: readonly WarehouseColumn[],
  wanted: readonly WantedColumn[],
  position: Position,
  note: Note,
): WarehouseColumn[] {
  const isSame = (one: WantedColumn, other: WantedColumn) =>
    one.field === other.field && one.part === other.part && one.type === other.type
  const kept = before.map((column): WarehouseColumn => {
    const now = wanted.find((one) => isSame(one, column))
    if (!now) {
      if (column.current) note(column.name, 'column retired', `${column.field} is no longer ${column.type}`)
      return { ...column, current: false }
    }
    if (column.current) return { ...now, name: column.name, from: column.from, current: true }
    note(column.name, 'column is back', `${column.field} is ${column.type} again`)
    return { ...now, name: column.name, from: [...column.from, position], current: true }
  })
  const taken = before.map(({ name }) => name)
  const added = wanted
    .filter((one) => !before.some((column) => isSame(column, one)))
    .map((one): WarehouseColumn => {
      const name = columnName(one, taken)
      taken.push(name)
      note(name, 'column added', `${one.field} is ${one.type}`)
      // Of a new table: everything since the first event.
      return { ...one, name, from: [before.length === 0 ? 0 : position], current: true }
    })
  return [...kept, ...added]
}

const SUFFIXES = { value: '', name: '_Name', amount: '_Amount', currency: '_Currency' } as const

/** A name that no other column has; SQL ignores the case of names. */
function columnName({ field, part, type }: WantedColumn, taken: readonly string[]): string {
  const plain = field + SUFFIXES[part]
  const isFree = (name: string) => !taken.some((other) => isSameName(other, name))
  if (isFree(plain)) return plain
  const typed = `${plain}_${type[0]!.toUpperCase()}${type.slice(1)}`
  for (let i = 1; ; i++) {
    const name = i === 1 ? typed : `${typed}_${i}`
    if (isFree(name)) return name
  }
}

const isSameName = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()

const displayOf = ({ target }: WantedColumn) => target && `${target.object} ${target.display}`
