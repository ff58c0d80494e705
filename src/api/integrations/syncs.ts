/** How far the polls of an integration have come, and its full sync: asked for, and looked at. */
import type { Request, RequestHandler, Router } from 'express'
import type { Caller } from '../../commands/command.ts'
import type { RecordedAnswer } from '../../commands/support/idempotency.ts'
import { Conflict, NotFound } from '../../domain/errors.ts'
import type { Fields } from '../../domain/json.ts'
import { isApplying, type Integration } from '../../integrations/integration.ts'
import { integrationDefinition as definition } from '../../integrations/objects.ts'
import type { Polls } from '../../integrations/poll/polls.ts'
import { loadReached } from '../../integrations/poll/reached.ts'
import type { IntegrationDefinition } from '../../integrations/definition/integration-schema.ts'
import type { IntegrationWork } from '../../integrations/work.ts'
import { loadWatch } from '../../integrations/watch/watch-state.ts'
import { askedFullSync, isOver, loadFullSync, type FullSync } from '../../integrations/sync/full-syncs.ts'
import { timestampOf } from '../../domain/fields/dates.ts'
import { parsePage } from '../../domain/query/page.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { principalOf } from '../http/request-context.ts'
import { sendJson, success } from '../http/send.ts'
import { noParameters, parametersOf } from '../records/list-query.ts'
import { listAnswer } from '../records/record-answers.ts'
import { fileOf, found } from './found.ts'
import type { InboxRoutes } from './inbox.ts'

export interface SyncRoutes extends InboxRoutes {
  readonly times: Polls['times']
}

export function syncRoutes(router: Router, { work, may, body, answering, wake, times }: SyncRoutes): void {
  const polls: RequestHandler = async (request, response) => {
    const given = parametersOf(request, ['page', 'pageSize'])
    const { page, pageSize } = parsePage(given.page, given.pageSize)
    const { company } = principalOf(response)
    const integration = await found(work, { company }, request)
    const file = fileOf(work, integration)
    const { poll } = file
    const shown = poll.slice((page - 1) * pageSize, page * pageSize)
    const data = await Promise.all(
      shown.map(async ({ name, every }) => {
        const reached = await loadReached(work, integration, name)
        const { last, next } = times(integration.key, name)
        const LastRunAt = last === undefined ? (reached.lastRunAt ?? null) : timestampOf(last)
        const due = next ?? (LastRunAt === null ? undefined : Date.parse(LastRunAt) + every * 1_000)
        return JSON.stringify({
          Entry: name,
          EverySeconds: every,
          Checkpoint: reached.checkpoint ?? null,
          LastRunAt,
          NextRunAt: !isApplying(integration) || due === undefined ? null : timestampOf(due),
          NotifiedUntil: await notifiedUntil(work, integration, file, name),
          FailingSince: reached.failedAt ?? null,
          Reason: reached.reason ?? null,
        } satisfies Fields)
      }),
    )
    sendJson(response, 200, listAnswer(data, { total: poll.length }, { page, pageSize }))
  }

  const latest: RequestHandler = async (request, response) => {
    noParameters(request)
    const { company } = principalOf(response)
    const integration = await found(work, { company }, request)
    const sync = await loadFullSync(work, integration)
    const asked = askedOf(integration, sync)
    if (!asked) throw new NotFound('no full sync was asked for yet')
    sendJson(response, 200, success(JSON.stringify(syncAnswer(asked))))
  }

  const ask = answering(async (caller: Caller, request: Request): Promise<RecordedAnswer> => {
    const integration = await found(work, caller, request)
    const { key, version } = integration
    if (!isApplying(integration)) throw new Conflict(`${key} is ${integration.state}: start it first`)
    const before = askedOf(integration, await loadFullSync(work, integration))
    if (before && !isOver(before)) throw new Conflict(`a full sync is under way since ${before.askedAt}`)
    const askedAt = timestampOf(caller.repeatedFrom ?? work.clock.now())
    const body = { SyncAskedAt: askedAt }
    await work.write.update(caller, { definition, key, expected: [version], body, writing: 'replace' })
    wake(key)
    const asked = askedFullSync(undefined, askedAt, false)
    return { status: 202, headers: {}, body: success(JSON.stringify(syncAnswer(asked))) }
  })

  refuseOthers(router.route('/:key/polls').get(may(), polls))
  refuseOthers(
    router
      .route('/:key/sync')
      .get(may(), latest)
      .post(may(), ...body, ask),
  )
}

/** Until when the other system says that there is something to poll; null: it does not. */
async function notifiedUntil(
  work: IntegrationWork,
  integration: Integration,
  { watch, receive }: IntegrationDefinition,
  poll: string,
): Promise<string | null> {
  const entries = receive.filter(({ polls }) => polls === poll).map(({ name }) => name)
  const one = watch.find(({ as }) => entries.includes(as))
  if (!one) return null
  const { externalId, expiresAt } = await loadWatch(work, integration, one.name)
  return externalId === undefined ? null : (expiresAt ?? null)
}

/** What was asked for last, also where it has not begun. */
function askedOf({ syncAskedAt, state }: Integration, sync: FullSync | undefined): FullSync | undefined {
  if (syncAskedAt === undefined || sync?.askedAt === syncAskedAt) return sync
  return askedFullSync(sync, syncAskedAt, state === 'initialising')
}

function syncAnswer({ askedAt, state, isInitial, read, queued, finishedAt, reason }: FullSync): Fields {
  return {
    AskedAt: askedAt,
    State: state,
    IsInitial: isInitial,
    Read: read,
    Queued: queued,
    FinishedAt: finishedAt ?? null,
    Reason: reason ?? null,
  }
}
