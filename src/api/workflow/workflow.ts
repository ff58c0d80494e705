/** `/api/v1/{object}/{key}/workflow`: actions, who may take them now, and how the record got where it is (docs/interface.md#workflow-routes). */
import { Router, type RequestHandler } from 'express'
import type { Idempotency } from '../../commands/support/idempotency.ts'
import type { RecordStates } from '../../commands/support/record-states.ts'
import { judgeOf } from '../../rights/judge-record.ts'
import { stateChanges, type StateChange } from '../../commands/support/state-changes.ts'
import type { WriteRecords } from '../../commands/write-records.ts'
import { secondsOf } from '../../domain/fields/dates.ts'
import type { Definitions, ObjectDefinition } from '../../domain/definition.ts'
import { NotFound } from '../../domain/errors.ts'
import type { Company } from '../../domain/events/event.ts'
import { shows, sightOf } from '../../domain/grant.ts'
import type { Json } from '../../domain/json.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import { absent } from '../../domain/records/record.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import type { ActorName } from '../records/actors.ts'
import { judgedAnswers } from '../records/answers.ts'
import { etagOf, expectedVersion } from '../http/conditional.ts'
import { JSON_LIMIT, jsonBody } from '../http/body/json-body.ts'
import { VERSIONED_WRITES } from '../http/header-parameters.ts'
import { noParameters } from '../records/list-query.ts'
import { noRecord, objectNamed } from '../records/named-object.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import type { PositionTokens } from '../http/position-tokens.ts'
import { requires } from '../policy.ts'
import { shownWritten } from '../records/record-answers.ts'
import { principalOf, readReason } from '../http/request-context.ts'
import { sendJson, success } from '../http/send.ts'
import { readBody } from '../../shapes/body.ts'
import { offersOf, stateOf } from './offers.ts'
import { actionBody } from './openapi.ts'

export interface WorkflowRoutes {
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'read'>
  readonly states: Pick<RecordStates, 'load'>
  readonly readModels: ReadModels
  readonly positions: Pick<PositionTokens, 'write'>
  readonly write: Pick<WriteRecords, 'act'>
  readonly idempotency: Idempotency
  readonly readYourWritesMs: number
  readonly actorName: ActorName
}

/** Changes of state that are listed; earlier ones are in the record's history. */
const MOST_CHANGES = 100

export function workflowRoutes(routes: WorkflowRoutes): Router {
  const { definitions, events, states, write, idempotency, actorName } = routes

  const act = judgedAnswers(idempotency)(async (caller, request, response) => {
    const definition = withWorkflow(objectNamed(definitions, request))
    const { roles } = principalOf(response)
    const { key, action } = request.params as { key: string; action: string }
    const expected = expectedVersion(request)
    const comment = readComment(request.body as Json | undefined)
    const written = await write.act(caller, { definition, key, expected, action, roles, comment })
    const { json, headers } = await shownWritten(routes, response, definition, written)
    return { status: 200, headers, body: success(json) }
  }, VERSIONED_WRITES)

  const show: RequestHandler = async (request, response) => {
    noParameters(request)
    const definition = withWorkflow(objectNamed(definitions, request))
    const key = request.params['key'] as string
    const { company, access } = principalOf(response)
    const state = isKeyOf(definition.object, key) ? await states.load(company, key) : absent
    const grant = access.grant(definition.object, 'read')
    const reach = await judgeOf(routes, { company, definition, key, state }).grantOn(grant)
    if (state.status !== 'live' || !reach) throw noRecord(definition, key)
    if (!shows(sightOf(reach), definition.workflow?.field ?? '')) throw noWorkflow(definition)
    const changes = stateChanges(definition, await events.read(company, key))
    const Data = {
      State: stateOf(definition, state),
      ...(await offersOf(routes, principalOf(response), { definition, key, state })),
      History: await Promise.all(changes.slice(-MOST_CHANGES).map((change) => shown(company, change))),
    }
    sendJson(response, 200, success(JSON.stringify(Data)), { ETag: etagOf(state.version) })
  }

  const shown = async (company: Company, { action, event, from, to, at, actor, comment }: StateChange) => ({
    Action: action ?? null,
    Event: event,
    From: from,
    To: to,
    At: secondsOf(at),
    By: await actorName(company, actor),
    Comment: comment ?? null,
  })

  const router = Router({ caseSensitive: true })
  refuseOthers(router.route('/:object/:key/workflow').get(requires('read', ':object'), show))
  refuseOthers(
    router
      .route('/:object/:key/workflow/:action')
      .post(requires('workflow::action', ':object'), jsonBody(JSON_LIMIT), act),
  )
  return router
}

function withWorkflow(definition: ObjectDefinition): ObjectDefinition {
  if (definition.workflow) return definition
  throw noWorkflow(definition)
}

function noWorkflow({ object }: ObjectDefinition): NotFound {
  return new NotFound(`${object} has no workflow`)
}

/** What is kept as the reason of the change. @throws Invalid */
function readComment(body: Json = {}): string | undefined {
  const { Comment = null } = readBody(actionBody, body, 'The comment is not valid.')
  return Comment === null ? undefined : readReason('Comment', Comment)
}
