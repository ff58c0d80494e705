/**
 * `/api/v1/forms/{key}`: forms of websites (docs/integrations/leads.md#a-form-on-a-website). Any site may post a plain HTML form, which needs no
 * cross-origin permission; scripts may send JSON from pages of the application (`APP_ORIGIN`) alone. The answer is the same
 * for all.
 */
import { Router, type Request, type RequestHandler, type Response } from 'express'
import { Invalid, NotFound } from '../../domain/errors.ts'
import type { Json } from '../../domain/json.ts'
import { BITS } from '../../integrations/receive/proof.ts'
import type { FormDoor, Forms } from '../../integrations/receive/forms.ts'
import type { Area } from '../area.ts'
import { bodyBytes, rawBody } from '../http/body/json-body.ts'
import { chargeAddress } from '../http/limits/limited.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { send, sendJson, success } from '../http/send.ts'
import { needsNoGrant } from '../policy.ts'
import { formScript } from './form-script.ts'
import { formsDescription } from './openapi/forms.ts'

const MOST_BYTES = 65_536
/** Beside the one that every request counts: so many requests is a form as good as. */
const COSTS = 19

export function formsArea(forms: Forms): Area {
  const doorOf = async (request: Request): Promise<FormDoor> => {
    const door = await forms.door(request.params['key'] as string)
    if (!door) throw new NotFound('there is no such form')
    return door
  }

  const take: RequestHandler = async (request, response) => {
    chargeAddress(request, response, COSTS)
    const door = await doorOf(request)
    const isJson = /^application\/json\b/i.test(request.headers['content-type'] ?? '')
    const sent = isJson
      ? jsonIn(request)
      : Object.fromEntries(new URLSearchParams(bodyBytes(request).toString('utf8')))
    await forms.keep(door, sent, request.headers.referer?.slice(0, 500))
    if (isJson) sendJson(response, 200, success('{}'))
    else thank(response, door.integration.settings['thanksUrl'])
  }

  const challenge: RequestHandler = async (request, response) => {
    const { integration } = await doorOf(request)
    const data = { Challenge: forms.challenge(integration.key), Bits: BITS }
    sendJson(response, 200, success(JSON.stringify(data)))
  }

  const script: RequestHandler = async (request, response) => {
    const { integration } = await doorOf(request)
    const text = formScript(forms.challenge(integration.key), BITS)
    send(response, 200, {}, 'text/javascript; charset=utf-8', text)
  }

  const open = () => needsNoGrant('open')
  const openRouter = Router({ caseSensitive: true })
  refuseOthers(openRouter.route('/:key').post(open(), ...rawBody(MOST_BYTES), take))
  refuseOthers(openRouter.route('/:key/challenge').get(open(), challenge))
  refuseOthers(openRouter.route('/:key/form.js').get(open(), script))
  return { segment: 'forms', openRouter, router: Router(), openapi: formsDescription }
}

function jsonIn(request: Request): Json {
  try {
    return JSON.parse(bodyBytes(request).toString('utf8')) as Json
  } catch {
    throw new Invalid('the body is not valid JSON', [{ Field: '', Message: 'must be valid JSON' }])
  }
}

function thank(response: Response, url: unknown): void {
  if (typeof url === 'string' && /^https?:\/\//.test(url) && URL.canParse(url))
    return send(response, 303, { Location: new URL(url).href })
  const page =
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Thank you</title><body><p>Thank you. We will answer soon.</p></body></html>'
  send(response, 200, {}, 'text/html; charset=utf-8', page)
}
