/** `POST /{object}/import` in OpenAPI. */
import { schemaRef, type Operation, type Schema } from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import { body, fileHeaders } from '../../openapi/wrappers.ts'
import { accepted, query, writing } from './parts.ts'

const binary: Schema = { type: 'string', format: 'binary' }

/** `POST /{object}/import`, of each object. */
export function importOperation(name: string): Operation {
  return {
    operationId: `import${name}`,
    summary: 'Import a file',
    description:
      'The file is the body (CSV, XLSX, JSON `{"Records": [...]}`, NDJSON), or `file` of a form with `options` before it. What it is is found ' +
      'out by what it holds. The answer is an import, which is read, checked and, with `commit=true`, committed.',
    tags: [name],
    parameters: [
      query('mode', 'What rows do.', {
        type: 'string',
        enum: ['create', 'update', 'upsert'],
        default: 'create',
      }),
      query('commit', 'Commits as soon as it is checked.', { type: 'boolean', default: false }),
      query('onError', 'What refused rows mean.', {
        type: 'string',
        enum: ['continue', 'stop', 'nothing'],
        default: 'continue',
      }),
      query('fileName', 'The name of the file.', { type: 'string', maxLength: 200 }),
      query('again', 'Takes content that was imported before.', { type: 'boolean', default: false }),
      query('allowPastDates', 'Takes dates of the past where new records need others.', {
        type: 'boolean',
        default: false,
      }),
      query('profile', 'The Key of the profile whose mapping it has.', { type: 'string' }),
      ...writing,
    ],
    requestBody: body({
      'text/csv': { schema: binary, example: '@rows.csv' },
      'application/x-ndjson': { schema: binary },
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': { schema: binary },
      'application/octet-stream': { schema: binary },
      'multipart/form-data': {
        schema: schemaRef('Import.Upload'),
      },
    }),
    responses: { 202: accepted, ...errors(404, 409, 413, 415) },
  }
}

const TEMPLATES = {
  csv: { as: 'CSV', type: 'text/csv' },
  xlsx: { as: 'Workbook', type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' },
}

/** `GET /{object}/import/template.csv`, `.xlsx`. */
export function templateOperation(name: string, format: keyof typeof TEMPLATES): Operation {
  const { as, type } = TEMPLATES[format]
  return {
    operationId: `get${name}Template${as}`,
    summary: `Get a ${format === 'csv' ? 'CSV file' : 'workbook'} to fill in and import`,
    tags: [name],
    responses: {
      200: {
        description: 'The file: a column for each field that may be written.',
        headers: fileHeaders,
        content: { [type]: { schema: binary } },
      },
      ...errors(404),
    },
  }
}
