/** What OpenAPI says of schedules of imports. */
import { scheduleDefinition } from '../../../imports/schedules/objects.ts'
import type { AreaDescription } from '../../area.ts'
import { schemaRef, type Schema } from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import { keySchema } from '../../openapi/field-schema.ts'
import { json, success, writeHeaders } from '../../openapi/wrappers.ts'
import { closed, open, text } from '../openapi/schemas.ts'
import { writing } from '../openapi/parts.ts'
import { keptPaths, keyOfPath } from './openapi.ts'

const TAG = 'Import schedules'
const NAME = 'ImportSchedule'
const integer = (minimum: number, maximum: number): Schema => ({ type: 'integer', minimum, maximum })
const folder: Schema = { type: ['string', 'null'] }
const name: Schema = { type: 'string' }
const hostKey: Schema = { type: ['string', 'null'], description: "The fingerprint of the server's key." }

const folderSource: Schema = {
  type: 'object',
  properties: { Kind: { const: 'folder' }, Folder: name, Path: name },
  required: ['Kind', 'Folder'],
  additionalProperties: false,
}
const sftpSource = (more: { readonly [name: string]: Schema }): Schema => ({
  type: 'object',
  properties: {
    Kind: { const: 'sftp' },
    Host: name,
    Port: { ...integer(1, 65_535), default: 22 },
    User: name,
    Path: name,
    HostKey: hostKey,
    ...more,
  },
  required: ['Kind', 'Host', 'User'],
  additionalProperties: false,
})

/** By name, since generators of clients lose a form of a choice that has none. */
const sources = {
  [`${NAME}.Folder`]: folderSource,
  [`${NAME}.Sftp`]: sftpSource({}),
  [`${NAME}.SftpLogin`]: sftpSource({
    Password: { ...name, writeOnly: true },
    PrivateKey: { ...name, writeOnly: true },
    Passphrase: { ...name, writeOnly: true },
  }),
} satisfies { readonly [name: string]: Schema }
const sourceSchema = (...names: readonly string[]): Schema => ({
  oneOf: names.map((one) => schemaRef(`${NAME}.${one}`)),
})

const members = {
  Name: { type: 'string', maxLength: 200 },
  Object: { type: 'string' },
  Profile: { ...keySchema('importprofile'), type: ['string', 'null'], description: 'Bank files take none.' },
  RunAs: { type: 'string', description: 'Name of a role.' },
  Source: sourceSchema('Folder', 'Sftp'),
  Files: { type: 'string', default: '*', description: 'Names, with * and ?.' },
  Ignore: { type: 'array', items: { type: 'string' } },
  DoneFile: {
    type: ['string', 'null'],
    maxLength: 200,
    description: 'The name of the file that says that another is whole, such as *.done.',
  },
  StableSeconds: { ...integer(0, 3_600), default: 30 },
  MinAgeSeconds: { ...integer(0, 604_800), default: 0 },
  MostFiles: { ...integer(1, 1_000), default: 100 },
  Cron: { type: ['string', 'null'] },
  Every: { type: ['string', 'null'], description: 'In place of Cron: a duration such as PT15M.' },
  TimeZone: { type: 'string', default: 'UTC' },
  OnMissedRuns: { type: 'string', enum: ['once', 'none'], default: 'once' },
  Commit: { type: 'string', enum: ['whenNoErrors', 'always', 'never'], default: 'whenNoErrors' },
  After: {
    type: 'object',
    properties: { Done: folder, Failed: folder },
    additionalProperties: false,
  },
  ExpectBy: {
    type: ['object', 'null'],
    properties: { Time: name, Days: { type: 'string', default: '*' } },
    required: ['Time'],
    additionalProperties: false,
    description: 'By this time of these days a file has come, or the schedule is overdue.',
  },
  IsActive: { type: 'boolean', default: true },
} as const satisfies { readonly [name: string]: Schema }

const sent: Schema = {
  type: 'object',
  properties: {
    ...members,
    Source: sourceSchema('Folder', 'SftpLogin'),
  },
  required: ['Name', 'Object', 'RunAs', 'Source'],
  additionalProperties: false,
}

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
      sent,
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
                  HostKey: hostKey,
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
