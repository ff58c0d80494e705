/**
 * A record as it is served and stored in the read models: Id, the definition's fields in their order (`json` fields
 * last), CreatedAt, ModifiedAt. A field without a value is null. Lookups are `{Id, <display field of the target>}`.
 *
 * `json` fields come last so that the first `"Field":` of a lookup in the text is the lookup itself (see `expandLookups`).
 */
import { secondsOf } from '../fields/dates.ts'
import { targetOf, type Definitions, type FieldDefinition, type ObjectDefinition } from '../definition.ts'
import type { Fields, Json } from '../json.ts'

export interface DocumentOf {
  readonly definition: ObjectDefinition
  readonly definitions: Definitions
  readonly key: string
  readonly fields: Fields
  readonly createdAt: string
  readonly modifiedAt: string
  /** The display value of another record that is looked up; null when it has none. */
  readonly displayOf: (object: string, key: string) => Json
}

export function recordDocument({
  definition,
  definitions,
  key,
  fields,
  createdAt,
  modifiedAt,
  displayOf,
}: DocumentOf): Fields {
  const document: Record<string, Json> = { Id: key }
  // A record that looks itself up shows what it is becoming, not what is known of it.
  const display = (object: string, looked: string) =>
    looked === key ? (fields[definition.display] ?? null) : displayOf(object, looked)
  for (const field of documentOrder(definition)) {
    const value = fields[field.name] ?? null
    document[field.name] =
      field.type === 'lookup' && typeof value === 'string'
        ? lookupValue(definitions, field, value, display(field.target ?? '', value))
        : value
  }
  document['CreatedAt'] = secondsOf(createdAt)
  document['ModifiedAt'] = secondsOf(modifiedAt)
  return document
}

/** A lookup as it is served. Display fields are text; a value from a time when the field had another type is left out. */
export function lookupValue(
  definitions: Definitions,
  lookup: FieldDefinition,
  key: string,
  display: Json,
): Fields {
  const name = typeof display === 'string' ? display : null
  return { Id: key, [targetOf(definitions, lookup).display]: name }
}

const orders = new WeakMap<ObjectDefinition, readonly FieldDefinition[]>()

/** The definition's fields in the order of documents. */
export function documentOrder(definition: ObjectDefinition): readonly FieldDefinition[] {
  let order = orders.get(definition)
  if (!order) {
    const isJson = (field: FieldDefinition) => field.type === 'json'
    order = [...definition.fields.filter((field) => !isJson(field)), ...definition.fields.filter(isJson)]
    orders.set(definition, order)
  }
  return order
}

/** The canonical fields that a document was made of. */
export function fieldsOfDocument(definition: ObjectDefinition, document: Fields): Fields {
  const fields: Record<string, Json> = {}
  for (const field of definition.fields) {
    const value = document[field.name] ?? null
    if (value === null) continue
    fields[field.name] = field.type === 'lookup' ? (value as { Id: string }).Id : value
  }
  return fields
}

/**
 * The JSON text of a record with lookups replaced by the full records, without parsing it: `full` holds the JSON text
 * of each looked-up record by the name of the lookup field.
 */
export function expandLookups(json: string, full: { readonly [lookup: string]: string }): string {
  const places = Object.entries(full).flatMap(([name, record]) => {
    const member = `${JSON.stringify(name)}:`
    const found = json.indexOf(`${member}{"Id":`)
    const start = found + member.length
    return found < 0 ? [] : [{ start, end: endOfFlatObject(json, start), record }] // else it has no value
  })
  // From the back, so that no place moves and nothing is looked for inside of what was put in.
  places.sort((one, other) => other.start - one.start)
  return places.reduce(
    (text, { start, end, record }) => text.slice(0, start) + record + text.slice(end),
    json,
  )
}

/** Where an object without nested objects ends: after the first `}` that is in no string. */
function endOfFlatObject(json: string, start: number): number {
  let inText = false
  for (let i = start; ; i++) {
    const character = json.charCodeAt(i)
    if (character === 0x5c) i++
    else if (character === 0x22) inText = !inText
    else if (character === 0x7d && !inText) return i + 1
  }
}
