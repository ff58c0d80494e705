/**
 * `/u/{signed}`: leaving a category of messages (RFC 8058). GET shows a page and changes nothing, for scanners of mails follow
 * every link; POST leaves.
 */
import { Router, type Response } from 'express'
import { NotFound } from '../../domain/errors.ts'
import type { Suppressions } from '../../notifications/sending/suppressions.ts'
import type { UnsubscribeLinks, Unsubscribing } from '../../notifications/sending/unsubscribe-links.ts'
import { escapeHtml } from '../../notifications/templates/render.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { send } from '../http/send.ts'
import { needsNoGrant } from '../policy.ts'

export interface UnsubscribeRoutes {
  readonly links: () => UnsubscribeLinks
  readonly suppressions: Suppressions
}

const HEADERS = {
  'Content-Security-Policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
}

export function unsubscribeRoutes({ links, suppressions }: UnsubscribeRoutes): Router {
  const read = (signed: string): Unsubscribing => {
    const found = links().read(signed)
    if (!found) throw new NotFound('This link is not one of ours, or is not whole.')
    return found
  }
  const router = Router({ caseSensitive: true })
  refuseOthers(
    router
      .route('/u/:signed')
      .get(needsNoGrant('open'), (request, response) => {
        const { address, category } = read(request.params['signed'])
        const said = `Write no more messages of the kind “${escapeHtml(category)}” to ${escapeHtml(address)}?`
        page(response, `<p>${said}</p><form method="post"><button>Unsubscribe</button></form>`)
      })
      .post(needsNoGrant('open'), async (request, response) => {
        const { company, address, category } = read(request.params['signed'])
        await suppressions.add(company, { address, category, reason: 'the recipient has unsubscribed' })
        page(response, '<p>Done: no more of these messages will be sent.</p>')
      }),
  )
  return router
}

function page(response: Response, content: string): void {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Unsubscribe</title><body>${content}</body></html>`
  send(response, 200, HEADERS, 'text/html; charset=utf-8', html)
}
