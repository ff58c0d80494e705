/** `/api/v1/{object}`: commands in, read models out (docs/interface.md#object-routes). One router serves every object. */
import { Router, type Request, type RequestHandler, type Response } from 'express'
import type { Idempotency, RecordedAnswer } from '../../commands/support/idempotency.ts'
import type { Written } from '../../commands/support/record-appends.ts'
import type { WriteRecords } from '../../commands/write-records.ts'
import type { Definitions, ObjectDefinition } from '../../domain/definition.ts'
import { Unavailable } from '../../domain/errors.ts'
import type { Json } from '../../domain/json.ts'
import type { Action } from '../../rights/access.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import { judgedAnswers } from './answers.ts'
import type { AsOf } from './as-of.ts'
import { BATCH_ROWS, batchRoute } from './batch.ts'
import { expectedVersion } from '../http/conditional.ts'
import { BULK_LIMIT, JSON_LIMIT, jsonBody, jsonRowsBody } from '../http/body/json-body.ts'
import { VERSIONED_WRITES } from '../http/header-parameters.ts'
import { noRecord, objectNamed } from './named-object.ts'
import { chargeRows } from '../http/limits/limited.ts'
import type { PositionTokens } from '../http/position-tokens.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { granted, requires } from '../policy.ts'
import { recordReads } from './record-reads.ts'
import { shownWritten, writtenRecord } from './record-answers.ts'
import { success } from '../http/send.ts'
import { upsert, type Upsert } from './upsert.ts'

export interface RecordRoutes {
  readonly definitions: Definitions
  readonly readModels: ReadModels
  readonly positions: PositionTokens
  readonly write: WriteRecords
  readonly ownerOf: Upsert['ownerOf']
  readonly idempotency: Idempotency
  readonly readYourWritesMs: number
  /** Reads of what was. */
  readonly asOf: AsOf
  /** Undefined when records can be served: read models that are being built would answer that nothing is there. */
  readonly notReady: () => string | undefined
  /** Lets only authenticated requests pass. */
  readonly authenticated: RequestHandler
  /** Whether a path under `/api/v1` belongs to another part of the API. */
  readonly isElsewhere: (url: string) => boolean
  /** Routes below those of records; each with its policy. */
  readonly recordExtras: readonly Router[]
}

export function recordRoutes(routes: RecordRoutes): Router {
  const { definitions, write, idempotency } = routes
  const { isElsewhere, recordExtras, authenticated, notReady } = routes

  const definitionOf = (request: Request, seen = definitions) => objectNamed(seen, request)

  const { get, list } = recordReads(routes)

  const answering = judgedAnswers(idempotency)

  const recordAnswer = async (
    request: Request,
    definition: ObjectDefinition,
    status: number,
    written: Written,
  ): Promise<RecordedAnswer> => {
    const { json, headers } = await shownWritten(routes, request.res as Response, definition, written)
    const location = status === 201 ? { Location: `/api/v1/${definition.object}/${written.key}` } : {}
    const unchanged = written.unchanged ? { changedNothing: true } : {}
    return { status, headers: { ...headers, ...location }, body: success(json), ...unchanged }
  }

  const create = answering(async (caller, request) => {
    const definition = definitionOf(request)
    return recordAnswer(
      request,
      definition,
      201,
      await write.create(caller, { definition, body: request.body as Json }),
    )
  })

  const update = (writing: 'replace' | 'merge') =>
    answering(async (caller, request) => {
      const definition = definitionOf(request)
      const change = { ...changeOf(request, definition), body: request.body as Json, writing }
      return recordAnswer(request, definition, 200, await write.update(caller, change))
    }, VERSIONED_WRITES)

  const remove = answering(async (caller, request) => {
    const definition = definitionOf(request)
    const written = await write.remove(caller, changeOf(request, definition))
    const { headers } = await writtenRecord(routes, caller.company, definition, written)
    return { status: 200, headers, body: success(JSON.stringify({ Id: written.key, IsDeleted: true })) }
  }, VERSIONED_WRITES)

  const restore = answering(async (caller, request) => {
    const definition = definitionOf(request)
    return recordAnswer(request, definition, 200, await write.restore(caller, changeOf(request, definition)))
  }, VERSIONED_WRITES)

  const put = answering(async (caller, request) => {
    const definition = definitionOf(request)
    const creating = granted(request.res as Response, definition.object, 'create')
    const written = await upsert(routes, caller, creating, definition, request)
    return recordAnswer(request, definition, written.created ? 201 : 200, written)
  }, VERSIONED_WRITES)

  const body = jsonBody(JSON_LIMIT)
  const batch = answering(
    batchRoute({
      ...routes,
      definitionOf,
      charge: (request, rows) => chargeRows(request.res as Response, rows),
    }),
  )

  const router = Router({ caseSensitive: true })
  router.use((request, response, next) => {
    if (isElsewhere(request.url)) return next('router')
    const reason = notReady()
    if (reason !== undefined) throw new Unavailable(reason)
    return authenticated(request, response, next)
  })
  const record = router
    .route('/:object/:key')
    .get(may('read'), get)
    .put(may('update'), body, update('replace'))
    .patch(may('update'), body, update('merge'))
    .delete(may('delete'), body, remove)
  refuseOthers(router.route('/:object').get(may('read'), list).post(may('create'), body, create))
  const others = [
    router.route('/:object/batch').post(may('import'), jsonRowsBody(BULK_LIMIT, BATCH_ROWS), batch),
    router.route('/:object/:key/restore').post(may('delete'), body, restore),
    router.route('/:object/by/:field/:value').put(may('create'), may('update'), body, put),
  ]
  for (const extra of recordExtras) router.use(extra)
  router.get('/:object/:key', may('read'), (request) => {
    throw noRecord(definitionOf(request), request.params['key'] as string)
  })
  // The last of all: `/:object/:key` is the path of some of the others, too.
  for (const route of [...others, record]) refuseOthers(route, router.route(route.path))
  return router
}

function changeOf(request: Request, definition: ObjectDefinition) {
  return { definition, key: request.params['key'] as string, expected: expectedVersion(request) }
}

const may = (action: Action) => requires(action, ':object')
