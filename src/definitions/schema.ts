/**
 * The shape of one definition file, and the JSON Schema that editors check it with while it is written.
 *
 * What a file says about its own fields (`display`, `derived` …) is checked in `check-definition.ts`, what it says about
 * other files in `load.ts`.
 */
import { z } from 'zod'
import type { ObjectDefinition } from '../domain/definition.ts'
import { field, fieldName, pascalCase, sentence } from './field-schema.ts'
import type { DefinitionJson } from './read-file.ts'
import type { StandIn } from '../shapes/repaired.ts'
import { namedEvent, workflow } from './workflow-schema.ts'

/** Names of objects and paths that the service will have: a definition that took one today would stand in their way. */
const PLANNED =
  `import importprofile importschedule importrows schedulerun integration integrations inbox link template
  trigger notification notifications message suppression layout sender bounce timer file definition checkpoint seal sealkey
  heads erasure hold delivery sending mail rest replay view console in forms scim waiting store log event`.split(
    /\s+/,
  )

/**
 * Names that the service uses itself: of paths, of what it stores beside records, of schemas of its OpenAPI document.
 */
export const RESERVED_OBJECTS: readonly string[] = [
  ...PLANNED,
  ...[
    'identity',
    'webhooks',
    'imports',
    'objects',
    'audit',
    'warehouse',
    'projections',
    'search',
    'meta',
    'health',
  ],
  ...[
    'company',
    'user',
    'token',
    'session',
    'role',
    'numbering',
    'claim',
    'request',
    'subscription',
    'webhook',
    'keys',
    'warehouselogin',
    'importfile',
    'importturn',
    'integrationfiles',
    'integrationplace',
    'integrationtoken',
    'integrationwatch',
    'poll',
    'counterpart',
    'fullsync',
    'masterkey',
    'tokenvalue',
    'uniquefields',
    'bootstrap',
  ],
  ...['error', 'money', 'pagination'],
]

/** The most fields that one object may have. */
export const MOST_FIELDS = 200

export const definitionFile = z.strictObject({
  $schema: z.string().describe('Where editors find the schema of this file.').exactOptional(),
  object: z
    .string()
    .max(40)
    .regex(/^[a-z][a-z0-9]*$/, 'must be lowercase letters and digits, a letter first')
    .refine((name) => !RESERVED_OBJECTS.includes(name), { error: 'is a name that the service uses itself' })
    .meta({
      description: 'The path, the prefix of Keys and of event names: the name of the file.',
      not: { enum: RESERVED_OBJECTS },
    }),
  name: pascalCase.describe('The same in PascalCase, as in the warehouse table.'),
  application: pascalCase.describe('The application it belongs to: the name of the folder.'),
  description: sentence.describe('What a record is, for those who read and write it.').exactOptional(),
  display: fieldName.describe('The field that stands for the record where another looks it up.'),
  fields: z.array(field).min(1).max(MOST_FIELDS),
  numbering: z
    .strictObject({
      field: fieldName.describe('The readOnly text field that receives the number.'),
      pattern: z.string().max(60).describe('`{year}` and `{sequence}` are replaced: CON-{year}-{sequence}.'),
      digits: z.int().min(1).max(12).describe('The sequence is padded with zeros to so many digits.'),
    })
    .describe(
      'Numbers that the service assigns, counted per company, and per year when the pattern has {year}.',
    )
    .exactOptional(),
  workflow: workflow.exactOptional(),
  events: z.array(namedEvent).min(1).max(50).exactOptional(),
  appendOnly: z
    .literal(true)
    .describe(
      'Records come many at a time and hardly ever change: those of one request are stored together. It cannot have unique fields, numbers, a workflow or events of its own.',
    )
    .exactOptional(),
})

/** The definition that a file's JSON says, or as much of it as can be read; what is wrong with its shape is noted. */
export function readDefinition(json: DefinitionJson, standIn: StandIn): ObjectDefinition | undefined {
  const read = json.read(definitionFile, standIn)
  delete read?.$schema
  return read
}

/** The JSON Schema (draft 7, which editors know best) of a definition file. */
export function definitionJsonSchema(): object {
  return { title: 'Object definition', ...z.toJSONSchema(definitionFile, { target: 'draft-7', io: 'input' }) }
}
