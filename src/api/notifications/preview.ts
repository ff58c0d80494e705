/** `/templates/{key}/preview` and `/templates/{key}/test`: a template with a record's values, shown or sent to the caller. */
import { Router, type Request, type Response } from 'express'
import type { Idempotency } from '../../commands/support/idempotency.ts'
import { Conflict } from '../../domain/errors.ts'
import type { Json } from '../../domain/json.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import type { Principal } from '../../identity/principal.ts'
import type { SendTest } from '../../notifications/sending/send-test.ts'
import { JSON_LIMIT, jsonBody } from '../http/body/json-body.ts'
import type { RateLimits } from '../http/limits/rate-limits.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { Refusal } from '../http/problems.ts'
import { principalOf } from '../http/request-context.ts'
import { sendJson, success } from '../http/send.ts'
import { requires } from '../policy.ts'
import { answers } from '../records/answers.ts'
import { noParameters } from '../records/list-query.ts'
import { renderForCaller, type RenderForCaller } from './render-for-caller.ts'

export interface PreviewRoutes extends RenderForCaller {
  readonly idempotency: Idempotency
  readonly sendTest: SendTest
  /** How many tests a person may have sent. */
  readonly testLimits: Pick<RateLimits, 'take'>
}

const may = requires('notify', 'template')
const body = jsonBody(JSON_LIMIT)

export function previewRoutes(routes: PreviewRoutes): Router {
  const router = Router({ caseSensitive: true })
  refuseOthers(
    router.route('/templates/:key/preview').post(may, body, async (request: Request, response: Response) => {
      noParameters(request)
      const { rendered, missing } = await rendering(routes, request, response)
      sendJson(response, 200, success(JSON.stringify({ ...rendered, missing })))
    }),
  )
  refuseOthers(
    router.route('/templates/:key/test').post(
      may,
      body,
      answers(routes.idempotency)(async ({ company }, request, response) => {
        const { rendered, missing, locale } = await rendering(routes, request, response)
        const principal = principalOf(response)
        const to = await ownAddress(routes, principal)
        charge(routes.testLimits, principal.person)
        const messageId = await routes.sendTest({ company, to, rendered, locale })
        // What is answered is recorded: neither the address nor values of the record.
        return { status: 200, headers: {}, body: success(JSON.stringify({ messageId, missing })) }
      }),
    ),
  )
  return router
}

const rendering = (routes: PreviewRoutes, request: Request, response: Response) =>
  renderForCaller(routes, response, request.params['key'] as string, request.body as Json)

/** That of the person who asks, or whose token it is. @throws Conflict */
async function ownAddress({ states }: PreviewRoutes, { company, person, email }: Principal): Promise<string> {
  if (email !== undefined) return email
  const owner = isKeyOf('user', person) ? await states.load(company, person) : undefined
  const address = owner?.status === 'live' ? owner.fields['Email'] : undefined
  if (typeof address === 'string') return address
  throw new Conflict(
    'a test is sent to your own address: this token belongs to no user, so it has none; ask with a token that a user has made, or with one of npm run admin -- new-token <email>',
  )
}

/** @throws Refusal (429) */
function charge(limits: Pick<RateLimits, 'take'>, person: string): void {
  const { waitMs } = limits.take(person)
  if (waitMs === 0) return
  const seconds = Math.ceil(waitMs / 1_000)
  throw new Refusal({
    status: 429,
    code: 'RATE_LIMITED',
    message: `too many tests; try again in ${seconds} s`,
    headers: { 'Retry-After': String(seconds) },
  })
}
