/**
 * The columns that a record's table has beside its document: what filters and sorts work on.
 *
 * | field type | columns | indexed |
 * |---|---|---|
 * | text, email, url | exact, folded (`~`) | folded |
 * | longtext | exact, folded | neither |
 * | choice, date, timestamp, integer, decimal, boolean | exact | exact |
 * | money | `/Amount`, `/Currency` | `/Amount` |
 * | lookup | Key; `/<display>` exact and folded | Key, folded display |
 * | json | none | |
 */
import {
  STANDARD_FIELDS,
  targetOf,
  type Definitions,
  type FieldDefinition,
  type ObjectDefinition,
} from '../../../domain/definition.ts'
import { isIndexed, isOfType, rulesOfType } from '../../../domain/fields/field-values.ts'
import { foldedText } from '../../../domain/fields/folded-text.ts'
import type { Fields, Json } from '../../../domain/json.ts'

export type SqlValue = string | number | null

export interface Column {
  /** Without quotes: `Name`, `Name~`, `MonthlyRent/Amount`, `Tenant`, `Tenant/Name~`. */
  readonly name: string
  readonly indexed: boolean
  /** The column's value, from a document as it is served. */
  readonly valueIn: (document: Fields) => SqlValue
}

/** Whether values of the field are compared as text: folded for order, exact for equality. */
export function isText(field: FieldDefinition): boolean {
  return rulesOfType(field).compares === 'text'
}

/** Quotes a name that comes from a definition. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export function tableOf(definition: ObjectDefinition): string {
  return quoted(`record_${definition.object}`)
}

export function indexOn(definition: ObjectDefinition, column: string): string {
  return quoted(`record_${definition.object}_by_${column}`)
}

/** All value columns of an object's table, in a fixed order. Id is a column of every table and not among them. */
export function columnsOf(definitions: Definitions, definition: ObjectDefinition): readonly Column[] {
  const standard = STANDARD_FIELDS.filter(({ name }) => name !== 'Id')
  return [...definition.fields, ...standard].flatMap((field) => fieldColumns(definitions, field))
}

function fieldColumns(definitions: Definitions, field: FieldDefinition): Column[] {
  const { name, type } = field
  const own = (document: Fields) => {
    const value = document[name] ?? null
    return value !== null && isOfType(field, value) ? value : null
  }
  if (type === 'json') return []
  if (isText(field)) return textColumns(name, own, isIndexed(field))
  if (type === 'money')
    return ['Amount', 'Currency'].map((part) => ({
      name: `${name}/${part}`,
      indexed: part === 'Amount',
      valueIn: (document) => scalar(member(own(document), part)),
    }))
  if (type === 'lookup') {
    const display = targetOf(definitions, field).display
    return [
      { name, indexed: true, valueIn: (document) => scalar(member(own(document), 'Id')) },
      ...textColumns(`${name}/${display}`, (document) => member(own(document), display), true),
    ]
  }
  return [{ name, indexed: true, valueIn: (document) => scalar(own(document)) }]
}

function textColumns(name: string, valueIn: (document: Fields) => Json, indexed: boolean): Column[] {
  return [
    { name, indexed: false, valueIn: (document) => scalar(valueIn(document)) },
    {
      name: `${name}~`,
      indexed,
      valueIn: (document) => {
        const value = scalar(valueIn(document))
        return value === null ? null : foldedText(String(value))
      },
    },
  ]
}

function member(value: Json, name: string): Json {
  return value === null ? null : ((value as Fields)[name] ?? null)
}

function scalar(value: Json): SqlValue {
  return typeof value === 'boolean' ? Number(value) : (value as SqlValue)
}
