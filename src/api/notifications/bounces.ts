/**
 * `/inbound/bounces/{key}`: reports of mails that came back, from a mail server (RFC 3464) or from a provider (JSON). The path
 * proves where they come from; `/bounces` says it. What a report means is stored before it is answered, so that none is lost.
 */
import { Router } from 'express'
import { invalid, NotFound } from '../../domain/errors.ts'
import type { Json } from '../../domain/json.ts'
import { bounceIn } from '../../notifications/bounces/delivery-status.ts'
import type { NoteBounce } from '../../notifications/bounces/note-bounce.ts'
import { bouncesIn } from '../../notifications/bounces/provider-report.ts'
import type { SignedParts } from '../../notifications/sending/signed-parts.ts'
import { bodyBytes, JSON_LIMIT, rawBody } from '../http/body/json-body.ts'
import { giveAddressBack } from '../http/limits/limited.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { principalOf } from '../http/request-context.ts'
import { sendJson, success } from '../http/send.ts'
import { needsNoGrant, requires } from '../policy.ts'
import { noParameters } from '../records/list-query.ts'

export interface BounceRoutes {
  readonly places: () => SignedParts
  readonly note: NoteBounce
  /** Before the path, where it is known. */
  readonly url: string | undefined
}

const PLACE = 'bounces'

export function bounceRoutes({ places, note }: BounceRoutes): Router {
  const router = Router({ caseSensitive: true })
  refuseOthers(
    router
      .route('/inbound/bounces/:key')
      .post(needsNoGrant('open'), ...rawBody(JSON_LIMIT), async (request, response) => {
        const [place, company] = places().read(request.params['key']) ?? []
        if (place !== PLACE || company === undefined)
          throw new NotFound('there is nothing that takes reports here')
        giveAddressBack(request, response)
        const text = bodyBytes(request).toString()
        const isJson = /^\s*[[{]/.test(text)
        const found = isJson ? bouncesIn(jsonIn(text)) : [bounceIn(text)]
        let count = 0
        for (const one of found) if (one && (await note(company, one))) count++
        sendJson(response, 200, success(JSON.stringify({ Messages: count })))
      }),
  )
  return router
}

/** Where reports are to be sent. */
export function bouncePlaceRoutes({ places, url }: BounceRoutes): Router {
  const router = Router({ caseSensitive: true })
  refuseOthers(
    router.route('/bounces').get(requires('notify', 'template'), (request, response) => {
      noParameters(request)
      const path = `/inbound/bounces/${places().sign([PLACE, principalOf(response).company])}`
      const data = { path, url: url === undefined ? null : `${url}${path}` }
      sendJson(response, 200, success(JSON.stringify(data)))
    }),
  )
  return router
}

function jsonIn(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    throw invalid('', 'must be JSON, or a mail as it arrived')
  }
}
