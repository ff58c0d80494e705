/** `/openapi.json` and `/docs` of the notification service. No authentication: they hold no records. */
import { Router } from 'express'
import { pageHeaders } from '../http/common-headers.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { send, sendJson } from '../http/send.ts'
import { docsPage, docsPagePolicy } from '../openapi/docs-page/page.ts'
import { needsNoGrant } from '../policy.ts'
import { notificationDocument } from './openapi/document.ts'

export interface NotificationDocs {
  /** Where the notification service is reached; known once it listens. */
  readonly url: () => string
  readonly version: string
}

const PATH = '/openapi.json'

export function notificationDocs({ url, version }: NotificationDocs): Router {
  const open = needsNoGrant('open')
  const router = Router({ caseSensitive: true })
  refuseOthers(
    router
      .route(PATH)
      .get(open, (_request, response) =>
        sendJson(response, 200, JSON.stringify(notificationDocument(url(), version))),
      ),
  )
  refuseOthers(
    router
      .route('/docs')
      .get(open, (_request, response) =>
        send(
          response,
          200,
          pageHeaders(docsPagePolicy),
          'text/html; charset=utf-8',
          docsPage(notificationDocument(url(), version), { dataAt: PATH }),
        ),
      ),
  )
  return router
}
