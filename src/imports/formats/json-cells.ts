/**
 * A JSON object as a row: its members are the columns, in the order in which they first appear. Numbers keep the digits
 * that they are written with, since a double may not.
 */
import { isObject } from '../../domain/json.ts'
import { plainDecimal } from '../decimal.ts'
import { FileRefused, type ReadLimits, type SourceCell } from './reader.ts'

export interface JsonColumns {
  readonly names: readonly string[]
  /** The cells of the object; undefined when the text is not one. Throws `FileRefused` for limits of columns and cells. */
  cellsOf(text: string): readonly SourceCell[] | undefined
}

export function jsonColumns({ columns, cellCharacters }: ReadLimits): JsonColumns {
  const places = new Map<string, number>()
  const names: string[] = []
  const placeOf = (name: string): number => {
    const known = places.get(name)
    if (known !== undefined) return known
    if (names.length === columns)
      throw new FileRefused('too-many-columns', `The records have more than ${columns} different members.`)
    places.set(name, names.length)
    return names.push(name) - 1
  }
  return {
    names,
    cellsOf(text) {
      const record = parsed(text)
      if (!isObject(record) || isNumber(record)) return undefined
      const cells: SourceCell[] = []
      for (const [name, value] of Object.entries(record)) {
        const place = placeOf(name)
        while (cells.length <= place) cells.push(null)
        const cell = cellOf(value)
        if ((typeof cell === 'string' ? cell : cell.text).length > cellCharacters)
          throw new FileRefused('cell-too-long', `A member has more than ${cellCharacters} characters.`)
        cells[place] = cell
      }
      return cells
    },
  }
}

/** A number as it is written: `JSON.rawJSON` of its source. */
interface RawNumber {
  readonly rawJSON: string
}

/** What TypeScript's library does not know of `JSON` yet. */
const json = JSON as unknown as {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown
  rawJSON(text: string): RawNumber
  isRawJSON(value: unknown): value is RawNumber
}

const isNumber = (value: unknown): value is RawNumber => json.isRawJSON(value)

function parsed(text: string): unknown {
  try {
    return json.parse(text, (_, value, { source }) =>
      typeof value === 'number' ? json.rawJSON(source!) : value,
    )
  } catch {
    return undefined
  }
}

function cellOf(value: unknown): Exclude<SourceCell, null> {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return { kind: 'boolean', text: String(value) }
  if (!isNumber(value)) return { kind: 'json', text: JSON.stringify(value) }
  const text = plainDecimal(value.rawJSON)
  return text === undefined
    ? { kind: 'number', text: value.rawJSON, wrong: 'is a number that is too large' }
    : { kind: 'number', text }
}
