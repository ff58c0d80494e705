/** What OpenAPI says of imports. */
import { importDefinition } from '../../../imports/objects.ts'
import { byProfile, commitOptions, undoOptions } from '../../../imports/bodies.ts'
import { OUTCOMES } from '../../../imports/run/outcomes.ts'
import { shownDefinition } from '../../records/service-records.ts'
import { sampleKey } from '../../records/openapi/samples.ts'
import { listParameters } from '../../records/openapi/list-parameters.ts'
import type { AreaDescription } from '../../area.ts'
import { described } from '../../openapi/described.ts'
import { schemaRef, type Operation, type Parameter, type Schema } from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import { suggestions } from '../kept/openapi.ts'
import { accepted, query, writing } from './parts.ts'
import { closed, count, open, text } from './schemas.ts'
import { keySchema } from '../../openapi/field-schema.ts'
import { fileHeaders, json, page, PAGING, success } from '../../openapi/wrappers.ts'

const tags = ['Imports']
const rowSchema: Schema = {
  ...closed({
    Row: count,
    Outcome: { type: 'string', enum: OUTCOMES },
    Id: text,
    Version: { type: ['integer', 'null'] },
    Code: text,
    Message: text,
    Errors: {
      type: 'array',
      items: closed({ Field: { type: 'string' }, Column: text, Message: { type: 'string' } }),
    },
    Cells: open('The cells of the row by their columns, as text.'),
  }),
  type: 'object',
  description: 'A row of an import, and what became of it.',
}

const key: Parameter = {
  name: 'key',
  in: 'path',
  description: 'The Key of the import.',
  required: true,
  schema: keySchema('import'),
  example: sampleKey('import'),
}
const doing = (
  operationId: string,
  summary: string,
  description: string,
  sent?: Schema,
  example: object = {},
): Operation => ({
  operationId,
  summary,
  description,
  tags,
  parameters: [key, ...writing],
  ...(sent && { requestBody: { required: false, content: json(sent, example) } }),
  responses: { 202: accepted, ...errors(404, 409, 413, 415) },
})

const download = (operationId: string, summary: string, type: string): Operation => ({
  operationId,
  summary,
  tags,
  parameters: [key],
  responses: {
    200: {
      description: 'The file.',
      headers: fileHeaders,
      content: { [type]: { schema: { type: 'string', format: 'binary' } } },
    },
    ...errors(404),
  },
})

const ERRORS = 'Get the refused rows, to correct and import again'
const RESULTS = 'Get what became of all rows'
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

export const importsDescription: AreaDescription = {
  tag: { name: 'Imports', description: 'Files that become records: checked, committed, corrected, undone.' },
  schemas: {
    'Import.Row': rowSchema,
    'Import.MappingByProfile': { ...described(byProfile), description: 'The mapping of a profile.' },
  },
  paths: {
    '/api/v1/imports': {
      get: {
        operationId: 'listImports',
        summary: 'List imports',
        tags,
        parameters: listParameters(shownDefinition(importDefinition), new Map()),
        responses: {
          200: { description: 'A page of them.', content: page(schemaRef('Import')) },
          ...errors(),
        },
      },
    },
    '/api/v1/imports/{key}': {
      get: {
        operationId: 'getImport',
        summary: 'Get an import',
        tags,
        parameters: [
          key,
          query('wait', 'Answers when something has changed, or after so many seconds.', {
            type: 'integer',
            minimum: 0,
            maximum: 60,
          }),
        ],
        responses: {
          200: {
            description: 'How it stands.',
            headers: {
              'Retry-After': {
                description: 'Only while it is under way: when to ask again, in seconds.',
                required: false,
                schema: { type: 'integer', minimum: 0 },
              },
            },
            content: json(success(schemaRef('Import'))),
          },
          ...errors(404),
        },
      },
    },
    '/api/v1/imports/{key}/preview': {
      get: {
        operationId: 'previewImport',
        summary: 'Show the first rows beside what they would become',
        tags,
        parameters: [
          key,
          query('rows', 'How many.', { type: 'integer', minimum: 1, maximum: 100, default: 20 }),
        ],
        responses: {
          200: {
            description: 'Columns and rows.',
            content: json(success({ ...open('Columns, Rows, Mapping.'), type: 'object' })),
          },
          ...errors(404, 409),
        },
      },
    },
    '/api/v1/imports/{key}/suggestions': {
      get: {
        operationId: 'listMappingSuggestions',
        summary: 'List mappings that fit the columns of the file',
        description: 'Of profiles, and of imports that had the same columns.',
        tags,
        parameters: [key],
        responses: { 200: { description: 'Those that fit.', content: suggestions }, ...errors(404) },
      },
    },
    '/api/v1/imports/{key}/mapping': {
      put: doing(
        'mapImport',
        'Say which column goes where',
        'Before the commit; the rows are checked again. `{Profile}` takes the mapping of a profile.',
        { oneOf: [schemaRef('Import.Mapping'), schemaRef('Import.MappingByProfile')] },
        { Profile: sampleKey('importprofile') },
      ),
    },
    '/api/v1/imports/{key}/check': {
      post: doing(
        'checkImport',
        'Check all rows again',
        'A dry run: nothing is stored but what it comes to.',
      ),
    },
    '/api/v1/imports/{key}/commit': {
      post: doing('commitImport', 'Commit', 'Rows become records.', described(commitOptions), {
        OnError: 'continue',
      }),
    },
    '/api/v1/imports/{key}/cancel': {
      post: doing('cancelImport', 'Cancel', 'Stops at the end of a chunk; rows that are done stay.'),
    },
    '/api/v1/imports/{key}/retry': {
      post: doing('retryImport', 'Try the refused rows again', 'After what they lacked is there.'),
    },
    '/api/v1/imports/{key}/undo': {
      post: doing(
        'undoImport',
        'Undo',
        'Takes back what its rows did, unless others have changed the records since. The answer is the undo: an import of its own, ' +
          'which is checked and, with `Commit`, committed. An undo is undone in the same way.',
        described(undoOptions),
        { Conflicts: 'keep', Commit: true },
      ),
    },
    '/api/v1/imports/{key}/rows': {
      get: {
        operationId: 'listImportRows',
        summary: 'List rows',
        description: 'Before the commit: those that would be refused.',
        tags,
        parameters: [
          key,
          query('outcome', 'Only these.', {
            type: 'string',
            enum: OUTCOMES.map((name) => name.toLowerCase()),
          }),
          ...PAGING,
        ],
        responses: {
          200: { description: 'A page of them.', content: page(schemaRef('Import.Row')) },
          ...errors(404),
        },
      },
    },
    '/api/v1/imports/{key}/errors.csv': { get: download('getImportErrors', ERRORS, 'text/csv') },
    '/api/v1/imports/{key}/errors.xlsx': { get: download('getImportErrorsWorkbook', ERRORS, XLSX) },
    '/api/v1/imports/{key}/results.csv': { get: download('getImportResults', RESULTS, 'text/csv') },
    '/api/v1/imports/{key}/results.xlsx': { get: download('getImportResultsWorkbook', RESULTS, XLSX) },
  },
}
