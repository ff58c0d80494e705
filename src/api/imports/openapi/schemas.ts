/** An import in OpenAPI, and pieces of its schemas. */
import { STATES } from '../../../imports/objects.ts'
import { OUTCOMES } from '../../../imports/run/outcomes.ts'
import { schemaRef, type Schema } from '../../openapi/document.ts'
import { mappingSchema as mapping } from '../../../imports/mapping/mapping.ts'
import { described } from '../../openapi/described.ts'
import { bySchema } from '../../history/openapi/history-schemas.ts'
import { keySchema } from '../../openapi/field-schema.ts'

/** By name, since generators of clients lose a form that has none beside other types of body. */
export const uploadSchema: Schema = {
  type: 'object',
  properties: {
    options: { type: 'string', description: 'JSON.' },
    file: { type: 'string', format: 'binary' },
  },
  required: ['file'],
  additionalProperties: false,
}

export const count: Schema = { type: 'integer', minimum: 0 }
export const text: Schema = { type: ['string', 'null'] }
/** Open: what it holds follows the file or the mapping (docs/imports.md). */
export const open = (description: string): Schema => ({
  type: ['object', 'null'],
  description,
  additionalProperties: true,
})
export const closed = (properties: { readonly [name: string]: Schema }): Schema => ({
  type: ['object', 'null'],
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
const counts = Object.fromEntries(OUTCOMES.map((name) => [name, count]))

/** By name: it stands in several places, and generators lose a form of a choice that has none. */
export const mappingSchema: Schema = {
  ...described(mapping),
  description: 'Which column goes where, and how.',
}

export const importSchema: Schema = {
  ...closed({
    Id: keySchema('import'),
    Kind: { type: 'string', enum: ['file', 'bank', 'undo'] },
    Object: { type: 'string' },
    State: { type: 'string', enum: STATES },
    Mode: { type: ['string', 'null'], enum: ['create', 'update', 'upsert', null] },
    File: open('Name, Bytes, Sha256, Type, Sheet, HiddenSheets.'),
    Counts: { ...closed({ Rows: count, Done: count, ...counts }), type: 'object' },
    Check: closed({
      WouldCreate: count,
      WouldUpdate: count,
      Unchanged: count,
      Skipped: count,
      WouldFail: count,
      WouldUndo: count,
      WouldKeep: count,
    }),
    Progress: closed({
      Phase: { type: 'string', enum: ['read', 'check', 'commit', 'undo'] },
      Done: count,
      RowsPerSecond: count,
      SecondsLeft: { type: ['integer', 'null'] },
      Waiting: text,
    }),
    Columns: { type: 'array', items: { type: 'string' } },
    Notices: { type: 'array', items: open('A notice.') },
    Mapping: { anyOf: [schemaRef('Import.Mapping'), { type: 'null' }] },
    Bank: open('Of a bank file: Format, Profile, Statements, Choices.'),
    Questions: {
      type: 'array',
      items: closed({
        Field: text,
        Column: {
          ...text,
          description: 'Which column it is about; of a bank file, which account, as the file has it.',
        },
        Question: { type: 'string' },
      }),
    },
    Options: open('How it is committed.'),
    Reason: text,
    Schedule: text,
    SameContentAs: text,
    Undoes: text,
    UndoneBy: text,
    By: bySchema,
    CommittedAt: { type: ['string', 'null'], format: 'date-time' },
    FilesRemovedAt: { type: ['string', 'null'], format: 'date-time' },
  }),
  type: 'object',
  description: 'An import: a file that becomes records.',
}
