/** What OpenAPI says of `/{object}/export`. */
import type { Definitions, ObjectDefinition } from '../../../domain/definition.ts'
import type { PathItem } from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import { fileHeaders } from '../../openapi/wrappers.ts'
import { listAsOf, listParameters } from './list-parameters.ts'

const file = { schema: { type: 'string', format: 'binary' } } as const

export function exportPaths(
  definition: ObjectDefinition,
  definitions: Definitions,
): { readonly [path: string]: PathItem } {
  const { object, name } = definition
  const ofLists = listParameters(definition, definitions).filter(
    (one) => 'name' in one && one.name !== 'expand',
  )
  return {
    [`/api/v1/${object}/export`]: {
      get: {
        tags: [name],
        operationId: `export${name}`,
        summary: 'Export a list',
        description:
          'A list as a file for spreadsheets: all pages of it, up to 100,000 records, each once. With `asOf=now` all of one moment. Money takes two columns; a lookup has the name of its record, or the Key where others have that name. An import with `mode=update` reads the file back, and changes nothing where nothing was edited. Needs the grant `export`.',
        parameters: [
          {
            name: 'format',
            in: 'query',
            description: 'Of the file.',
            schema: { type: 'string', enum: ['csv', 'xlsx'], default: 'csv' },
          },
          ...ofLists,
          listAsOf,
        ],
        responses: {
          200: {
            description: 'The file.',
            headers: fileHeaders,
            content: {
              'text/csv': file,
              'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': file,
            },
          },
          ...errors(404),
        },
      },
    },
  }
}
