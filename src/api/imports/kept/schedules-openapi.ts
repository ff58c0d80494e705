/** What OpenAPI says of schedules of imports. */
import { scheduleDefinition } from '../../../imports/schedules/objects.ts'
import { folder, sentSchedule, sftp, sftpWithLogin } from '../../../imports/schedules/schedule.ts'
import type { AreaDescription } from '../../area.ts'
import { described } from '../../openapi/described.ts'
import { schemaRef, type Schema } from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import { keySchema } from '../../openapi/field-schema.ts'
import { json, success, writeHeaders } from '../../openapi/wrappers.ts'
import { closed, open, text } from '../openapi/schemas.ts'
import { writing } from '../openapi/parts.ts'
import { keptPaths, keyOfPath } from './openapi.ts'

const TAG = 'Import schedules'
const NAME = 'ImportSchedule'
/** By name, since generators of clients lose a form of a choice that has none. */
const sources = {
  [`${NAME}.Folder`]: described(folder),
  [`${NAME}.Sftp`]: described(sftp),
  [`${NAME}.SftpLogin`]: described(sftpWithLogin),
} satisfies { readonly [name: string]: Schema }
const sourceSchema = (...names: readonly string[]): Schema => ({
  oneOf: names.map((one) => schemaRef(`${NAME}.${one}`)),
})

const sent: Schema = described(sentSchedule)
const members = { ...sent.properties, Source: sourceSchema('Folder', 'Sftp') }

const schema: Schema = {
  ...closed({
    Id: keySchema('importschedule'),
    ...members,
    NextRunAt: text,
    LastRun: open('At, EndedAt, Skipped, Found, Taken, Left, Refused, Troubles.'),
    LastTakenAt: text,
    Health: { type: ['string', 'null'], enum: ['Ok', 'Missed', 'Failed', null] },
    ExpectAt: text,
    OverdueSince: text,
    CreatedAt: { type: 'string', format: 'date-time' },
    ModifiedAt: { type: 'string', format: 'date-time' },
  }),
  type: 'object',
  description: 'Files that are picked up in their time, and imported.',
}

const example = {
  Name: 'Tenants of the office',
  Object: 'tenant',
  Profile: 'importprofile-01jc3y4v5e8z9k2m7q6r5t4w3x',
  RunAs: 'editor',
  Source: { Kind: 'folder', Folder: 'office', Path: 'out' },
  Files: '*.csv',
  Cron: '0 6 * * 1-5',
  TimeZone: 'Europe/Amsterdam',
}
const key = keyOfPath('importschedule', 'an import schedule')
const files: Schema = {
  type: 'array',
  items: { ...closed({ Name: { type: 'string' }, Bytes: { type: 'integer' } }), type: 'object' },
}

export const schedulesDescription: AreaDescription = {
  tag: { name: TAG, description: 'Files that are picked up in their time, and imported.' },
  schemas: { [NAME]: schema, ...sources },
  paths: {
    ...keptPaths({
      segment: 'import-schedules',
      definition: scheduleDefinition,
      name: NAME,
      one: 'an import schedule',
      tag: TAG,
      sent: { ...sent, properties: { ...sent.properties, Source: sourceSchema('Folder', 'SftpLogin') } },
      example,
    }),
    '/api/v1/import-schedules/{key}/run': {
      post: {
        operationId: 'runImportSchedule',
        summary: 'Run an import schedule now',
        tags: [TAG],
        parameters: [key, ...writing],
        responses: {
          202: {
            description: 'It is due now.',
            headers: writeHeaders('ETag'),
            content: json(success(schemaRef(NAME))),
          },
          ...errors(404, 409, 413, 415),
        },
      },
    },
    '/api/v1/import-schedules/{key}/test': {
      post: {
        operationId: 'testImportSchedule',
        summary: 'Show which files a run would look at',
        tags: [TAG],
        parameters: [key],
        responses: {
          200: {
            description: 'The files.',
            content: json(
              success({
                type: 'object',
                properties: {
                  Takes: files,
                  PassesOver: files,
                  Message: { type: 'string' },
                  HostKey: { type: ['string', 'null'], description: "The fingerprint of the server's key." },
                },
                required: ['Takes', 'PassesOver'],
                additionalProperties: false,
              }),
            ),
          },
          ...errors(404, 413, 415),
        },
      },
    },
  },
}
