/** Routes of what is kept for imports, profiles and schedules: seen and changed by those who may import into its object. */
import { Router, type Request, type RequestHandler, type Response } from 'express'
import type { Caller } from '../../../commands/command.ts'
import type { Idempotency } from '../../../commands/support/idempotency.ts'
import type { WriteRecords } from '../../../commands/write-records.ts'
import { fieldOf, type Definitions, type ObjectDefinition } from '../../../domain/definition.ts'
import { NotFound } from '../../../domain/errors.ts'
import type { Filter } from '../../../domain/filter/ast.ts'
import { allOf } from '../../../domain/filter/combine.ts'
import type { Fields, Json } from '../../../domain/json.ts'
import { isKeyOf } from '../../../domain/records/key.ts'
import type { RecordState } from '../../../domain/records/record.ts'
import type { ReadModels } from '../../../ports/read-models.ts'
import { expectedVersion } from '../../http/conditional.ts'
import { VERSIONED_WRITES } from '../../http/header-parameters.ts'
import { JSON_LIMIT, jsonBody } from '../../http/body/json-body.ts'
import { refuseOthers } from '../../http/not-allowed.ts'
import type { PositionTokens } from '../../http/position-tokens.ts'
import { principalOf } from '../../http/request-context.ts'
import { sendJson } from '../../http/send.ts'
import { granted, needsNoGrant } from '../../policy.ts'
import { answers } from '../../records/answers.ts'
import { listRequest } from '../../records/list-query.ts'
import { listAnswer } from '../../records/record-answers.ts'
import { serviceRecords, shownDefinition } from '../../records/service-records.ts'

export interface KeptRoutes {
  /** Of the objects that are served. */
  readonly definitions: Definitions
  readonly readModels: ReadModels
  readonly positions: Pick<PositionTokens, 'write'>
  readonly write: WriteRecords
  readonly load: (company: string, key: string) => Promise<RecordState>
  readonly idempotency: Idempotency
  readonly readYourWritesMs: number
}

/** What has a field `Object`. */
export interface Kept {
  readonly definition: ObjectDefinition
  /** Below `/api/v1/`. */
  readonly segment: string
  /** What its routes take beside the grant to import into its object. */
  readonly may?: RequestHandler
  /** The fields that a body describes. `before`: those that a PUT replaces. @throws Invalid */
  readonly read: (caller: Caller, body: Json, before: Fields | undefined) => Promise<Fields>
  /** Routes beside these, which come before those of a Key. */
  readonly add?: (router: Router) => void
}

/** @throws NotFound; Refusal (403) without the grant */
export async function seenKept(
  { load }: Pick<KeptRoutes, 'load'>,
  { object, name }: ObjectDefinition,
  request: Request,
  response: Response,
): Promise<RecordState> {
  const key = request.params['key'] as string
  const state = isKeyOf(object, key) ? await load(principalOf(response).company, key) : undefined
  if (state?.status !== 'live') throw new NotFound(`there is no ${name.toLowerCase()} ${key.slice(0, 100)}`)
  granted(response, state.fields['Object'] as string, 'import')
  return state
}

export function keptRoutes(routes: KeptRoutes, { definition, segment, may, read, add }: Kept): Router {
  const { definitions, readModels, write, idempotency } = routes
  const own = new Map([[definition.object, definition]])
  const records = serviceRecords({ ...routes, definitions: own }, definition)
  const shown = shownDefinition(definition)
  const self = may ?? needsNoGrant('self')
  const body = jsonBody(JSON_LIMIT)
  const answering = answers(idempotency)
  const path = `/api/v1/${segment}`
  const router = Router({ caseSensitive: true })
  const ungranted = (caller: Caller) => ({ ...caller, grant: undefined, reads: undefined })

  add?.(router)
  refuseOthers(
    router
      .route('/')
      .get(self, async (request, response) => {
        const asked = listRequest(request, shown, own)
        const filter = allOf([asked.query.filter, seenObjects(definitions, definition, response)])!
        const page = await readModels.list(principalOf(response).company, { ...asked.query, filter })
        const data = page.records.map(({ json }) => withoutSecrets(definition, json))
        sendJson(response, 200, listAnswer(data, page, asked))
      })
      .post(
        self,
        body,
        answering(async (caller, request, response) => {
          const fields = await read(caller, request.body as Json, undefined)
          granted(response, fields['Object'] as string, 'import')
          const written = await write.create(ungranted(caller), { definition, body: fields })
          return records.answer(201, path, caller.company, written)
        }),
      ),
  )
  refuseOthers(
    router
      .route('/:key')
      .get(self, async (request, response) => {
        await seenKept(routes, definition, request, response)
        await records.get(request, response, principalOf(response).company)
      })
      .put(
        self,
        body,
        answering(async (caller, request, response) => {
          const { fields: before } = await seenKept(routes, definition, request, response)
          const fields = await read(caller, request.body as Json, before)
          granted(response, fields['Object'] as string, 'import')
          const key = request.params['key'] as string
          const gone = Object.fromEntries(definition.fields.map(({ name }) => [name, null]))
          const change = { definition, key, expected: expectedVersion(request), writing: 'replace' as const }
          const written = await write.update(ungranted(caller), { ...change, body: { ...gone, ...fields } })
          return records.answer(200, path, caller.company, written)
        }, VERSIONED_WRITES),
      )
      .delete(
        self,
        body,
        answering(async (caller, request, response) => {
          await seenKept(routes, definition, request, response)
          const key = request.params['key'] as string
          const change = { definition, key, expected: expectedVersion(request) }
          return records.deleted(caller.company, await write.remove(ungranted(caller), change))
        }, VERSIONED_WRITES),
      ),
  )
  return router
}

/** Those of objects that the principal may import into. */
function seenObjects(definitions: Definitions, on: ObjectDefinition, response: Response): Filter {
  const { access } = principalOf(response)
  const values = [...definitions.keys()].filter((object) => access.grant(object, 'import'))
  if (values.length === 0) return { op: 'constant', value: false }
  const path = { text: 'Object', hops: [], on, field: fieldOf(on, 'Object')!, kind: 'text' as const }
  return { op: 'in', path, values, negated: false }
}

function withoutSecrets({ internal }: ObjectDefinition, json: string): string {
  const secrets = internal?.secrets ?? []
  if (secrets.length === 0) return json
  const fields = Object.entries(JSON.parse(json) as Fields).filter(([name]) => !secrets.includes(name))
  return JSON.stringify(Object.fromEntries(fields))
}
