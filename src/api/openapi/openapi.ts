/**
 * The API's description of itself: an OpenAPI 3.1 document made from the object definitions, so that it knows what the
 * service knows, an object that was added yesterday included.
 */
import type { Definitions } from '../../domain/definition.ts'
import { COOKIE } from '../../identity/sessions/session-cookie.ts'
import type { Area } from '../area.ts'
import { reference, type OpenApiDocument, type Operation, type PathItem, type Schema } from './document.ts'
import { historyPaths, historySchemas } from '../history/openapi/history-paths.ts'
import { exportPaths } from '../records/openapi/export-paths.ts'
import { objectPaths } from '../records/openapi/object-paths.ts'
import { objectSchemas } from '../records/openapi/object-schemas.ts'
import { errorResponses } from './error-responses.ts'
import { forGenerators } from './for-generators.ts'
import { headerParameters, withHeaderParameters } from './header-parameters.ts'
import { deliveryParameters, sentEvents, sentSchemas } from '../webhooks/openapi/sent-events.ts'
import { sharedHeaders, sharedParameters, sharedSchemas } from './shared.ts'
import { json, success } from './wrappers.ts'

export interface OpenApiOf {
  readonly definitions: Definitions
  /** Where clients reach the service, without `/api/v1`. */
  readonly publicUrl: string
  /** Of the service. */
  readonly version: string
  readonly areas: readonly Area[]
}

/** The OpenAPI 3.1 document, as plain JSON; it stays the same for as long as the definitions do. */
export function openApiDocument({ definitions, publicUrl, version, areas }: OpenApiOf): OpenApiDocument {
  const objects = [...definitions.values()]
  const applications = [...new Set(objects.map(({ application }) => application))].sort()
  const merged = <T>(parts: readonly { readonly [name: string]: T }[]): { readonly [name: string]: T } =>
    Object.assign({}, ...parts) as { readonly [name: string]: T }
  return forGenerators<OpenApiDocument>({
    openapi: '3.1.0',
    info: {
      title: 'Daybook',
      version,
      summary: 'Business records and everything that happened to them.',
      description:
        'Every object has the same operations. Records are named by Keys, fields are PascalCase, answers are wrapped ' +
        'in `{Success, Data}` or `{Success, Error}`. A write is visible to the next read. ' +
        'Requests that fit no operation are refused in the same wrapper: 404 and 405 for paths and methods that are not ' +
        'here, 400, 408, 417 and 431 for requests that are not valid HTTP.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl.replace(/\/+$/, '') }],
    security: [{ bearerAuth: [] }, { cookieAuth: [] }],
    tags: [
      ...objects.map(({ object, name, description = `Records at /api/v1/${object}.` }) => ({
        name,
        description,
      })),
      ...areas.map(({ openapi }) => openapi.tag),
      { name: 'Health', description: 'Whether the service runs. Needs no authentication.' },
    ],
    'x-tagGroups': [
      ...applications.map((application) => ({
        name: application,
        tags: objects.filter((object) => object.application === application).map(({ name }) => name),
      })),
      { name: 'Service', tags: [...areas.map(({ openapi }) => openapi.tag.name), 'Health'] },
    ],
    paths: withHeaderParameters(
      merged<PathItem>([
        ...objects.map((object) => objectPaths(object, definitions)),
        ...objects.map((object) => exportPaths(object, definitions)),
        ...objects.map((object) => historyPaths(object, definitions)),
        ...areas.map(({ openapi }) => openapi.paths),
        healthPaths,
      ]),
    ),
    webhooks: sentEvents(definitions),
    components: {
      securitySchemes: {
        bearerAuth,
        cookieAuth: {
          type: 'apiKey',
          in: 'cookie',
          name: COOKIE,
          description:
            'A session: what login sets. Changes are taken from pages of the application and of the service only (`Origin`).',
        },
      },
      schemas: merged<Schema>([
        sharedSchemas,
        historySchemas,
        ...objects.map((object) => objectSchemas(object, definitions)),
        sentSchemas(definitions),
        ...areas.map(({ openapi }) => openapi.schemas ?? {}),
      ]),
      parameters: { ...sharedParameters, ...headerParameters, ...deliveryParameters },
      headers: sharedHeaders,
      responses: errorResponses,
    },
  })
}

export const bearerAuth = {
  type: 'http',
  scheme: 'bearer',
  description:
    'An API token: `Authorization: Bearer <token>`. While it is about to end, answers carry `X-Token-Expires`.',
}

export const healthPaths: { readonly [path: string]: PathItem } = {
  '/api/v1/health': {
    get: health(
      'getHealth',
      'Which version runs',
      { Status: { const: 'live' }, Version: { type: 'string', description: 'Of Daybook.' } },
      {},
    ),
  },
  '/api/v1/health/live': {
    get: health('getLiveness', 'Whether the process runs', { Status: { const: 'live' } }, {}),
  },
  '/api/v1/health/ready': {
    get: health(
      'getReadiness',
      'Whether requests can be served',
      {
        Status: { const: 'ready' },
        DeliveryQueue: {
          enum: ['open', 'blocked', 'unreachable'],
          description: 'Of a process that delivers webhooks: whether the queue of deliveries works.',
        },
        Webhooks: {
          type: 'string',
          description: 'Why deliveries are held, and the setting that ends it. Absent where they are not.',
        },
        Checks: {
          type: 'array',
          description:
            'The parts of the process. One that is down and that requests need makes the answer 503.',
          items: {
            type: 'object',
            properties: {
              Name: { type: 'string' },
              State: { enum: ['up', 'down'] },
              Reason: { type: ['string', 'null'] },
            },
            required: ['Name', 'State', 'Reason'],
            additionalProperties: false,
          },
        },
      },
      { 503: reference('responses', 'Unavailable') },
    ),
  },
}

function health(
  operationId: string,
  summary: string,
  properties: { readonly Status: { readonly const: string } } & Readonly<Record<string, Schema>>,
  more: Operation['responses'],
): Operation {
  const data: Schema = {
    type: 'object',
    properties,
    required: ['Status'],
    additionalProperties: false,
  }
  const ok = {
    description: 'Yes.',
    content: json(success(data), { Success: true, Data: { Status: properties.Status.const } }),
  }
  return { operationId, summary, tags: ['Health'], security: [], responses: { 200: ok, ...more } }
}
