/**
 * `POST /api/v1/in/{key}/{name}`: where other systems send to (docs/integrations.md). The message proves by itself where it comes
 * from; it is answered as soon as it is kept.
 *
 * Every request counts against its address until it has proven that: nobody guesses signatures at any speed, and who may send
 * sends as much as there is.
 */
import { Router, type Request, type RequestHandler } from 'express'
import type { Accepting } from '../../integrations/receive/accept.ts'
import { Busy, NotFound } from '../../domain/errors.ts'
import type { Area } from '../area.ts'
import type { Log } from '../../ports/log.ts'
import { bodyBytes, JSON_LIMIT, rawBody } from '../http/body/json-body.ts'
import { giveAddressBack } from '../http/limits/limited.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { Refusal } from '../http/problems.ts'
import { send, sendJson, success } from '../http/send.ts'
import { needsNoGrant } from '../policy.ts'
import { receiveDescription } from './openapi/receive.ts'

export interface ReceiveRoutes {
  readonly accepting: Accepting
  /** Where clients reach the service. */
  readonly publicUrl: () => string
  readonly log: Log
}

const MOST_ECHOED = 500

export function receiveArea({ accepting, publicUrl, log }: ReceiveRoutes): Area {
  const take: RequestHandler = async (request, response) => {
    const { key, door } = await doorOf(request)
    const { entry } = door
    const echo = entry.handshake && echoOf(request, entry.handshake.query)
    // A message has a body: its address may hold the parameter, too.
    if (echo !== undefined && bodyBytes(request).length === 0)
      return send(response, 200, {}, 'text/plain; charset=utf-8', echo)
    const inbound = {
      method: request.method,
      url: publicUrl() + request.originalUrl,
      headers: headersOf(request),
      body: bodyBytes(request),
    }
    const taken = await accepting.accept(door, inbound)
    if (taken.kind === 'doubted') {
      log.info({ integration: key, entry: entry.name, doubt: taken.doubt }, 'a message was refused')
      throw new Refusal({
        status: 401,
        code: 'UNAUTHORIZED',
        message: 'the message is not signed as it must be',
        // As every 401 of the service: HTTP wants one.
        headers: { 'WWW-Authenticate': 'Bearer realm="daybook"' },
      })
    }
    if (taken.kind === 'full') throw new Busy('too many messages of this integration wait to be applied')
    if (taken.isProven) giveAddressBack(request, response)
    sendJson(response, 200, success('{}'))
  }

  const doorOf = async (request: Request) => {
    const { key, name } = request.params as { readonly key: string; readonly name?: string }
    const door = await accepting.door(key, name)
    if (!door) throw new NotFound('there is nothing that takes messages here')
    return { key, door }
  }

  const handshake: RequestHandler = async (request, response) => {
    const { door } = await doorOf(request)
    const echo = door.entry.handshake && echoOf(request, door.entry.handshake.query)
    if (echo === undefined) throw new NotFound('there is nothing to read here; messages are sent by POST')
    send(response, 200, {}, 'text/plain; charset=utf-8', echo)
  }

  const openRouter = Router({ caseSensitive: true })
  for (const path of ['/:key', '/:key/:name'])
    refuseOthers(
      openRouter
        .route(path)
        .get(needsNoGrant('open'), handshake)
        .post(needsNoGrant('open'), ...rawBody(JSON_LIMIT), take),
    )
  return { segment: 'in', openRouter, router: Router(), openapi: receiveDescription }
}

/** The parameter that a first request wants to be sent back. */
function echoOf({ query }: Request, name: string): string | undefined {
  const value: unknown = query[name]
  return typeof value === 'string' && value.length <= MOST_ECHOED ? value : undefined
}

function headersOf({ headers }: Request): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  )
}
