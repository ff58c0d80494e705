/** `GET /{object}/import/template.csv` and `.xlsx`: files to fill in and import. */
import { Router, type RequestHandler } from 'express'
import type { Definitions } from '../../domain/definition.ts'
import { sightOf } from '../../domain/grant.ts'
import { writtenCsv } from '../../imports/formats/csv-writer.ts'
import { writtenXlsx } from '../../imports/formats/xlsx/writer.ts'
import { templateColumns, templateSheet } from '../../imports/template.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { principalOf } from '../http/request-context.ts'
import { streamChunks } from '../http/send.ts'
import { requires } from '../policy.ts'
import { noParameters } from '../records/list-query.ts'
import { objectNamed } from '../records/named-object.ts'
import { DOWNLOAD_TYPES, type DownloadFormat } from './reads.ts'

export function templateRoutes(definitions: Definitions): Router {
  const sent =
    (format: DownloadFormat): RequestHandler =>
    async (request, response) => {
      noParameters(request)
      const definition = objectNamed(definitions, request)
      const sight = sightOf(principalOf(response).access.grant(definition.object, 'import'))
      const headers = {
        'Content-Disposition': `attachment; filename="${definition.object}-template.${format}"`,
      }
      const bytes =
        format === 'csv'
          ? writtenCsv(templateColumns(definition, sight), [])
          : writtenXlsx(templateSheet(definition, sight))
      await streamChunks(response, headers, DOWNLOAD_TYPES[format], bytes)
    }
  const router = Router({ caseSensitive: true })
  const may = requires('import', ':object')
  for (const format of ['csv', 'xlsx'] as const)
    refuseOthers(router.route(`/:object/import/template.${format}`).get(may, sent(format)))
  return router
}
