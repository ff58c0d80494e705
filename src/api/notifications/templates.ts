/** `/templates`: what is written when a trigger fires (docs/notifications.md#templates). */
import { Router, type Request, type Response } from 'express'
import type { Caller } from '../../commands/command.ts'
import type { Idempotency, RecordedAnswer } from '../../commands/support/idempotency.ts'
import type { ExpectedVersion } from '../../commands/support/expected-version.ts'
import type { WriteRecords } from '../../commands/write-records.ts'
import type { Definitions } from '../../domain/definition.ts'
import { invalid, NotFound } from '../../domain/errors.ts'
import type { Company } from '../../domain/events/event.ts'
import type { Fields, Json } from '../../domain/json.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import { absent, evolve, type RecordState } from '../../domain/records/record.ts'
import { membersOf } from '../../identity/request-bodies.ts'
import { template as templateObject } from '../../notifications/objects.ts'
import { checkTemplate } from '../../notifications/templates/check-template.ts'
import type { Triggers } from '../../notifications/triggers.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import { ifMatch } from '../http/conditional.ts'
import type { PositionTokens } from '../http/position-tokens.ts'
import { JSON_LIMIT, jsonBody } from '../http/body/json-body.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { principalOf } from '../http/request-context.ts'
import { sendJson, success } from '../http/send.ts'
import { requires } from '../policy.ts'
import { answers } from '../records/answers.ts'
import { listAnswer, writtenRecord } from '../records/record-answers.ts'
import { listRequest, noParameters } from '../records/list-query.ts'

import { fieldsOf, shown, textsOf } from './template-body.ts'

export interface TemplateRoutes {
  readonly definitions: Definitions
  readonly triggers: Triggers
  readonly events: Pick<EventStore, 'read'>
  readonly readModels: ReadModels
  readonly write: WriteRecords
  readonly idempotency: Idempotency
  readonly readYourWritesMs: number
  readonly positions: PositionTokens
}

const may = requires('notify', 'template')
const body = jsonBody(JSON_LIMIT)
const own: Definitions = new Map([[templateObject.object, templateObject]])

export function templateRoutes(routes: TemplateRoutes): Router {
  const router = Router({ caseSensitive: true })
  const stored = storedTemplates(routes)
  addUploads(router, routes, stored)
  addTemplate(router, routes, stored)
  addVersions(router, routes, stored)
  return router
}

type Stored = ReturnType<typeof storedTemplates>

function storedTemplates(routes: TemplateRoutes) {
  const { events, readModels, write } = routes
  return {
    /** The template as it is, or was in that version. @throws NotFound */
    async folded(company: Company, key: string, version?: number) {
      const all = isKeyOf('template', key) ? await events.read(company, key) : []
      const state = all
        .filter((one) => version === undefined || one.version <= version)
        .reduce(evolve, absent)
      if (state.status === 'live' && (version === undefined || state.version === version)) return state
      const which = version === undefined ? '' : ` of version ${version}`
      throw new NotFound(`there is no template ${key.slice(0, 100)}${which}`)
    },
    /** The template of that name and language: a new upload of it is its next version. */
    async sameName(company: Company, { Name, Locale }: Fields): Promise<string | undefined> {
      const all = { object: 'template', sort: [], expand: [], offset: 0, limit: 1_000 }
      const { records } = await readModels.list(company, all)
      return records.find(({ json }) => {
        const one = JSON.parse(json) as Fields
        return one['Name'] === Name && one['Locale'] === Locale
      })?.key
    },
    async store(
      caller: Caller,
      fields: Fields,
      key: string | undefined,
      expected?: ExpectedVersion,
    ): Promise<RecordedAnswer> {
      const { warnings } = checkTemplate(textsOf(fields), fields['Trigger'] as string, routes)
      const definition = templateObject
      const change = { definition, body: { Text: null, ...fields }, writing: 'replace', expected } as const
      const written =
        key === undefined
          ? await write.create(caller, { definition, body: fields })
          : await write.update(caller, { ...change, key })
      const records = { ...routes, definitions: own }
      const { headers } = await writtenRecord(records, caller.company, definition, written)
      const template = shown(written.key, written.state.version, written.state.fields)
      return { status: 200, headers, body: success(JSON.stringify({ template, warnings })) }
    },
  }
}

function addUploads(router: Router, routes: TemplateRoutes, { sameName, store }: Stored): void {
  const { readModels, idempotency, triggers } = routes
  const answering = answers(idempotency)
  refuseOthers(
    router
      .route('/templates')
      .get(may, async (request, response) => {
        const asked = listRequest(request, templateObject, own)
        const page = await readModels.list(principalOf(response).company, asked.query)
        const data = page.records.map(({ key, version, json }) =>
          JSON.stringify(shown(key, version, JSON.parse(json) as Fields)),
        )
        sendJson(response, 200, listAnswer(data, page, asked))
      })
      .post(
        may,
        body,
        answering(async (caller, request) => {
          const fields = fieldsOf(request.body as Json, triggers)
          const key = await sameName(caller.company, fields)
          return { ...(await store(caller, fields, key)), status: 201 }
        }),
      ),
  )
  refuseOthers(
    router.route('/templates/validate').post(may, body, (request: Request, response: Response) => {
      noParameters(request)
      const fields = fieldsOf(request.body as Json, triggers)
      const { tags, warnings } = checkTemplate(textsOf(fields), fields['Trigger'] as string, routes)
      sendJson(response, 200, success(JSON.stringify({ tags, warnings })))
    }),
  )
}

function addTemplate(router: Router, routes: TemplateRoutes, { folded, store }: Stored): void {
  const { write, idempotency, triggers } = routes
  const answering = answers(idempotency)
  refuseOthers(
    router
      .route('/templates/:key')
      .get(may, async (request, response) => {
        noParameters(request)
        const key = keyOfPath(request)
        sendTemplate(response, key, await folded(principalOf(response).company, key))
      })
      .put(
        may,
        body,
        answering(async (caller, request) => {
          const key = keyOfPath(request)
          await folded(caller.company, key)
          return store(caller, fieldsOf(request.body as Json, triggers), key, ifMatch(request))
        }),
      )
      .delete(
        may,
        body,
        answering(async (caller, request) => {
          const key = keyOfPath(request)
          await write.remove(caller, { definition: templateObject, key, expected: ifMatch(request) })
          return { status: 200, headers: {}, body: success(JSON.stringify({ Id: key, IsDeleted: true })) }
        }),
      ),
  )
}

function addVersions(router: Router, { idempotency }: TemplateRoutes, { folded, store }: Stored): void {
  refuseOthers(
    router.route('/templates/:key/versions/:version').get(may, async (request, response) => {
      noParameters(request)
      const key = keyOfPath(request)
      const version = versionIn(request.params['version'])
      sendTemplate(response, key, await folded(principalOf(response).company, key, version))
    }),
  )
  refuseOthers(
    router.route('/templates/:key/revert').post(
      may,
      body,
      answers(idempotency)(async (caller, request) => {
        const key = keyOfPath(request)
        const { version } = membersOf(request.body as Json, ['version'])
        const { fields } = await folded(caller.company, key, versionIn(version))
        return store(caller, fields, key, ifMatch(request))
      }),
    ),
  )
}

const keyOfPath = (request: Request) => request.params['key'] as string

function sendTemplate(response: Response, key: string, { version, fields }: RecordState): void {
  sendJson(response, 200, success(JSON.stringify({ template: shown(key, version, fields) })))
}

function versionIn(value: Json | string[] | undefined): number {
  const version = Number(value)
  if (Number.isSafeInteger(version) && version > 0) return version
  throw invalid('version', 'must be a version, from 1')
}
