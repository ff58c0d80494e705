/** `/api/v1/imports`: how imports stand, and what can be done with them (docs/imports.md). */
import { Router, type RequestHandler } from 'express'
import type { Caller } from '../../commands/command.ts'
import type { Idempotency } from '../../commands/support/idempotency.ts'
import { isObject, type Json } from '../../domain/json.ts'
import { byProfile } from '../../imports/bodies.ts'
import type { Import } from '../../imports/import.ts'
import { readCommitOptions } from '../../imports/imports.ts'
import { readBankChoices } from '../../imports/bank/bank-file.ts'
import { readMapping } from '../../imports/mapping/check-mapping.ts'
import type { Mapping } from '../../imports/mapping/mapping.ts'
import { checkBankProfile, findProfile } from '../../imports/profiles/profiles.ts'
import { actionsOfUndo, readUndoOptions } from '../../imports/undo/begin-undo.ts'
import { readBody } from '../../shapes/body.ts'
import type { Area } from '../area.ts'
import { JSON_LIMIT, jsonBody } from '../http/body/json-body.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { granted, needsNoGrant } from '../policy.ts'
import { answers } from '../records/answers.ts'
import { importsDescription } from './openapi/paths.ts'
import {
  downloadErrors,
  downloadResults,
  getImport,
  importText,
  keyOf,
  listImports,
  listRows,
  previewImport,
  suggestedMappings,
  type ReadRoutes,
} from './reads.ts'
import { seenImport } from './see.ts'

export interface ImportRoutes extends ReadRoutes {
  readonly idempotency: Idempotency
}

/** A mapping, or `{Profile}` for that of a profile. @throws Invalid; NotFound */
async function mappingIn({ definitions, work }: ImportRoutes, whole: Import, sent: Json): Promise<Mapping> {
  const { company, object } = whole
  const profile = isObject(sent) ? sent['Profile'] : undefined
  if (typeof profile !== 'string') return readMapping(definitions.get(object)!, definitions, sent)
  readBody(byProfile, sent, 'The mapping is not valid.')
  return (await findProfile(work, company, profile, object)).mapping
}

/** Does what is asked of an import; what it then is. */
type Do = (caller: Caller, whole: Import, body: Json | undefined) => Promise<Import>

const accepted = async (routes: ImportRoutes, whole: Import) => ({
  status: 202,
  headers: { Location: `/api/v1/imports/${whole.key}` },
  body: await importText(routes, whole),
})

export function importsArea(routes: ImportRoutes): Area {
  const { imports, idempotency } = routes
  const answering = answers(idempotency)
  const doing = (run: Do) =>
    answering(async (caller, request, response) => {
      const seen = await seenImport(imports, response, keyOf(request))
      const whole = await run({ ...caller, grant: undefined }, seen, request.body as Json | undefined)
      return accepted(routes, whole)
    })
  const body = jsonBody(JSON_LIMIT)
  const self = needsNoGrant('self')
  const router = Router({ caseSensitive: true })
  const get = (path: string, handler: RequestHandler) => refuseOthers(router.route(path).get(self, handler))
  const post = (path: string, run: Do) => refuseOthers(router.route(path).post(self, body, doing(run)))

  get('/', listImports(routes))
  get('/:key', getImport(routes))
  get('/:key/preview', previewImport(routes))
  get('/:key/suggestions', suggestedMappings(routes))
  const mapped: Do = async (caller, whole, sent) => {
    if (whole.kind !== 'bank') return imports.map(caller, whole, await mappingIn(routes, whole, sent ?? null))
    const choices = readBankChoices(sent)
    await checkBankProfile(routes.work, whole.company, choices)
    return imports.chooseBank(caller, whole, choices)
  }
  refuseOthers(router.route('/:key/mapping').put(self, body, doing(mapped)))
  post('/:key/check', (caller, whole) => imports.check(caller, whole))
  post('/:key/commit', (caller, whole, sent) => imports.commit(caller, whole, readCommitOptions(sent)))
  post('/:key/cancel', (caller, whole) => imports.cancel(caller, whole))
  post('/:key/retry', (caller, whole) => imports.retry(caller, whole))
  const undone = answering(async (caller, request, response) => {
    const seen = await seenImport(imports, response, keyOf(request))
    for (const action of actionsOfUndo(seen)) granted(response, seen.object, action)
    const options = readUndoOptions(request.body as Json | undefined)
    const whole = await imports.undo({ ...caller, grant: undefined }, seen, options)
    return accepted(routes, whole)
  })
  refuseOthers(router.route('/:key/undo').post(self, body, undone))
  get('/:key/rows', listRows(routes))
  for (const format of ['csv', 'xlsx'] as const) {
    get(`/:key/errors.${format}`, downloadErrors(routes, format))
    get(`/:key/results.${format}`, downloadResults(routes, format))
  }
  return { segment: 'imports', router, openapi: importsDescription }
}
