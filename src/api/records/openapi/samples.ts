/** Examples made from a definition; each is valid by the schema that it stands beside, which the tests hold it to. */
import { withDerived } from '../../../domain/fields/changes.ts'
import {
  targetOf,
  type Definitions,
  type FieldDefinition,
  type ObjectDefinition,
} from '../../../domain/definition.ts'
import { recordDocument } from '../../../domain/records/document.ts'
import type { Fields, Json } from '../../../domain/json.ts'
import { keyOf, uuid7 } from '../../../domain/records/key.ts'
import { formatNumber } from '../../../domain/records/numbering.ts'

const AT = '2029-11-05T09:30:00.000Z'
const MOST_FIELDS = 8

/** A Key of that object, always the same one. */
export function sampleKey(object: string): string {
  const random = Uint8Array.from(
    { length: 10 },
    (_, index) => (object.charCodeAt(index % object.length) * (index + 7)) & 255,
  )
  return keyOf(object, uuid7(Date.parse(AT), random))
}

/** A body that creates a record: what is required, and some more. */
export function sampleBody(definition: ObjectDefinition): Fields {
  const writable = definition.fields.filter((field) => !field.readOnly)
  const plain = (field: FieldDefinition) =>
    !field.derived && field.default === undefined && field.name !== definition.workflow?.field
  const wanted = [...writable.filter(({ required }) => required), ...writable.filter(plain)]
  const names = new Set([...new Set(wanted)].slice(0, MOST_FIELDS).map(({ name }) => name))
  return Object.fromEntries(
    writable.filter(({ name }) => names.has(name)).map((field) => [field.name, sampleValue(field)]),
  )
}

/** The record that `sampleBody` creates, as it is served. */
export function sampleRecord(definition: ObjectDefinition, definitions: Definitions): Fields {
  const { numbering, workflow } = definition
  const defaults = definition.fields.filter((field) => field.default !== undefined)
  const fields: Record<string, Json> = {
    ...Object.fromEntries(defaults.map((field) => [field.name, field.default as Json])),
    ...sampleBody(definition),
    ...(numbering ? { [numbering.field]: formatNumber(numbering, 2029, 42) } : {}),
    ...(workflow ? { [workflow.field]: workflow.initial } : {}),
  }
  return recordDocument({
    definition,
    definitions,
    key: sampleKey(definition.object),
    fields: withDerived(definition, {}, fields),
    createdAt: AT,
    modifiedAt: AT,
    displayOf: (object) => sampleDisplay(definitions.get(object)),
  })
}

/** A change of one or two fields. */
export function sampleChange(definition: ObjectDefinition): Fields {
  return Object.fromEntries(Object.entries(sampleBody(definition)).slice(-2))
}

/** A filter that the object takes: by its state, a number, or a word in a text. */
export function sampleFilter(definition: ObjectDefinition, definitions: Definitions): string {
  const { fields, workflow } = definition
  const first = (...types: string[]) => fields.find(({ type }) => types.includes(type))
  const choice = fields.find(({ name }) => name === workflow?.field) ?? first('choice')
  const number = first('money', 'decimal', 'integer')
  const lookup = first('lookup')
  const text = first('text', 'email')
  const terms = [
    choice && `${choice.name} eq '${choice.choices?.[0] ?? ''}'`,
    number &&
      (number.type === 'money'
        ? `${number.name}/Amount gt 1000`
        : `${number.name} ge ${JSON.stringify(sampleValue(number))}`),
    lookup && `contains(${lookup.name}/${targetOf(definitions, lookup).display}, 'north')`,
    text && `contains(${text.name}, 'north')`,
  ]
  return terms.filter(Boolean).slice(0, 2).join(' and ')
}

/** A value that the field takes. */
export function sampleValue(field: FieldDefinition): Json {
  const within = (value: number) => Math.min(Math.max(value, field.minimum ?? value), field.maximum ?? value)
  switch (field.type) {
    case 'text':
      return (field.maxLength ?? 20) < 20
        ? 'ABCDEFGH'.slice(0, field.maxLength)
        : `Example ${words(field.name)}`.slice(0, field.maxLength)
    case 'longtext':
      return `Some lines of ${words(field.name)}.`.slice(0, field.maxLength)
    case 'integer':
      return within(12)
    case 'decimal':
      return within(72.5)
    case 'boolean':
      return true
    case 'date':
      return '2030-01-01'
    case 'timestamp':
      return '2030-01-01T08:00:00Z'
    case 'money':
      return { Amount: within(1250), Currency: 'EUR' }
    case 'choice':
      return field.choices?.[0] ?? ''
    case 'lookup':
      return sampleKey(field.target ?? '')
    case 'email':
      return 'someone@example.com'
    case 'url':
      return 'https://example.com/page'
    case 'json':
      return { Note: 'any JSON' }
  }
}

function sampleDisplay(definition: ObjectDefinition | undefined): Json {
  const field = definition?.fields.find(({ name }) => name === definition.display)
  if (!definition || !field) return null
  return definition.numbering?.field === field.name
    ? formatNumber(definition.numbering, 2029, 42)
    : sampleValue(field)
}

/** `PostalCode` is `postal code`. */
function words(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ').toLowerCase()
}
