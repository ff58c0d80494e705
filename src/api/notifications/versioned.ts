/**
 * Routes of what people write and rewrite: templates and layouts (docs/notifications.md#templates). Who uploads one of the
 * same name stores its next version; each can be looked at, and become the present one again.
 */
import { Router, type Request, type Response } from 'express'
import type { Caller } from '../../commands/command.ts'
import { nameOfActor } from '../../commands/support/actor-names.ts'
import type { Idempotency, RecordedAnswer } from '../../commands/support/idempotency.ts'
import type { ExpectedVersion } from '../../commands/support/expected-version.ts'
import type { RecordStates } from '../../commands/support/record-states.ts'
import type { WriteRecords } from '../../commands/write-records.ts'
import type { Definitions, ObjectDefinition } from '../../domain/definition.ts'
import { invalid, NotFound } from '../../domain/errors.ts'
import type { Company } from '../../domain/events/event.ts'
import { secondsOf } from '../../domain/fields/dates.ts'
import type { Fields, Json } from '../../domain/json.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import { absent, evolve, type RecordState } from '../../domain/records/record.ts'
import { readBody } from '../../shapes/body.ts'
import { reverting } from './bodies.ts'
import { layout, template } from '../../notifications/objects.ts'
import type { Warning } from '../../notifications/templates/check-template.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import { expectedVersion } from '../http/conditional.ts'
import type { PositionTokens } from '../http/position-tokens.ts'
import { JSON_LIMIT, jsonBody } from '../http/body/json-body.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { principalOf } from '../http/request-context.ts'
import { sendJson, success } from '../http/send.ts'
import { requires } from '../policy.ts'
import { answers } from '../records/answers.ts'
import { listAnswer, writtenRecord } from '../records/record-answers.ts'
import { listRequest, noParameters, pageRequest } from '../records/list-query.ts'

export interface VersionedRoutes {
  readonly events: Pick<EventStore, 'read'>
  readonly states: Pick<RecordStates, 'load'>
  readonly readModels: ReadModels
  readonly write: WriteRecords
  readonly idempotency: Idempotency
  readonly readYourWritesMs: number
  readonly positions: PositionTokens
}

/** What is written: a template, or a layout. */
export interface Versioned {
  readonly definition: ObjectDefinition
  readonly path: '/templates' | '/layouts'
  /** The fields of a body. @throws Invalid */
  fieldsOf(body: Json, company: Company): Promise<Fields>
  /** What else a check answers, and what is doubtful. @throws Invalid */
  check(fields: Fields): { readonly warnings: readonly Warning[]; readonly tags?: readonly string[] }
  /** As answers have it. */
  shown(key: string, version: number, fields: Fields): Fields
  /** Whether an upload is the next version of this one. */
  isSame(fields: Fields, stored: Fields): boolean
}

const may = requires('notify', 'template')
const body = jsonBody(JSON_LIMIT)
/** Objects of which one may look up the other. */
const own: Definitions = new Map([template, layout].map((one) => [one.object, one]))

export function versionedRoutes(routes: VersionedRoutes, what: Versioned): Router {
  const router = Router({ caseSensitive: true })
  const stored = storedOf(routes, what)
  addUploads(router, routes, what, stored)
  addOne(router, routes, what, stored)
  addVersions(router, routes, what, stored)
  return router
}

type Stored = ReturnType<typeof storedOf>

function storedOf(routes: VersionedRoutes, { definition, check, shown, isSame }: Versioned) {
  const { events, readModels, write } = routes
  const { object } = definition
  const eventsOf = async (company: Company, key: string) => {
    const all = isKeyOf(object, key) ? await events.read(company, key) : []
    if (all.length === 0) throw new NotFound(`there is no ${object} ${key.slice(0, 100)}`)
    return all
  }
  return {
    eventsOf,
    /** It as it is, or was in that version. @throws NotFound */
    async folded(company: Company, key: string, version?: number) {
      const state = (await eventsOf(company, key))
        .filter((one) => version === undefined || one.version <= version)
        .reduce(evolve, absent)
      if (state.status === 'live' && (version === undefined || state.version === version)) return state
      const which = version === undefined ? '' : ` of version ${version}`
      throw new NotFound(`there is no ${object} ${key.slice(0, 100)}${which}`)
    },
    /** The one that an upload is the next version of. */
    async sameAs(company: Company, fields: Fields): Promise<string | undefined> {
      const { records } = await readModels.list(company, {
        object,
        sort: [],
        expand: [],
        offset: 0,
        limit: 1_000,
      })
      return records.find(({ json }) => isSame(fields, JSON.parse(json) as Fields))?.key
    },
    async store(
      caller: Caller,
      fields: Fields,
      key: string | undefined,
      expected?: ExpectedVersion,
    ): Promise<RecordedAnswer> {
      const { warnings } = check(fields)
      const unset = Object.fromEntries(definition.fields.map(({ name }) => [name, null]))
      const change = { definition, body: { ...unset, ...fields }, writing: 'replace', expected } as const
      const written =
        key === undefined
          ? await write.create(caller, { definition, body: fields })
          : await write.update(caller, { ...change, key })
      const { headers } = await writtenRecord(
        { ...routes, definitions: own },
        caller.company,
        definition,
        written,
      )
      const { version, fields: now } = written.state
      const data = { [object]: shown(written.key, version, now), warnings }
      return { status: 200, headers, body: success(JSON.stringify(data)) }
    },
  }
}

function addUploads(
  router: Router,
  { readModels, idempotency }: VersionedRoutes,
  { definition, path, fieldsOf, check, shown }: Versioned,
  { sameAs, store }: Stored,
): void {
  refuseOthers(
    router
      .route(path)
      .get(may, async (request, response) => {
        const asked = listRequest(request, definition, own)
        const page = await readModels.list(principalOf(response).company, asked.query)
        const data = page.records.map(({ key, version, json }) =>
          JSON.stringify(only(asked.fields, shown(key, version, JSON.parse(json) as Fields))),
        )
        sendJson(response, 200, listAnswer(data, page, asked))
      })
      .post(
        may,
        body,
        answers(idempotency)(async (caller, request) => {
          const fields = await fieldsOf(request.body as Json, caller.company)
          const key = await sameAs(caller.company, fields)
          return { ...(await store(caller, fields, key)), status: 201 }
        }),
      ),
  )
  refuseOthers(
    router.route(`${path}/validate`).post(may, body, async (request: Request, response: Response) => {
      noParameters(request)
      const checked = check(await fieldsOf(request.body as Json, principalOf(response).company))
      sendJson(response, 200, success(JSON.stringify(checked)))
    }),
  )
}

/** The members that stand for the fields asked for; `Id` always. */
function only(fields: readonly string[] | undefined, shown: Fields): Fields {
  if (!fields) return shown
  const names = ['id', ...fields.map((name) => name.toLowerCase())]
  return Object.fromEntries(Object.entries(shown).filter(([name]) => names.includes(name.toLowerCase())))
}

function addOne(
  router: Router,
  { write, idempotency }: VersionedRoutes,
  { definition, path, fieldsOf, shown }: Versioned,
  { folded, store }: Stored,
): void {
  const answering = answers(idempotency)
  refuseOthers(
    router
      .route(`${path}/:key`)
      .get(may, async (request, response) => {
        noParameters(request)
        const key = keyOfPath(request)
        sendOne(response, definition, shown, key, await folded(principalOf(response).company, key))
      })
      .put(
        may,
        body,
        answering(async (caller, request) => {
          const key = keyOfPath(request)
          await folded(caller.company, key)
          return store(
            caller,
            await fieldsOf(request.body as Json, caller.company),
            key,
            expectedVersion(request),
          )
        }),
      )
      .delete(
        may,
        body,
        answering(async (caller, request) => {
          const key = keyOfPath(request)
          await write.remove(caller, { definition, key, expected: expectedVersion(request) })
          return { status: 200, headers: {}, body: success(JSON.stringify({ Id: key, IsDeleted: true })) }
        }),
      ),
  )
}

function addVersions(
  router: Router,
  { idempotency, states }: VersionedRoutes,
  { definition, path, shown }: Versioned,
  { eventsOf, folded, store }: Stored,
): void {
  refuseOthers(
    router.route(`${path}/:key/versions`).get(may, async (request, response) => {
      const { page, pageSize } = pageRequest(request)
      const { company } = principalOf(response)
      const all = (await eventsOf(company, keyOfPath(request))).toReversed()
      const some = all.slice((page - 1) * pageSize, page * pageSize)
      const data = some.map(async ({ version, metadata, data }) =>
        JSON.stringify({
          version,
          at: secondsOf(metadata.recordedAt),
          by: await nameOfActor(states, company, metadata.actor),
          changed: Object.keys(data).map((name) => name.toLowerCase()),
        }),
      )
      sendJson(response, 200, listAnswer(await Promise.all(data), { total: all.length }, { page, pageSize }))
    }),
  )
  refuseOthers(
    router.route(`${path}/:key/versions/:version`).get(may, async (request, response) => {
      noParameters(request)
      const key = keyOfPath(request)
      const version = versionIn(request.params['version'])
      sendOne(response, definition, shown, key, await folded(principalOf(response).company, key, version))
    }),
  )
  refuseOthers(
    router.route(`${path}/:key/revert`).post(
      may,
      body,
      answers(idempotency)(async (caller, request) => {
        const key = keyOfPath(request)
        const { version } = readBody(reverting, request.body, 'The version is not valid.')
        const { fields } = await folded(caller.company, key, version)
        return store(caller, fields, key, expectedVersion(request))
      }),
    ),
  )
}

const keyOfPath = (request: Request) => request.params['key'] as string

function sendOne(
  response: Response,
  { object }: ObjectDefinition,
  shown: Versioned['shown'],
  key: string,
  { version, fields }: RecordState,
): void {
  sendJson(response, 200, success(JSON.stringify({ [object]: shown(key, version, fields) })))
}

function versionIn(value: string | string[] | undefined): number {
  const version = Number(value)
  if (Number.isSafeInteger(version) && version > 0) return version
  throw invalid('version', 'must be a version, from 1')
}
