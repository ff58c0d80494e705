/** From the cells of a row to the body that a client would send, by a mapping. Lookups are still texts to look up by. */
import { fieldOf, type FieldDefinition, type ObjectDefinition } from '../../domain/definition.ts'
import type { Fault } from '../../domain/errors.ts'
import { isObject, type Json } from '../../domain/json.ts'
import type { SourceCell, TypedCell } from '../formats/reader.ts'
import type { FieldMapping, Formats, Mapping, SourceMapping } from './mapping.ts'
import { afterSteps } from './steps.ts'
import { CellFault, numberOf, textOf, valueOf } from './values.ts'

/** A lookup whose record is still to be found. */
export interface Wanted {
  readonly field: FieldDefinition
  readonly by: string | undefined
  readonly text: string
  readonly onMissing: 'error' | 'empty'
}

export interface RowBody {
  readonly body: Readonly<Record<string, Json>>
  readonly faults: readonly Fault[]
  readonly lookups: readonly Wanted[]
  /** What the row is recognized by, when the mapping has a KeyField and the row a value for it. */
  readonly key: Json | undefined
}

/** Makes bodies of rows that have these columns. */
export function rowBodies(
  definition: ObjectDefinition,
  mapping: Mapping,
  columns: readonly string[],
): (cells: readonly SourceCell[]) => RowBody {
  const places = new Map(columns.map((column, place) => [column, place]))
  const mapped = Object.entries(mapping.Fields).map(([name, from]) => ({
    name,
    from,
    field: fieldOf(definition, name),
  }))
  return (cells) => {
    const cellOf = (source: SourceMapping) =>
      cellFrom(mapping, source, (column) => cells[places.get(column) ?? -1])
    const body: Record<string, Json> = {}
    const faults: Fault[] = []
    const lookups: Wanted[] = []
    let key: Json | undefined
    const put = (name: string, value: Json | CellFault | undefined) => {
      if (value instanceof CellFault) faults.push({ Field: name, Message: value.message })
      else if (value !== undefined && name === mapping.KeyField) key = value
      if (value !== undefined && !(value instanceof CellFault) && name !== 'Id') body[name] = value
    }
    for (const { name, from, field } of mapped) {
      if (!field) continue
      const cell = from.Amount ? moneyCell(mapping, from, cellOf) : cellOf(from)
      if (cell instanceof CellFault) put(name, cell)
      else if (isEmpty(cell)) put(name, emptyValue(mapping, from))
      else if (isNull(cell)) put(name, null)
      else if (field.type === 'lookup')
        lookups.push({
          field,
          by: from.LookupBy,
          text: keyWithin(cell) ?? textOf(translated(from, cell)),
          onMissing: from.OnMissing ?? 'error',
        })
      else put(name, readCell(mapping, field, from, cell))
    }
    return { body, faults, lookups, key }
  }
}

type Cell = string | TypedCell | null

/** What JSON says has no value. */
const isNull = (cell: Cell) =>
  cell !== null && typeof cell !== 'string' && cell.kind === 'json' && cell.text === 'null'

/** The Key of a lookup as records are served: `{Id, Name}`. */
function keyWithin(cell: string | TypedCell): string | undefined {
  if (typeof cell === 'string' || cell.kind !== 'json') return undefined
  const value = JSON.parse(cell.text) as Json
  const Id = isObject(value) ? value['Id'] : undefined
  return typeof Id === 'string' ? Id : undefined
}

const isEmpty = (cell: Cell): cell is null | '' => cell === null || cell === ''

function cellFrom(
  { Formats: formats = {} }: Mapping,
  { Column, Columns, Join = ' ', Constant, Do = [] }: SourceMapping,
  cellOf: (column: string) => SourceCell | undefined,
): Cell {
  if (Constant !== undefined)
    return typeof Constant === 'string'
      ? Constant
      : { kind: typeof Constant as 'number', text: String(Constant) }
  const nulls = formats.Null ?? ['']
  const whole = Columns
    ? Columns.map((column) => textOf(cellOf(column) ?? null).trim())
        .filter((text) => text !== '')
        .join(Join)
    : (cellOf(Column ?? '') ?? null)
  if (whole === null || (typeof whole !== 'string' && Do.length === 0)) return whole
  const text = afterSteps(formats.Trim === false ? textOf(whole) : textOf(whole).trim(), Do)
  return nulls.includes(text) ? null : text
}

/** An amount and a currency as the one cell that they are of. */
function moneyCell(
  { Formats: formats = {} }: Mapping,
  { Amount, Currency, Decimal }: FieldMapping,
  cellOf: (source: SourceMapping) => Cell,
): Cell | CellFault {
  const [amount, currency] = [cellOf(Amount ?? {}), cellOf(Currency ?? {})]
  if (isEmpty(amount)) return null
  const value = numberOf(amount, signs(formats, Decimal))
  if (value instanceof CellFault) return value
  if (isEmpty(currency)) return new CellFault('needs a Currency beside its Amount')
  const code = textOf(currency).trim().toUpperCase()
  return { kind: 'json', text: JSON.stringify({ Amount: value, Currency: code }) }
}

const signs = (formats: Formats, Decimal: FieldMapping['Decimal']): Formats =>
  Decimal === undefined ? formats : { ...formats, Decimal }

function emptyValue({ EmptyCell }: Mapping, { Required, WhenEmpty = EmptyCell }: FieldMapping) {
  if (Required === true) return new CellFault('is required')
  return WhenEmpty === 'clear' ? null : undefined
}

function translated({ Values }: FieldMapping, cell: string | TypedCell): string | TypedCell {
  const text = textOf(cell).trim()
  return Values && Object.hasOwn(Values, text) ? Values[text]! : cell
}

function readCell(
  { Formats: formats = {} }: Mapping,
  field: FieldDefinition,
  from: FieldMapping,
  cell: string | TypedCell,
): Json | CellFault | undefined {
  const { Values, Otherwise = 'keep', Format, Decimal } = from
  const isKnown = Values && Object.hasOwn(Values, textOf(cell).trim())
  if (Values && !isKnown && Otherwise === 'error')
    return new CellFault('is not one of the texts that are mapped')
  if (Values && !isKnown && Otherwise === 'empty') return undefined
  return valueOf(field, translated(from, cell), signs(formats, Decimal), Format)
}
