/** The notification service's description of itself, as `GET /openapi.json` on its port has it. */
import type { OpenApiDocument, Schema } from '../../openapi/document.ts'
import { errorResponses } from '../../openapi/error-responses.ts'
import { headerParameters, withHeaderParameters } from '../../openapi/header-parameters.ts'
import { bearerAuth } from '../../openapi/openapi.ts'
import { sharedHeaders, sharedParameters, sharedSchemas } from '../../openapi/shared.ts'
import { notificationPaths, notificationTag } from './paths.ts'
import { notificationSchemas } from './schemas.ts'

type Components = OpenApiDocument['components']

/** @param version of the service */
export function notificationDocument(url: string, version: string): OpenApiDocument {
  const paths = withHeaderParameters(notificationPaths(''))
  const all: Omit<Components, 'securitySchemes'> = {
    schemas: { ...sharedSchemas, ...notificationSchemas },
    parameters: { ...sharedParameters, ...headerParameters },
    headers: sharedHeaders,
    responses: errorResponses,
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Daybook notifications',
      version,
      summary: 'Templates of mails, and what became of each mail.',
      description:
        'Answers are wrapped in `{Success, Data}` or `{Success, Error}`. Tokens need the grant `notify` on `template`. ' +
        'The same routes stand below `/api/v1/notifications` of the API, for sessions too.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: url.replace(/\/+$/, '') }],
    security: [{ bearerAuth: [] }],
    tags: [notificationTag],
    'x-tagGroups': [{ name: 'Service', tags: [notificationTag.name] }],
    paths,
    components: { securitySchemes: { bearerAuth }, ...referredTo(paths, all) },
  }
}

/** Those components that the paths refer to, or that those refer to. */
function referredTo<T extends Omit<Components, 'securitySchemes'>>(paths: object, all: T): T {
  const found = new Set<string>()
  const look = (value: unknown): void => {
    for (const [, kind, name] of JSON.stringify(value).matchAll(/"#\/components\/(\w+)\/([\w.-]+)"/g)) {
      const id = `${kind}/${name}`
      if (found.has(id)) continue
      found.add(id)
      look((all as unknown as Readonly<Record<string, Readonly<Record<string, Schema>>>>)[kind!]?.[name!])
    }
  }
  look(paths)
  return Object.fromEntries(
    Object.entries(all).map(([kind, components]) => [
      kind,
      Object.fromEntries(Object.entries(components).filter(([name]) => found.has(`${kind}/${name}`))),
    ]),
  ) as T
}
