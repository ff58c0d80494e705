/** What the operations of every object share: schemas of wrappers (docs/interface.md#wrappers), parameters, headers. */
import { importSchema, mappingSchema, uploadSchema } from '../imports/openapi/schemas.ts'
import { schemaRef, type OpenApiDocument, type Parameter, type Schema } from './document.ts'

type Components = OpenApiDocument['components']

const CODES = [
  'VALIDATION_ERROR',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_FOUND',
  'CONFLICT',
  'RATE_LIMITED',
  'SERVER_ERROR',
]

export const sharedSchemas: Components['schemas'] = {
  'Error.Cause': {
    type: 'object',
    description: 'What went wrong.',
    properties: {
      Code: { type: 'string', enum: CODES },
      Message: { type: 'string' },
      Details: {
        type: 'array',
        description:
          'Of a request that is not valid: every fault, with the field or parameter that it is in.',
        items: {
          type: 'object',
          properties: { Field: { type: 'string' }, Message: { type: 'string' } },
          required: ['Field', 'Message'],
          additionalProperties: false,
        },
      },
    },
    required: ['Code', 'Message', 'Details'],
    additionalProperties: false,
  },
  'Error.Response': {
    type: 'object',
    properties: { Success: { const: false }, Error: schemaRef('Error.Cause') },
    required: ['Success', 'Error'],
    additionalProperties: false,
  },
  Pagination: {
    type: 'object',
    properties: {
      Page: { type: 'integer', minimum: 1 },
      PageSize: { type: 'integer', minimum: 1, maximum: 100 },
      TotalRecords: { type: 'integer', minimum: 0 },
      TotalPages: { type: 'integer', minimum: 0 },
    },
    required: ['Page', 'PageSize', 'TotalRecords', 'TotalPages'],
    additionalProperties: false,
  },
  Import: importSchema,
  'Import.Upload': uploadSchema,
  'Import.Mapping': mappingSchema,
  Money: money('An exact amount of money: no more decimals than the currency has.', ['Amount', 'Currency']),
  'Money.Patch': { ...money('The parts of an amount of money that change.', []), minProperties: 1 },
}

function money(description: string, required: readonly string[]): Schema {
  return {
    type: 'object',
    description,
    properties: {
      Amount: { type: 'number' },
      Currency: { type: 'string', pattern: '^[A-Z]{3}$', description: 'ISO 4217 code.' },
    },
    ...(required.length ? { required } : {}),
    additionalProperties: false,
  }
}

const header = (
  name: string,
  description: string,
  schema: Schema = { type: 'string' },
  example?: string,
): Parameter => ({
  name,
  in: 'header',
  description,
  schema,
  ...(example === undefined ? {} : { example }),
})

/** A token for a position; see `api/http/position-tokens.ts`. */
export const POSITION_SCHEMA: Schema = { type: 'string', pattern: '^[A-Za-z0-9_-]{23}$' }
export const SAMPLE_POSITION = 'AfPk2ZBcO0yQnW1s8dK4mT8'
const ETAG: Schema = { type: 'string', pattern: '^"[0-9]+"$' }

export const sharedParameters: Components['parameters'] = {
  Page: {
    name: 'page',
    in: 'query',
    description: 'Number of the page. A page past the end is empty.',
    schema: { type: 'integer', minimum: 1, default: 1 },
  },
  PageSize: {
    name: 'pageSize',
    in: 'query',
    description: 'Records on a page. More than 100 are taken as 100, which `Pagination` then says.',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 25 },
  },
  IfMatch: header(
    'If-Match',
    'The `ETag` of the version that the change is meant for: if the record has changed since, the answer is 412 and nothing is written. Several, separated by commas, or `*` for any version, are taken too.',
    undefined,
    '"3"',
  ),
  IfNoneMatch: header(
    'If-None-Match',
    'The `ETag` of the version that the client has: if it is still the current one, the answer is 304 without a body.',
    undefined,
    '"3"',
  ),
  OnlyIfNew: header(
    'If-None-Match',
    '`*`: only create it. If it is there already, the answer is 412 and nothing is written.',
    // Not a `const`: generators for Python take text alone in headers.
    { type: 'string', pattern: '^[*]$' },
    '*',
  ),
  IdempotencyKey: header(
    'Idempotency-Key',
    'Makes the write safe to repeat: the same key with the same request gives the first answer again, with another request 409.',
    { type: 'string', pattern: '^[!-~]{1,255}$' },
    '0b7a4f1e-create-1',
  ),
  DryRun: {
    name: 'dryRun',
    in: 'query',
    description:
      '`true`: the write is judged in full and nothing is stored. The answer is 200 with `Daybook-Dry-Run`, and shows the record as it would be; what would be assigned (Id, number, times) is null.',
    schema: { type: 'boolean', default: false },
  },
  Reason: header(
    'Daybook-Reason',
    'Why the change is made; kept with it in the history. At most 1,000 characters, in UTF-8 or percent-encoded.',
  ),
  AtLeast: header(
    'Daybook-At-Least',
    'The `Daybook-Position` of an earlier write, or several, separated by commas: the read waits until it can see them, and is answered with 503 when that takes too long.',
    { type: 'string', pattern: '^[A-Za-z0-9_-]{23}(, ?[A-Za-z0-9_-]{23}){0,99}$' },
    SAMPLE_POSITION,
  ),
}

export const sharedHeaders: Components['headers'] = {
  ETag: { description: 'The version of the record, for `If-Match` and `If-None-Match`.', schema: ETAG },
  Location: { description: 'The path of the record.', schema: { type: 'string' } },
  'Daybook-Position': {
    description:
      'Where this write stands, for `Daybook-At-Least`; of a read with `asOf`, where it looked. Opaque, and of this company only.',
    schema: POSITION_SCHEMA,
  },
  'Daybook-Read-Lag': {
    description: 'Only when reads do not show this write yet; it is stored all the same.',
    schema: { const: 'true' },
  },
  'Daybook-Dry-Run': {
    description: 'Only with `dryRun=true`: nothing was stored.',
    schema: { const: 'true' },
  },
  'Idempotency-Replayed': {
    description: 'Only when this is the first answer again, because the `Idempotency-Key` was used before.',
    schema: { const: 'true' },
  },
  RateLimit: {
    description:
      'What is left of the burst (`r`), and in how many seconds all of it is there again (`t`); on every limited answer.',
    schema: { type: 'string', pattern: '^"burst";r=[0-9]+;t=[0-9]+$' },
  },
  'RateLimit-Policy': {
    description: 'How many requests may come at once, and how many in a minute; on every limited answer.',
    schema: { type: 'string', pattern: '^"burst";q=[0-9]+;w=[0-9]+, "minute";q=[0-9]+;w=60$' },
  },
  'Retry-After': {
    description: 'Seconds to wait before the next try.',
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    schema: { const: 'Bearer realm="daybook"' },
  },
}
