/**
 * `/api/v1/identity/users/{key}/sessions`: where a user is logged in; for administrators, and for the user. A session has events
 * and no row (docs/decisions/identity-bookkeeping.md), so they are found by the user's logins in the journal.
 *
 * When a sliding session was last used is in its cookie only: one that has been left alone is listed for `LISTED_DAYS`.
 */
import { Router, type RequestHandler, type Response } from 'express'
import type { Caller } from '../../commands/command.ts'
import type { Idempotency } from '../../commands/support/idempotency.ts'
import type { RecordStates } from '../../commands/support/record-states.ts'
import type { WriteRecords } from '../../commands/write-records.ts'
import { secondsOf, timestampOf } from '../../domain/fields/dates.ts'
import type { RecordedEvent } from '../../domain/events/event.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import type { RecordState } from '../../domain/records/record.ts'
import { checkGrant } from '../../identity/administrator.ts'
import { epochOf, rolesOf, timeoutOf } from '../../identity/identity-state.ts'
import { session as sessionObject, user as userObject } from '../../identity/objects.ts'
import type { Journal } from '../../ports/journal.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { principalOf } from '../http/request-context.ts'
import { sendJson, success } from '../http/send.ts'
import { granted, needsNoGrant } from '../policy.ts'
import { answers } from '../records/answers.ts'
import { noParameters } from '../records/list-query.ts'
import { noRecord } from '../records/named-object.ts'
import { administratorOf } from './administered.ts'
import { sessionPaths, sessionSchemas } from './openapi/sessions.ts'
import type { IdentityPart } from './part.ts'

export interface SessionRoutes {
  readonly journal: Pick<Journal, 'caughtUp' | 'find'>
  readonly states: Pick<RecordStates, 'load'>
  readonly write: Pick<WriteRecords, 'remove'>
  readonly idempotency: Idempotency
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const LISTED_DAYS = 60
const DAY_MS = 86_400_000
/** Of the last logins of a user as many are looked at. */
const MOST_LOGINS = 500

export function sessionsPart({ journal, states, write, idempotency, now }: SessionRoutes): IdentityPart {
  /** @throws Refusal (403) to others; NotFound */
  const userNamed = async (response: Response, key: string): Promise<RecordState> => {
    const { company, actor } = principalOf(response)
    if (actor !== key) granted(response, '*', 'administer')
    const user = isKeyOf('user', key) ? await states.load(company, key) : undefined
    if (user?.status !== 'live') throw noRecord(userObject, key)
    return user
  }

  /** Whether the session of that login still lets the user in, as far as is known. */
  const isOpenStill = (session: RecordState, user: RecordState, userKey: string) =>
    session.status === 'live' &&
    session.fields['User'] === userKey &&
    session.fields['Epoch'] === epochOf(user.fields)

  const list: RequestHandler = async (request, response) => {
    noParameters(request)
    const key = request.params['key'] as string
    const user = await userNamed(response, key)
    const { company, session: current } = principalOf(response)
    const { fields: firm } = await states.load(company, company)
    const ends = firm['SessionRenewal'] === 'Fixed' ? timeoutOf(firm) * 60_000 : undefined
    await journal.caughtUp()
    const filter = {
      object: sessionObject.object,
      actor: key,
      event: { name: `${sessionObject.object}.created` },
      from: now() - (ends ?? LISTED_DAYS * DAY_MS),
    }
    const logins = await journal.find(company, filter, { descending: true, limit: MOST_LOGINS })
    const shown = await Promise.all(
      logins.map(async ({ stream, metadata }: RecordedEvent) => {
        if (!isOpenStill(await states.load(company, stream), user, key)) return []
        const began = Date.parse(metadata.recordedAt)
        const until = ends === undefined ? null : timestampOf(began + ends)
        return [
          {
            Id: stream,
            CreatedAt: secondsOf(metadata.recordedAt),
            ExpiresAt: until,
            IsCurrent: stream === current,
          },
        ]
      }),
    )
    sendJson(response, 200, success(JSON.stringify(shown.flat())))
  }

  const revoke = answers(idempotency)(async (caller: Caller, request, response) => {
    const [userKey, key] = [request.params['key'] as string, request.params['session'] as string]
    const user = await userNamed(response, userKey)
    if (principalOf(response).actor !== userKey) checkGrant(administratorOf(response), rolesOf(user.fields))
    const session = isKeyOf(sessionObject.object, key) ? await states.load(caller.company, key) : undefined
    const isTheirs = session?.status === 'live' && session.fields['User'] === userKey
    // A repeated request has ended it already.
    if (!isTheirs && caller.repeatedFrom === undefined) throw noRecord(sessionObject, key)
    const { key: Id } = await write.remove(caller, { definition: sessionObject, key })
    return { status: 200, headers: {}, body: success(JSON.stringify({ Id, IsDeleted: true })) }
  })

  const router = Router({ caseSensitive: true })
  const self = needsNoGrant('self')
  refuseOthers(router.route('/users/:key/sessions').get(self, list))
  refuseOthers(router.route('/users/:key/sessions/:session').delete(self, revoke))
  return { router, paths: sessionPaths, schemas: sessionSchemas }
}
