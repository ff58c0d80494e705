/** The routes of webhooks that only read: subscriptions, the catalogue of events, what was sent. */
import { choiceOf } from '../../shapes/choice-of.ts'
import type { RequestHandler, Request, Response } from 'express'
import type { Definitions } from '../../domain/definition.ts'
import { withoutSecrets } from '../../domain/definition.ts'
import { invalid, NotFound } from '../../domain/errors.ts'
import { noSuchEvent } from '../../domain/events/event-names.ts'
import type { Fields } from '../../domain/json.ts'
import { parsePage } from '../../domain/query/page.ts'
import { DELIVERY_STATES, type DeliveryLog } from '../../ports/delivery-log.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import { eventNames } from '../../webhooks/event-names.ts'
import { WEBHOOK, webhookDefinition } from '../../webhooks/objects.ts'
import { etagOf, matchesNone } from '../http/conditional.ts'
import { readParameters } from '../http/read-parameters.ts'
import { listRequest, noParameters, parametersOf } from '../records/list-query.ts'
import { principalOf } from '../http/request-context.ts'
import { send, sendJson, success } from '../http/send.ts'
import { deliveryAnswer, deliveryDetailAnswer, replayAnswer, webhookAnswer } from './answers.ts'
import type { WebhookSight } from './sight.ts'

export interface WebhookReadsOptions {
  readonly definitions: Definitions
  readonly readModels: ReadModels
  readonly deliveries: DeliveryLog
  readonly sight: Pick<WebhookSight, 'checkEvent' | 'checkDeliveries'>
}

export interface WebhookReads {
  readonly list: RequestHandler
  readonly get: RequestHandler
  readonly catalogue: RequestHandler
  readonly deliveries: RequestHandler
  readonly delivery: RequestHandler
  readonly replay: RequestHandler
}

/** What can be asked for by filter, sort and fields. */
const visible = {
  ...webhookDefinition,
  fields: webhookDefinition.fields.filter(
    ({ name }) => name in withoutSecrets(webhookDefinition, { [name]: '' }),
  ),
}

export function webhookReads(options: WebhookReadsOptions): WebhookReads {
  const { definitions, readModels, deliveries, sight } = options
  const own: Definitions = new Map([[WEBHOOK, visible]])

  const existing = async (request: Request, response: Response) => {
    const key = request.params['key'] as string
    const { company } = principalOf(response)
    const stored = await readModels.get(company, WEBHOOK, key)
    if (!stored) throw new NotFound(`there is no webhook ${key.slice(0, 100)}`)
    return { company, key, stored }
  }

  return {
    async list(request, response) {
      const { query, fields, page, pageSize } = listRequest(request, visible, own)
      const { company } = principalOf(response)
      const { records, total } = await readModels.list(company, query)
      const health = await deliveries.health(
        company,
        records.map(({ key }) => key),
      )
      const data = records.map(({ key, json }) => {
        const whole = webhookAnswer(
          JSON.parse(json) as Fields,
          health.find(({ endpoint }) => endpoint === key),
        )
        return fields ? Object.fromEntries(fields.map((name) => [name, whole[name] ?? null])) : whole
      })
      sendList(response, data, { page, pageSize, total })
    },

    async get(request, response) {
      noParameters(request)
      const { company, key, stored } = await existing(request, response)
      const headers = { ETag: etagOf(stored.version) }
      if (!matchesNone(request.headers['if-none-match'], stored.version)) return send(response, 304, headers)
      const [health] = await deliveries.health(company, [key])
      const data = webhookAnswer(JSON.parse(stored.json) as Fields, health)
      sendJson(response, 200, success(JSON.stringify(data)), headers)
    },

    catalogue: catalogueOf(definitions),

    async deliveries(request, response) {
      const { page, pageSize, state, event, record } = deliveriesAsked(request, definitions)
      const { company, key } = await existing(request, response)
      // What was subscribed to earlier may be more than what is now; totals would reveal how much it is, too.
      await sight.checkDeliveries(response, key)
      const query = { state, event, record, offset: (page - 1) * pageSize, limit: pageSize }
      const { deliveries: found, total } = await deliveries.list(company, key, query)
      for (const { event } of found) sight.checkEvent(response, event)
      sendList(response, found.map(deliveryAnswer), { page, pageSize, total })
    },

    async delivery(request, response) {
      noParameters(request)
      const { company, key } = await existing(request, response)
      const id = request.params['delivery'] as string
      const delivery = await deliveries.get(company, key, id)
      if (!delivery) throw new NotFound(`there is no delivery ${id.slice(0, 100)}`)
      sight.checkEvent(response, delivery.event)
      sendJson(response, 200, success(JSON.stringify(deliveryDetailAnswer(delivery))))
    },

    async replay(request, response) {
      noParameters(request)
      const { company, key } = await existing(request, response)
      const id = request.params['replay'] as string
      const replay = await deliveries.replayed(company, key, id)
      if (!replay) throw new NotFound(`there is no replay ${id.slice(0, 100)}`)
      sendJson(response, 200, success(JSON.stringify(replayAnswer(replay))))
    },
  }
}

/** The parameters of a list of deliveries. @throws Invalid naming every one that is wrong */
function deliveriesAsked(request: Request, definitions: Definitions) {
  const given = parametersOf(request, ['page', 'pageSize', 'state', 'event', 'record'])
  const read = readParameters()
  const page = read(() => parsePage(given.page, given.pageSize))
  const state = read(() =>
    given.state === undefined ? undefined : choiceOf('state', given.state, DELIVERY_STATES),
  )
  const event = read(() => (given.event === undefined ? undefined : eventOf(given.event, definitions)))
  read.done()
  return { ...page!, state, event, record: given.record }
}

/** @throws Invalid for what is not the name of one event */
function eventOf(text: string, definitions: Definitions): string {
  const known = eventNames(definitions).map(({ name }) => name)
  if (known.includes(text)) return text
  const isPattern = text === '*' || text.endsWith('.*')
  throw invalid(
    'event',
    isPattern ? 'must be the name of one event (contract.created)' : noSuchEvent(text, known),
  )
}

function catalogueOf(definitions: Definitions): RequestHandler {
  return (request, response) => {
    const given = parametersOf(request, ['page', 'pageSize'])
    const { page, pageSize } = parsePage(given.page, given.pageSize)
    const all = eventNames(definitions)
    const data = all
      .slice((page - 1) * pageSize, page * pageSize)
      .map(({ name, object }) => ({ Event: name, Object: object ?? null }))
    sendList(response, data, { page, pageSize, total: all.length })
  }
}

function sendList(
  response: Response,
  data: readonly Fields[],
  { page, pageSize, total }: { page: number; pageSize: number; total: number },
): void {
  const pagination = {
    Page: page,
    PageSize: pageSize,
    TotalRecords: total,
    TotalPages: Math.ceil(total / pageSize),
  }
  sendJson(response, 200, JSON.stringify({ Success: true, Data: data, Pagination: pagination }))
}
