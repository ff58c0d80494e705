/** Fields as JSON Schema: what a reader gets, and what a writer may send. Says what `domain/fields/field-values.ts` does. */
import {
  STANDARD_FIELDS,
  targetOf,
  type Definitions,
  type FieldDefinition,
  type FieldType,
  type ObjectDefinition,
} from '../../domain/definition.ts'
import { entryStates } from '../../domain/workflow.ts'
import { schemaRef, type Schema } from './document.ts'

export type Writing = 'create' | 'replace' | 'merge'

/** The field as it is read: lookups nested, null where there may be no value. */
export function readSchema(
  definition: ObjectDefinition,
  definitions: Definitions,
  field: FieldDefinition,
  lookups: 'short' | 'shortOrFull' = 'short',
): Schema {
  const about = {
    ...(field.description === undefined ? {} : { description: field.description }),
    ...(field.readOnly ? { readOnly: true } : {}),
    'x-field': definedAs(field),
  }
  const nullable = mayBeNull(definition, field)
  if (field.type !== 'lookup') return described(about, valueSchema(field), nullable)
  const target = targetOf(definitions, field).name
  const short = schemaRef(`${target}.Reference`)
  return lookups === 'short'
    ? described(about, short, nullable)
    : // The whole record first: some generators take the first that fits, and the short form fits both.
      { ...about, anyOf: [schemaRef(target), short, ...(nullable ? [{ type: 'null' }] : [])] }
}

/** The display field inside a lookup. Null also where an answer was given without being able to ask for it. */
export function displaySchema(field: FieldDefinition): Schema {
  return described(
    field.description === undefined ? {} : { description: field.description },
    valueSchema(field),
    true,
  )
}

/** The field as it is written: lookups as Keys, null clears. PATCH takes parts of money and of json. */
export function writeSchema(definition: ObjectDefinition, field: FieldDefinition, writing: Writing): Schema {
  const initial = definition.workflow?.field === field.name ? definition.workflow.initial : field.default
  const notes = [field.description, noteFor(field, writing), stateNote(definition, field, writing)].filter(
    (text) => text !== undefined,
  )
  const plain = field.type === 'money' && writing === 'merge' ? schemaRef('Money.Patch') : valueSchema(field)
  const value = field.required && TEXTS.includes(field.type) ? { ...plain, pattern: VISIBLE } : plain
  const about = {
    ...(notes.length ? { description: notes.join(' ') } : {}),
    ...(writing !== 'create' || initial === undefined ? {} : { default: initial }),
  }
  return described(about, value, mayBeNull(definition, field))
}

export function keySchema(object: string): Schema {
  return { type: 'string', pattern: `^${object}-[0-7][0-9a-hjkmnp-tv-z]{25}$` }
}

/** What the definition says of the field beside its name and its description, which the schema says in its own way. */
function definedAs(field: FieldDefinition): Schema['x-field'] & object {
  const { type, ...rest } = field
  const said = ['name', 'description']
  return { type, ...Object.fromEntries(Object.entries(rest).filter(([key]) => !said.includes(key))) }
}

/** Whether a record can be without a value: not where one is required, numbered, or the state of a workflow. */
function mayBeNull(definition: ObjectDefinition, field: FieldDefinition): boolean {
  const assigned = STANDARD_FIELDS.includes(field) || definition.numbering?.field === field.name
  return !field.required && !assigned && definition.workflow?.field !== field.name
}

function described(about: Schema, value: Schema, nullable: boolean): Schema {
  if (!nullable || Object.keys(value).length === 0) return { ...about, ...value }
  if (value.$ref !== undefined || value.anyOf !== undefined || value['allOf'] !== undefined)
    return { ...about, anyOf: [value, { type: 'null' }] }
  const choices = value['enum'] as readonly string[] | undefined
  return {
    ...about,
    ...value,
    type: [value.type as string, 'null'],
    ...(choices ? { enum: [...choices, null] } : {}),
  }
}

const TEXTS: readonly FieldType[] = ['text', 'longtext', 'choice']
/** Holds a visible character: text without one does not count as a value where one is required. */
const VISIBLE = '\\S'

function valueSchema(field: FieldDefinition): Schema {
  switch (field.type) {
    case 'text':
      return { type: 'string', maxLength: field.maxLength ?? 1_000 }
    case 'longtext':
      return { type: 'string', maxLength: field.maxLength ?? 100_000 }
    case 'integer':
      return { type: 'integer', ...bounds(field) }
    case 'decimal':
      return { type: 'number', ...bounds(field) }
    case 'boolean':
      return { type: 'boolean' }
    case 'date':
      return { type: 'string', format: 'date' }
    case 'timestamp':
      return { type: 'string', format: 'date-time' }
    case 'money':
      return field.minimum === undefined && field.maximum === undefined
        ? schemaRef('Money')
        : { allOf: [schemaRef('Money'), { properties: { Amount: bounds(field) } }] }
    case 'choice':
      return field.strict
        ? { type: 'string', enum: field.choices }
        : { type: 'string', maxLength: field.maxLength ?? 100, examples: field.choices }
    case 'lookup':
      return keySchema(field.target ?? '')
    case 'email':
      return { type: 'string', format: 'idn-email', maxLength: 254 }
    case 'url':
      return { type: 'string', format: 'iri', pattern: '^[hH][tT][tT][pP][sS]?://', maxLength: 2_048 }
    case 'json':
      return {}
  }
}

function bounds({ minimum, maximum }: FieldDefinition): Schema {
  return { ...(minimum === undefined ? {} : { minimum }), ...(maximum === undefined ? {} : { maximum }) }
}

/** Which states a body may name. */
function stateNote({ workflow }: ObjectDefinition, { name }: FieldDefinition, writing: Writing) {
  if (workflow?.field !== name) return undefined
  if (writing === 'create') return `A new record is ${entryStates(workflow).join(' or ')}.`
  return workflow.strictStatus ? 'Changed by workflow actions only.' : undefined
}

/** Rules that JSON Schema has no word for. */
function noteFor(field: FieldDefinition, writing: Writing): string | undefined {
  const notes = [
    field.type === 'lookup' ? `A Key: \`${field.target}-…\`.` : '',
    field.type === 'choice' && !field.strict ? 'Other text than the suggestions is taken too.' : '',
    field.unit === undefined ? '' : `In ${field.unit}.`,
    field.unique ? 'Unique.' : '',
    field.afterTodayOnCreate && writing === 'create' ? 'Must be later than today (UTC).' : '',
    field.notBefore === undefined ? '' : `Must not be before ${field.notBefore}.`,
    writing === 'merge' && field.type === 'json' ? 'Objects are merged (RFC 7396).' : '',
  ]
  return notes.filter(Boolean).join(' ') || undefined
}
