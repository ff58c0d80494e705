/**
 * `/api/v1/integrations`: other systems that records are exchanged with, set up, watched and repaired
 * (docs/integrations.md). Where they send to is `receive.ts`.
 */
import { Router, type Request, type Response } from 'express'
import type { Caller } from '../../commands/command.ts'
import type { Idempotency } from '../../commands/support/idempotency.ts'
import type { Sealer } from '../../identity/secrets/sealed-secrets.ts'
import { INTEGRATION, integrationDefinition } from '../../integrations/objects.ts'
import type { Polls } from '../../integrations/poll/polls.ts'
import type { IntegrationWork } from '../../integrations/work.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import type { Area } from '../area.ts'
import { JSON_LIMIT, jsonBody } from '../http/body/json-body.ts'
import { VERSIONED_WRITES } from '../http/header-parameters.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import type { PositionTokens } from '../http/position-tokens.ts'
import { principalOf } from '../http/request-context.ts'
import { requires } from '../policy.ts'
import { answers } from '../records/answers.ts'
import { serviceRecords } from '../records/service-records.ts'
import { integrationCommands } from './commands.ts'
import { conflictRoutes } from './conflicts.ts'
import { inboxRoutes } from './inbox.ts'
import { syncRoutes } from './syncs.ts'
import { sentRoutes } from './sent.ts'
import { integrationsDescription } from './openapi/paths.ts'
import { listFiles } from './files.ts'

export interface IntegrationRoutes {
  readonly work: IntegrationWork
  readonly readModels: ReadModels
  readonly positions: Pick<PositionTokens, 'write'>
  readonly idempotency: Idempotency
  readonly sealer: Sealer
  readonly readYourWritesMs: number
  /** Names of the roles that the company has. */
  readonly roleNames: (company: string) => Promise<ReadonlySet<string>>
  /** Something of the integration is to be applied. */
  readonly wake: (integration: string) => void
  /** When its polls ran, and when they are due. */
  readonly times: Polls['times']
}

const PATH = '/api/v1/integrations'
const definition = integrationDefinition

export function integrationsArea(routes: IntegrationRoutes): Area {
  const { work, idempotency, sealer, wake } = routes
  const records = serviceRecords({ ...routes, definitions: new Map([[INTEGRATION, definition]]) }, definition)
  const commands = integrationCommands(routes)
  const answering = answers(idempotency, sealer)
  const body = jsonBody(JSON_LIMIT)
  const may = () => requires('administer', INTEGRATION)
  const router = Router({ caseSensitive: true })
  const company = (response: Response) => principalOf(response).company
  const written = (
    run: (caller: Caller, request: Request, response: Response) => ReturnType<typeof commands.patch>,
  ) =>
    answering(async (caller, request, response) => {
      const { key, state, ...rest } = await run(caller, request, response)
      const answer = await records.answer(200, PATH, caller.company, { key, state, ...rest })
      wake(key)
      return answer
    }, VERSIONED_WRITES)

  refuseOthers(router.route('/definitions').get(may(), listFiles(work.files)))
  refuseOthers(
    router
      .route('/')
      .get(may(), (request, response) => records.list(request, response, company(response)))
      .post(
        may(),
        body,
        answering(async (caller, request, response) =>
          records.answer(201, PATH, caller.company, await commands.create(caller, request, response)),
        ),
      ),
  )
  refuseOthers(
    router
      .route('/:key')
      .get(may(), (request, response) => records.get(request, response, company(response)))
      .patch(may(), body, written(commands.patch))
      .delete(
        may(),
        body,
        answering(
          async (caller, request) => records.deleted(caller.company, await commands.remove(caller, request)),
          VERSIONED_WRITES,
        ),
      ),
  )
  const post = (path: string, handler: ReturnType<typeof answering>) =>
    refuseOthers(router.route(path).post(may(), body, handler))
  post('/:key/start', written(commands.moved('running')))
  post('/:key/pause', written(commands.moved('paused')))
  post('/:key/stop', written(commands.moved('off')))
  post('/:key/rotate-secret', written(commands.rotate))
  post('/:key/preview', answering(commands.preview))
  sentRoutes(router, { work, may, body, answering })
  inboxRoutes(router, { work, may, body, answering, wake })
  conflictRoutes(router, { work, may, body, answering })
  syncRoutes(router, { work, may, body, answering, wake, times: routes.times })
  return { segment: 'integrations', router, openapi: integrationsDescription }
}
