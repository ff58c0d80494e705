/** `/messages` and `/triggers`: what was sent and when, and what leads to it. */
import { Router } from 'express'
import type { Idempotency } from '../../commands/support/idempotency.ts'
import type { Definitions } from '../../domain/definition.ts'
import { Conflict, NotFound } from '../../domain/errors.ts'
import type { Company } from '../../domain/events/event.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import { notification } from '../../notifications/objects.ts'
import type { MessageEvents } from '../../notifications/sending/message-events.ts'
import { tagsFor } from '../../notifications/templates/sample.ts'
import type { Triggers } from '../../notifications/triggers.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import type { PositionTokens } from '../http/position-tokens.ts'
import { JSON_LIMIT, jsonBody } from '../http/body/json-body.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { sendJson, success } from '../http/send.ts'
import { principalOf } from '../http/request-context.ts'
import { requires } from '../policy.ts'
import { answers } from '../records/answers.ts'
import { noParameters } from '../records/list-query.ts'
import { serviceRecords } from '../records/service-records.ts'
import { readBody } from '../../shapes/body.ts'
import { settled } from './bodies.ts'
import { storedAnswer } from './stored-answer.ts'

export interface MessageRoutes {
  readonly definitions: Definitions
  /** Of the objects that have records. */
  readonly withRecords: Definitions
  readonly triggers: Triggers
  readonly readModels: ReadModels
  readonly idempotency: Idempotency
  readonly messages: MessageEvents
  readonly readYourWritesMs: number
  readonly positions: PositionTokens
}

/** From these a message can be sent once more. */
const SENDABLE = ['sent', 'failed', 'skipped', 'withheld', 'uncertain', 'bounced']

const may = requires('notify', 'template')
const body = jsonBody(JSON_LIMIT)

export function messageRoutes(routes: MessageRoutes): Router {
  const { triggers } = routes
  const sent = serviceRecords(routes, notification)
  const router = Router({ caseSensitive: true })

  refuseOthers(
    router.route('/triggers').get(may, (request, response) => {
      noParameters(request)
      const data = [...triggers.values()].map(({ trigger, area, object, on, to, category }) => ({
        trigger,
        area,
        object,
        on,
        to,
        category: category ?? null,
        tags: tagsFor({ object }, routes.withRecords),
      }))
      sendJson(response, 200, success(JSON.stringify(data)))
    }),
  )
  refuseOthers(
    router
      .route('/messages')
      .get(may, (request, response) => sent.list(request, response, principalOf(response).company)),
  )
  refuseOthers(
    router
      .route('/messages/:key')
      .get(may, (request, response) => sent.get(request, response, principalOf(response).company)),
  )
  addDecisions(router, routes)
  return router
}

/** What people decide about a message. */
function addDecisions(router: Router, { idempotency, messages }: MessageRoutes): void {
  const answering = answers(idempotency)
  const messageOf = async (company: Company, key: string) => {
    const state = isKeyOf('notification', key) ? await messages.load(company, key) : undefined
    if (state?.status !== 'live') throw new NotFound(`there is no message ${key.slice(0, 100)}`)
    return state
  }
  refuseOthers(
    router.route('/messages/:key/resend').post(
      may,
      body,
      answering(async (caller, request) => {
        const key = request.params['key'] as string
        const { version, fields } = await messageOf(caller.company, key)
        if (!SENDABLE.some((one) => one === fields['State']))
          throw new Conflict(`the message is ${fields['State'] as string}: it is on its way`)
        const at = { company: caller.company, key, version }
        if (!(await messages.add(at, 'notification.due', { State: 'due', Reason: null }, caller)))
          throw new Conflict('the message has changed at this moment; try again')
        return storedAnswer(messages, caller.company, key)
      }),
    ),
  )
  refuseOthers(
    router.route('/messages/:key/settle').post(
      may,
      body,
      answering(async (caller, request) => {
        const key = request.params['key'] as string
        const { as } = readBody(settled, request.body, 'What became of it is not valid.')
        const { version, fields } = await messageOf(caller.company, key)
        if (fields['State'] !== 'uncertain')
          throw new Conflict(
            `the message is ${fields['State'] as string}: only an uncertain one can be settled`,
          )
        const at = { company: caller.company, key, version }
        if (!(await messages.add(at, `notification.${as}`, { State: as, Reason: 'settled by hand' }, caller)))
          throw new Conflict('the message has changed at this moment; try again')
        return storedAnswer(messages, caller.company, key)
      }),
    ),
  )
}
