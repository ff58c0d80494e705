/**
 * `/api/v1/openapi.json` and its readable page `/docs`, both made from the definitions.
 * No authentication: they hold no records.
 */
import { Router, type Request } from 'express'
import type { Definitions } from '../../domain/definition.ts'
import { Invalid } from '../../domain/errors.ts'
import type { Area } from '../area.ts'
import { wantsPage } from '../console/console.ts'
import { pageHeaders } from '../http/common-headers.ts'
import { docsPage, docsPagePolicy } from './docs-page/page.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { forOpenApiGenerator } from './for-openapi-generator.ts'
import { openApiDocument } from './openapi.ts'
import { needsNoGrant } from '../policy.ts'
import { GUIDES, guideRoutes } from './guides.ts'
import { JSON_TYPE, packedText, send, sendPacked, type PackedText } from '../http/send.ts'

export interface DocsRoutes {
  readonly definitions: Definitions
  /** Where the service is reached. */
  readonly publicUrl: () => string
  readonly version: string
  readonly areas: readonly Area[]
}

export function docsRoutes({ definitions, publicUrl, version, areas }: DocsRoutes): Router {
  let made:
    | {
        readonly url: string
        readonly json: PackedText
        readonly forOpenApiGenerator: PackedText
        readonly page: PackedText
      }
    | undefined
  const current = () => {
    const url = publicUrl()
    if (made?.url !== url) {
      const document = openApiDocument({ definitions, publicUrl: url, version, areas })
      made = {
        url,
        json: packedText(JSON.stringify(document)),
        forOpenApiGenerator: packedText(JSON.stringify(forOpenApiGenerator(document))),
        page: packedText(docsPage(document, { guides: GUIDES })),
      }
    }
    return made
  }
  const open = needsNoGrant('open')
  const router = Router()
  // Browsers go to the console, programs to what describes the API; relative, so that it holds below a proxy's path too.
  router.get('/', open, (request, response) =>
    send(response, 302, { Location: wantsPage(request) ? 'console' : 'docs', Vary: 'Accept' }),
  )
  refuseOthers(
    router.route('/api/v1/openapi.json').get(open, (request, response) => {
      const made = isForOpenApiGenerator(request) ? current().forOpenApiGenerator : current().json
      sendPacked(request, response, made, JSON_TYPE)
    }),
  )
  const headers = pageHeaders(docsPagePolicy)
  refuseOthers(
    router
      .route('/docs')
      .get(open, (request, response) =>
        sendPacked(request, response, current().page, 'text/html; charset=utf-8', headers),
      ),
  )
  router.use(guideRoutes())
  return router
}

/** Whether `for=openapi-generator` asks for the document as that one can read it. */
function isForOpenApiGenerator({ query }: Request): boolean {
  for (const [name, value] of Object.entries(query)) {
    if (name !== 'for')
      throw new Invalid('The query parameters are not valid.', [
        { Field: name, Message: 'is not a query parameter of this route; it takes for' },
      ])
    if (value !== 'openapi-generator')
      throw new Invalid('The query parameters are not valid.', [
        { Field: 'for', Message: 'must be openapi-generator; other generators read the document as it is' },
      ])
  }
  return 'for' in query
}
