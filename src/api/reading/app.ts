/**
 * What a thread beside the main one answers by itself: reads of records, of a principal that it knows. All else it hands over
 * as it came, so that nothing is answered in two ways.
 */
import type { IncomingMessage, RequestListener } from 'node:http'
import { Router, type RequestHandler } from 'express'
import type { Definitions } from '../../domain/definition.ts'
import type { Credential, Principal } from '../../identity/principal.ts'
import { arrival, type ArrivalOptions } from '../http/arrival.ts'
import type { HandOver } from './hand-over.ts'
import { showLimit } from '../http/limits/limited.ts'
import type { ShownLimit } from '../http/limits/rate-limits.ts'
import type { Reservations } from '../http/limits/reservations.ts'
import { knownSegments } from '../http/logged-path.ts'
import { plainApp } from '../plain-app.ts'
import { problemHandler } from '../http/problems.ts'
import { credentialOf } from '../http/request-context.ts'
import { transportJudge, type TransportOptions } from '../http/transport.ts'
import { lookAfterUnread, type UnreadAnswers } from '../http/unread.ts'
import { requires } from '../policy.ts'
import { recordReads, type RecordReadsOptions } from '../records/record-reads.ts'

export interface ReadingAppOptions
  extends
    Pick<RecordReadsOptions, 'definitions' | 'readModels'>,
    Omit<ArrivalOptions, 'crossOrigin' | 'isKnown' | 'isSecure'>,
    TransportOptions {
  /** Whether requests are answered here at all for now. */
  readonly isOpen: () => boolean
  /** Undefined: the main thread has to say. */
  readonly principalOf: (credential: Credential) => Principal | undefined | Promise<Principal | undefined>
  /** To be called before a request reads: everything that was answered by then can be read from then on. */
  readonly catchUp: () => void
  readonly handOver: HandOver
  /** Undefined: there are no limits. */
  readonly limits: Pick<Reservations, 'take'> | undefined
  readonly unread: UnreadAnswers
}

/** What a request that is answered here has been found to be. */
interface Let {
  readonly principal: Principal
  readonly limit: ShownLimit | undefined
}

export function readingApp(options: ReadingAppOptions): RequestListener {
  const { isOpen, principalOf, limits, catchUp, handOver, definitions } = options
  const found = new WeakMap<IncomingMessage, Let>()
  const app = readsApp(options, found)

  /** Undefined: the main thread has to answer. */
  const counted = (principal: Principal | undefined): Let | undefined | Promise<Let | undefined> => {
    if (!principal || !limits) return principal && { principal, limit: undefined }
    const limit = limits.take(principal)
    return isPending(limit)
      ? limit.then((taken) => taken && { principal, limit: taken })
      : limit && { principal, limit }
  }
  const letIn = (credential: Credential) => {
    const principal = principalOf(credential)
    return isPending(principal) ? principal.then(counted) : counted(principal)
  }

  return (request, response) => {
    const credential = isOpen() && isRead(request, definitions) ? credentialOf(request) : undefined
    if (!credential) return handOver(request, response)
    const enter = (entering: Let | undefined) => {
      if (!entering) return handOver(request, response)
      found.set(request, entering)
      catchUp()
      app(request, response)
    }
    const entering = letIn(credential)
    if (!isPending(entering)) return enter(entering)
    // What the main thread cannot judge it says itself.
    entering.then(enter, () => handOver(request, response))
  }
}

const isPending = <T>(value: T | Promise<T>): value is Promise<T> => value instanceof Promise

function readsApp(options: ReadingAppOptions, found: WeakMap<IncomingMessage, Let>) {
  const { log, definitions, unread } = options
  const app = plainApp(options)
  lookAfterUnread(app, unread)
  const isKnown = knownSegments(definitions.keys())
  const enter: RequestHandler = (request, response, next) => {
    const { principal, limit } = found.get(request)!
    response.locals.principal = principal
    if (limit) showLimit(response, limit)
    next()
  }
  const reads = recordReads({ ...options, ...PRESENT })
  const may = requires('read', ':object')
  const router = Router({ caseSensitive: true })
  router.use(enter)
  router.get('/:object/:key', may, reads.get)
  router.get('/:object', may, reads.list)
  app.use(arrival({ ...options, crossOrigin: false, isKnown, isSecure: transportJudge(options) }))
  app.use('/api/v1', router)
  app.use(problemHandler(log, isKnown))
  return app
}

/** Requests that look back or wait for a position are handed over. */
const PRESENT: Pick<RecordReadsOptions, 'positions' | 'asOf' | 'readYourWritesMs'> = {
  positions: { read: elsewhere },
  asOf: { list: elsewhere, record: elsewhere, absence: elsewhere },
  readYourWritesMs: 0,
}

function elsewhere(): never {
  throw new Error('this request should have been handed over')
}

const PATH = /^\/api\/v1\/([a-z0-9_]+)(?:\/[a-z0-9_]+-[a-z0-9]+)?(?:\?(.*))?$/s
/** Parameters that ask for more than the present, and names that would have to be decoded to know. */
const NOT_PLAIN = /asOf|atLeast|(?:^|&)[^=&]*%/
/** A request with a body, or one that waits for something, is not a plain read. */
const MORE = ['content-length', 'transfer-encoding', 'expect', 'upgrade', 'daybook-at-least']

function isRead({ method, url = '', headers }: IncomingMessage, definitions: Definitions): boolean {
  if (method !== 'GET') return false
  const [matched, object = '', query = ''] = PATH.exec(url) ?? []
  if (matched === undefined || NOT_PLAIN.test(query)) return false
  const definition = definitions.get(object)
  if (!definition || definition.internal) return false
  return MORE.every((name) => headers[name] === undefined)
}
