/** Which values of a column fulfil a condition: worked out once for each distinct value, and not for each record. */
import { foldedText } from '../../../../domain/fields/folded-text.ts'
import type { Leaf as AnyLeaf, Path, Value } from '../../../../domain/filter/ast.ts'
import { fulfils } from '../../../../domain/filter/evaluate.ts'
import { indexedColumns, ownColumns } from '../queries/compile-filter.ts'
import { BETWEEN, codeFrom, codesIn, valueOf, type Column, type ColumnValue } from './column.ts'

export type Leaf = Exclude<AnyLeaf, { op: 'constant' }>

/** The codes from one on, so many; or those that a table names. `inverse`: all but these. */
export interface Codes {
  readonly from: number
  readonly length: number
  readonly table: Uint8Array | undefined
  readonly inverse: boolean
}

/** A filter, by the codes of columns. */
export type Choice =
  | { readonly op: 'codes'; readonly leaf: Leaf; readonly column: Column; readonly codes: Codes }
  | { readonly op: 'and' | 'or'; readonly terms: readonly Choice[] }
  | { readonly op: 'constant'; readonly value: boolean }

export type Chosen = Extract<Choice, { op: 'codes' }>

/** The column that decides the condition; undefined where none does alone. */
export function columnOf(leaf: Leaf): string | undefined {
  // Text is equal, and has characters, by its exact form, which no index has.
  const exactly =
    leaf.op === 'in' ||
    leaf.op === 'measure' ||
    (leaf.op === 'compare' && (leaf.by === 'eq' || leaf.by === 'ne'))
  return exactly && ownColumns(leaf.path)?.folded ? undefined : columnAt(leaf.path)
}

/** The column in which an index has the values of a path in their order. */
export function columnAt(path: Path): string | undefined {
  const columns = indexedColumns(path)
  return columns?.exact === 'id' ? undefined : (columns?.folded ?? columns?.exact)
}

/** Whether a value of the condition's column fulfils it. */
export function accepts(leaf: Leaf, value: ColumnValue): boolean {
  const known = value === null ? undefined : leaf.path.kind === 'boolean' ? value === 1 : value
  return fulfils(leaf, known)
}

/** So many distinct values are looked at one by one. */
const FEW = 2_000

/** Undefined: too many values would have to be looked at. */
export function codesOf(leaf: Leaf, column: Column): Codes | undefined {
  const { op, negated } = leaf
  const end = codesIn(column)
  const range = (from: number, to: number, inverse = false): Codes => ({
    from,
    length: Math.max(0, to - from),
    table: undefined,
    inverse: inverse !== negated,
  })
  if (op === 'isNull') return range(0, 1)
  if (op === 'compare') {
    const value = sought(leaf.path.kind === 'text', leaf.value)
    const [at, after] = [codeFrom(column, value), codeFrom(column, value, true)]
    if (leaf.by === 'eq') return range(at, after)
    if (leaf.by === 'ne') return range(at, after, true)
    if (leaf.by === 'gt') return range(after, end)
    if (leaf.by === 'ge') return range(at, end)
    return range(1, leaf.by === 'lt' ? at : after)
  }
  const table = new Uint8Array(end)
  const named: Codes = { from: 0, length: 0, table, inverse: negated }
  if (op === 'in') {
    for (const value of leaf.values) {
      const bytes = sought(false, value)
      table.fill(1, codeFrom(column, bytes), codeFrom(column, bytes, true))
    }
    return named
  }
  const folded = ownColumns(leaf.path)?.folded !== undefined
  if (op === 'measure' || !folded || !column.ends || leaf.text === '') {
    if (end > FEW) return undefined
    const positive = { ...leaf, negated: false }
    for (let code = 0; code < end; code++) table[code] = Number(accepts(positive, valueOf(column, code)))
    return named
  }
  const between = Buffer.from([BETWEEN])
  const text = Buffer.from(leaf.text)
  const { begins, ends } = BOUND[op]
  mark(table, column, Buffer.concat([...(begins ? [between] : []), text, ...(ends ? [between] : [])]))
  return named
}

function sought(isText: boolean, value: Value): number | Uint8Array {
  if (typeof value !== 'string') return Number(value)
  return Buffer.from(isText ? foldedText(value) : value)
}

/** Where in a value the text of an operator has to stand. */
const BOUND = {
  contains: { begins: false, ends: false },
  startswith: { begins: true, ends: false },
  endswith: { begins: false, ends: true },
  equalsFolded: { begins: true, ends: true },
} as const

/** Marks the values that these bytes occur in. */
function mark(table: Uint8Array, { values, ends }: Column, bytes: Buffer): void {
  const text = Buffer.from(values.buffer, values.byteOffset, values.byteLength)
  let code = 0
  for (let at = text.indexOf(bytes); at >= 0; at = text.indexOf(bytes, at)) {
    // A value ends behind the place where its last byte can be the first of those that are sought.
    const inside = bytes[0] === BETWEEN ? at + 1 : at
    while (ends![code]! <= inside) code++
    table[code] = 1
    at = Math.max(at + 1, ends![code]!)
  }
}

export function has({ from, length, table, inverse }: Codes, code: number): boolean {
  const within = table ? table[code] === 1 : code >= from && code < from + length
  return within !== inverse
}
