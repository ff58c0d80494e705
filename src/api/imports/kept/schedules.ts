/** `/api/v1/import-schedules`: files that are picked up in their time (docs/imports.md#schedules). */
import type { Request, Response } from 'express'
import { Invalid } from '../../../domain/errors.ts'
import type { Company } from '../../../domain/events/event.ts'
import type { Fields, Json } from '../../../domain/json.ts'
import { timestampOf } from '../../../domain/fields/dates.ts'
import { findProfile } from '../../../imports/profiles/profiles.ts'
import { nextRun } from '../../../imports/schedules/cron.ts'
import { scheduleDefinition } from '../../../imports/schedules/objects.ts'
import { lookAt, type PickUpOptions } from '../../../imports/schedules/pick-up.ts'
import { nextExpectation, readSchedule } from '../../../imports/schedules/schedule.ts'
import { openLogin, sealLogin, type Sealing } from '../../../imports/schedules/sftp-login.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Area } from '../../area.ts'
import { JSON_LIMIT, jsonBody } from '../../http/body/json-body.ts'
import { refuseOthers } from '../../http/not-allowed.ts'
import { principalOf } from '../../http/request-context.ts'
import { sendJson, success } from '../../http/send.ts'
import { requires } from '../../policy.ts'
import { answers } from '../../records/answers.ts'
import { noParameters } from '../../records/list-query.ts'
import { serviceRecords } from '../../records/service-records.ts'
import { keptRoutes, seenKept, type KeptRoutes } from './kept-routes.ts'
import { schedulesDescription } from './schedules-openapi.ts'

export interface ScheduleRoutes extends KeptRoutes {
  readonly clock: Clock
  readonly sealing: Sealing
  readonly sourceOf: PickUpOptions['sourceOf']
}

const SEGMENT = 'import-schedules'
const PATH = `/api/v1/${SEGMENT}`

export function schedulesArea(routes: ScheduleRoutes): Area {
  const { clock, write, idempotency } = routes
  const may = requires('administer')
  const body = jsonBody(JSON_LIMIT)
  const own = new Map([[scheduleDefinition.object, scheduleDefinition]])
  const records = serviceRecords({ ...routes, definitions: own }, scheduleDefinition)
  const keyOf = (request: Request) => request.params['key'] as string
  const seen = (request: Request, response: Response) =>
    seenKept(routes, scheduleDefinition, request, response)
  const router = keptRoutes(routes, {
    definition: scheduleDefinition,
    segment: SEGMENT,
    may,
    read: ({ company }, sent, before) => scheduleFields(routes, company, sent, before),
  })
  refuseOthers(
    router.route('/:key/run').post(
      may,
      body,
      answers(idempotency)(async (caller, request, response) => {
        await seen(request, response)
        const NextRunAt = timestampOf(clock.now())
        const change = { definition: scheduleDefinition, key: keyOf(request), writing: 'replace' as const }
        const by = { ...caller, grant: undefined, reads: undefined }
        const written = await write.update(by, { ...change, body: { NextRunAt, IsActive: true } })
        return { ...(await records.answer(200, PATH, caller.company, written)), status: 202 }
      }),
    ),
  )
  refuseOthers(
    router.route('/:key/test').post(may, body, async (request: Request, response: Response) => {
      noParameters(request)
      const { fields } = await seen(request, response)
      const found = await lookAt(routes, principalOf(response).company, fields)
      sendJson(response, 200, success(JSON.stringify(found satisfies Json)))
    }),
  )
  return { segment: SEGMENT, router, openapi: schedulesDescription }
}

/** The fields that a body describes; `before`: those of the schedule that it replaces. @throws Invalid */
async function scheduleFields(
  { definitions, clock, sealing, load }: ScheduleRoutes,
  company: Company,
  sent: Json,
  before: Fields | undefined,
): Promise<Fields> {
  const now = clock.now()
  const { schedule, login } = readSchedule(definitions, sent, now)
  const { Profile, Object: object, Source: source } = schedule
  const wrong = (Field: string, Message: string) =>
    new Invalid('The schedule is not valid.', [{ Field, Message }])
  if (Profile !== null)
    await findProfile({ load }, company, Profile, object).catch(() => {
      throw wrong('Profile', `must be the Key of an import profile for ${object}`)
    })
  let Secret: string | null = null
  if (source.Kind === 'sftp') {
    const kept = login ?? openLogin(sealing, company, source, before?.['Secret'])
    if (!kept)
      throw wrong('Source.Password', 'is missing, and so is PrivateKey: another server or user is sent one')
    Secret = sealLogin(sealing, company, source, kept)
  }
  const next = nextRun(schedule, now)
  const expected = nextExpectation(schedule, now)
  const { LastRun = null, LastTakenAt = null, Health = null, OverdueSince = null } = before ?? {}
  return {
    ...(schedule as unknown as Fields),
    Secret,
    NextRunAt: next === undefined ? null : timestampOf(next),
    ExpectAt: expected === undefined ? null : timestampOf(expected),
    OverdueSince: expected === undefined ? null : OverdueSince,
    LastRun,
    LastTakenAt,
    Health,
  }
}
