/**
 * The schemas of one object: `Contract` as a whole record, and beside it `Contract.Selection` (what `fields` and `expand`
 * make of it), `.Changed` and `.Judged` (what writes answer, a dry run among them), `.Reference` (where another record looks it
 * up), `.Create`, `.Update` (PUT) and `.Patch`. Names with a dot cannot meet those of other objects, which are letters and digits.
 */
import {
  fieldOf,
  lookupsTo,
  STANDARD_FIELDS,
  type Definitions,
  type FieldDefinition,
  type ObjectDefinition,
} from '../../../domain/definition.ts'
import { documentOrder } from '../../../domain/records/document.ts'
import type { Schema } from '../../openapi/document.ts'
import { assignedTo } from '../dry-run.ts'
import {
  displaySchema,
  keySchema,
  readSchema,
  writeSchema,
  type Writing,
} from '../../openapi/field-schema.ts'
import { sampleBody, sampleChange, sampleRecord } from './samples.ts'

export function objectSchemas(
  definition: ObjectDefinition,
  definitions: Definitions,
): { readonly [name: string]: Schema } {
  const { name, description = `A record of ${definition.object}.` } = definition
  const writable = definition.fields.filter((field) => !field.readOnly)
  const required = writable.filter((field) => field.required).map((field) => field.name)
  const record = readProperties(definition, definitions, 'short')
  const write = (writing: Writing) =>
    Object.fromEntries(writable.map((field) => [field.name, writeSchema(definition, field, writing)]))

  const schemas: Record<string, Schema> = {
    [name]: {
      ...closed(record, Object.keys(record)),
      description,
      examples: [sampleRecord(definition, definitions)],
    },
    [`${name}.Changed`]: {
      ...closed(withNull(record, ['ModifiedAt']), Object.keys(record)),
      description: `A record after a change. With \`dryRun=true\` it is as it would be, and ModifiedAt is null.`,
    },
    [`${name}.Judged`]: {
      ...closed(withNull(record, assignedTo(definition)), Object.keys(record)),
      description: `A record as it would be: of \`dryRun=true\`. What would be assigned is null.`,
    },
    [`${name}.Selection`]: {
      ...closed(readProperties(definition, definitions, 'shortOrFull'), ['Id']),
      description: `A record with the fields that \`fields\` names (all when it names none), and with the full record in each lookup that \`expand\` names.`,
    },
    [`${name}.Create`]: {
      ...closed(write('create'), required),
      description: 'What a new record is made of.',
      examples: [sampleBody(definition)],
    },
    [`${name}.Update`]: {
      ...closed(write('replace'), []),
      description: `The fields to change. Those that are not sent stay; null clears; values are replaced whole.`,
      examples: [sampleChange(definition)],
    },
    [`${name}.Patch`]: {
      ...closed(write('merge'), []),
      description: `The fields to change. Those that are not sent stay; null clears; money and json are merged (RFC 7396).`,
      examples: [sampleChange(definition)],
    },
  }
  if (lookupsTo(definitions, definition.object).length > 0)
    schemas[`${name}.Reference`] = {
      ...closed(
        { Id: record['Id']!, [definition.display]: displaySchema(fieldOf(definition, definition.display)!) },
        ['Id', definition.display],
      ),
      description: 'The record where another looks it up.',
    }
  return schemas
}

/** The members of a record as it is served. */
export function readProperties(
  definition: ObjectDefinition,
  definitions: Definitions,
  lookups: 'short' | 'shortOrFull',
): { readonly [name: string]: Schema } {
  const [id, ...times] = STANDARD_FIELDS as [FieldDefinition, ...FieldDefinition[]]
  const read = (field: FieldDefinition) =>
    [field.name, readSchema(definition, definitions, field, lookups)] as const
  return {
    [id.name]: { description: id.description!, readOnly: true, ...keySchema(definition.object) },
    ...Object.fromEntries([...documentOrder(definition), ...times].map(read)),
  }
}

/** With null beside the values of these. */
function withNull(properties: { readonly [name: string]: Schema }, names: readonly string[]) {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      names.includes(name) ? { anyOf: [schema, { type: 'null' }] } : schema,
    ]),
  )
}

function closed(properties: { readonly [name: string]: Schema }, required: readonly string[]): Schema {
  return { type: 'object', properties, ...(required.length ? { required } : {}), additionalProperties: false }
}
