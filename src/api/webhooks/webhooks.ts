/**
 * `/api/v1/webhooks`: subscriptions and what was sent to them (docs/interface.md#webhook-routes, docs/open-facts.md 18 and 19).
 *
 * A write answers when sending knows of it: after it nothing goes to an endpoint that is deleted, or by a secret that is
 * no longer valid.
 */
import { hash } from 'node:crypto'
import { Router, type Request } from 'express'
import type { Caller } from '../../commands/command.ts'
import type { Idempotency, RecordedAnswer } from '../../commands/support/idempotency.ts'
import type { Written } from '../../commands/support/record-appends.ts'
import { keyedLocks } from '../../commands/support/keyed-locks.ts'
import type { WriteRecords } from '../../commands/write-records.ts'
import type { Definitions } from '../../domain/definition.ts'
import { Conflict, Invalid, NotFound } from '../../domain/errors.ts'
import type { Fields } from '../../domain/json.ts'
import { keyOf, uuid7 } from '../../domain/records/key.ts'
import type { RecordState } from '../../domain/records/record.ts'
import type { Sealer } from '../../identity/secrets/sealed-secrets.ts'
import type { Clock } from '../../ports/clock.ts'
import {
  MOST_REPLAYS,
  type DeliveryLog,
  type Message,
  type NewDelivery,
  type Resending,
} from '../../ports/delivery-log.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import { bodyOf, deliveryOf, messageId } from '../../webhooks/messages.ts'
import { PING } from '../../webhooks/event-names.ts'
import { WEBHOOK, webhookDefinition } from '../../webhooks/objects.ts'
import { answers, type Run } from '../records/answers.ts'
import type { Area } from '../area.ts'
import { expectedVersion } from '../http/conditional.ts'
import { VERSIONED_WRITES } from '../http/header-parameters.ts'
import { JSON_LIMIT, jsonBody } from '../http/body/json-body.ts'
import { readBody } from '../../shapes/body.ts'
import { spanOf } from '../../shapes/span.ts'
import { replaySpan } from './bodies.ts'
import { webhooksDescription } from './openapi/paths.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import type { PositionTokens } from '../http/position-tokens.ts'
import { requires } from '../policy.ts'
import { writtenRecord } from '../records/record-answers.ts'
import { success } from '../http/send.ts'
import { webhookAnswer, deliveryAnswer, replayAnswer } from './answers.ts'
import { webhookReads } from './reads.ts'
import { webhookSecrets } from './secrets.ts'
import { readSubscription, type SubscriptionOptions } from './subscription.ts'
import { webhookSight } from './sight.ts'

export interface WebhookRoutes extends Omit<SubscriptionOptions, 'definitions'> {
  /** Of the objects whose events are sent. */
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'head'>
  readonly readModels: ReadModels
  readonly positions: Pick<PositionTokens, 'write'>
  readonly write: WriteRecords
  readonly load: (company: string, key: string) => Promise<RecordState>
  readonly deliveries: DeliveryLog & Resending
  readonly idempotency: Idempotency
  readonly sealer: Sealer
  readonly clock: Clock
  readonly readYourWritesMs: number
}

const MOST_WEBHOOKS = 100

export function webhooksArea(routes: WebhookRoutes): Area {
  const { events, readModels, positions, write, load, deliveries, clock, readYourWritesMs } = routes
  const own = new Map([[WEBHOOK, webhookDefinition]])
  const secrets = webhookSecrets(routes)
  const sight = webhookSight(routes)
  const creating = keyedLocks()
  const reads = webhookReads({ ...routes, sight })

  /** Waits until sending knows of the write, too. */
  const answer = async (
    { company }: Caller,
    status: number,
    written: Written,
    more: Fields = {},
  ): Promise<RecordedAnswer> => {
    const { json, headers } = await writtenRecord(
      { definitions: own, readModels, positions, readYourWritesMs },
      company,
      webhookDefinition,
      written,
    )
    const told = await deliveries.reached(written.position, readYourWritesMs).catch(() => false)
    const body = { ...webhookAnswer(JSON.parse(json) as Fields, undefined), ...more }
    return {
      status,
      headers: {
        ...headers,
        ...(!told && { 'Daybook-Read-Lag': 'true' }),
        ...(status === 201 && { Location: `/api/v1/webhooks/${written.key}` }),
      },
      body: success(JSON.stringify(body)),
    }
  }

  const changeOf = (request: Request) => ({
    definition: webhookDefinition,
    key: keyOfPath(request),
    expected: expectedVersion(request),
  })

  // One after the other in each company, so that all are counted. Other api processes may add one each at the same moment.
  const create = (caller: Caller, request: Request): Promise<RecordedAnswer> =>
    creating.holding([{ key: caller.company, shared: false }], () => createAlone(caller, request))

  const createAlone = async (caller: Caller, request: Request): Promise<RecordedAnswer> => {
    const { fields, secret: given } = await readSubscription(request.body, undefined, routes)
    const { total } = await readModels.list(caller.company, { ...EVERY, limit: 0 })
    if (total >= MOST_WEBHOOKS) throw new Conflict(`A company can have at most ${MOST_WEBHOOKS} webhooks.`)
    const secret = given ?? secrets.generate(caller)
    const body = { ...fields, Secret: secrets.seal(caller.company, secret) }
    const written = await write.create(caller, { definition: webhookDefinition, body })
    return answer(caller, 201, written, secrets.shown(given, secret))
  }

  const patch = async (caller: Caller, request: Request): Promise<RecordedAnswer> => {
    const change = changeOf(request)
    const current = await found(caller, change.key)
    const { fields, secret } = await readSubscription(request.body, current.fields, routes)
    const body: Fields = {
      ...fields,
      // A user who turns it on again has seen why it was off.
      ...(fields['IsActive'] === true && { DisabledReason: null, DisabledAt: null }),
      // A secret that is changed this way is gone at once; rotating keeps it for a day.
      ...(secret !== undefined && {
        Secret: secrets.seal(caller.company, secret),
        PreviousSecret: null,
        PreviousSecretUntil: null,
      }),
    }
    const written = await write.update(caller, { ...change, body, writing: 'replace' })
    return answer(caller, 200, written, secret === undefined ? {} : secrets.shown(secret, secret))
  }

  const remove = async (caller: Caller, request: Request): Promise<RecordedAnswer> => {
    const written = await write.remove(caller, changeOf(request))
    const { headers } = await answer(caller, 200, written)
    return { status: 200, headers, body: success(JSON.stringify({ Id: written.key, IsDeleted: true })) }
  }

  const rotate = async (caller: Caller, request: Request): Promise<RecordedAnswer> => {
    const given = secrets.given(request.body)
    const change = changeOf(request)
    const state = await found(caller, change.key)
    const secret = given ?? secrets.generate(caller)
    const body = secrets.rotated(caller, state, secret)
    const expected = change.expected ?? [state.version]
    const written = await write.update(caller, { ...change, expected, body, writing: 'replace' })
    return answer(caller, 200, written, secrets.shown(given, secret))
  }

  const found = async ({ company }: Caller, key: string): Promise<RecordState> => {
    const state = key.startsWith(`${WEBHOOK}-`) ? await load(company, key) : undefined
    if (state?.status !== 'live') throw new NotFound(`there is no webhook ${key.slice(0, 100)}`)
    return state
  }

  const active = async (caller: Caller, key: string): Promise<RecordState> => {
    const state = await found(caller, key)
    if (state.fields['IsActive'] !== true) throw new Conflict(`${key} is not active: nothing is sent to it`)
    return state
  }

  const send = async (
    { company }: Caller,
    message: Message | undefined,
    delivery: NewDelivery,
  ): Promise<RecordedAnswer> => {
    await deliveries.add(message, delivery)
    const logged = await deliveries.get(company, delivery.endpoint, delivery.id)
    if (!logged) throw new NotFound(`there is no delivery ${delivery.id}`)
    return { status: 202, headers: {}, body: success(JSON.stringify(deliveryAnswer(logged))) }
  }

  const ping = async (caller: Caller, request: Request): Promise<RecordedAnswer> => {
    noBody(request)
    const key = keyOfPath(request)
    const { fields } = await active(caller, key)
    const at = momentOf(caller)
    const data = { Id: key, Url: fields['Url'] ?? null, Events: fields['Events'] ?? null }
    const of = { id: messageId(caller.command), company: caller.company, record: key }
    const message = { ...of, event: PING, position: 0, body: bodyOf(PING, at, data) }
    return send(caller, message, deliveryOf(message, key, at))
  }

  const redeliver: Run = async (caller, request, response) => {
    noBody(request)
    const key = keyOfPath(request)
    await active(caller, key)
    const id = request.params['delivery'] as string
    const delivery = await deliveries.get(caller.company, key, id)
    if (!delivery) throw new NotFound(`there is no delivery ${id.slice(0, 100)}`)
    sight.checkEvent(response, delivery.event)
    const of = { id: delivery.message, company: caller.company }
    return send(caller, undefined, deliveryOf(of, key, momentOf(caller), caller.command))
  }

  const replay = async (caller: Caller, request: Request): Promise<RecordedAnswer> => {
    const key = keyOfPath(request)
    const span = spanOf(readBody(replaySpan, request.body, 'The replay is not valid.'))
    await active(caller, key)
    const now = Date.parse(momentOf(caller))
    const id = keyOf('replay', uuid7(now, hash('sha1', caller.command, 'buffer').subarray(0, 10)))
    const { company } = caller
    const asked = { id, company, endpoint: key, ...span, until: await events.head() }
    if (!(await deliveries.replay(asked)))
      throw new Conflict(`${key} has ${MOST_REPLAYS} replays that are not done; wait until one of them is`)
    const data = replayAnswer({ ...asked, position: 0, done: false })
    const headers = { Location: `/api/v1/webhooks/${key}/replay/${id}` }
    return { status: 202, headers, body: success(JSON.stringify(data)) }
  }

  const momentOf = ({ repeatedFrom }: Caller) => new Date(repeatedFrom ?? clock.now()).toISOString()

  const answering = answers(routes.idempotency, routes.sealer)
  const body = jsonBody(JSON_LIMIT)
  const may = () => requires('administer', 'webhook')
  const router = Router({ caseSensitive: true })
  const all = [
    router.route('/').get(may(), reads.list).post(may(), body, sight.whole, answering(create)),
    router.route('/events').get(may(), reads.catalogue),
    router
      .route('/:key')
      .get(may(), reads.get)
      .patch(may(), body, sight.whole, answering(patch, VERSIONED_WRITES))
      .delete(may(), body, answering(remove, VERSIONED_WRITES)),
    router.route('/:key/ping').post(may(), body, answering(ping)),
    router.route('/:key/rotate-secret').post(may(), body, sight.whole, answering(rotate, VERSIONED_WRITES)),
    router.route('/:key/replay').post(may(), body, sight.whole, answering(replay)),
    router.route('/:key/replay/:replay').get(may(), sight.whole, reads.replay),
    router.route('/:key/deliveries').get(may(), sight.whole, reads.deliveries),
    router.route('/:key/deliveries/:delivery').get(may(), sight.whole, reads.delivery),
    router.route('/:key/deliveries/:delivery/redeliver').post(may(), body, sight.whole, answering(redeliver)),
  ]
  for (const route of all) refuseOthers(route)
  return { segment: 'webhooks', router, openapi: webhooksDescription }
}

const EVERY = { object: WEBHOOK, sort: [], offset: 0, expand: [] }

function keyOfPath(request: Request): string {
  return request.params['key'] as string
}

function noBody({ body }: Request): void {
  const isEmpty =
    body === undefined ||
    (typeof body === 'object' && body !== null && Object.keys(body as object).length === 0)
  if (!isEmpty) throw new Invalid('this route takes no body', [{ Field: '', Message: 'must be empty' }])
}
