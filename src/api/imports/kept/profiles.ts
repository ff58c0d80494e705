/** `/api/v1/import-profiles`: mappings with names, and which of them fit a file (docs/imports.md#profiles). */
import type { RequestHandler } from 'express'
import type { Json } from '../../../domain/json.ts'
import { invalid } from '../../../domain/errors.ts'
import { membersOf } from '../../../identity/request-bodies.ts'
import { profileDefinition } from '../../../imports/profiles/objects.ts'
import { PROFILE_MEMBERS, readProfile, suggestMappings } from '../../../imports/profiles/profiles.ts'
import type { Area } from '../../area.ts'
import { JSON_LIMIT, jsonBody } from '../../http/body/json-body.ts'
import { refuseOthers } from '../../http/not-allowed.ts'
import { principalOf } from '../../http/request-context.ts'
import { sendJson, success } from '../../http/send.ts'
import { granted, needsNoGrant } from '../../policy.ts'
import { noParameters } from '../../records/list-query.ts'
import { seenImports } from '../see.ts'
import { keptRoutes, type KeptRoutes } from './kept-routes.ts'
import { profilesDescription } from './openapi.ts'

const SEGMENT = 'import-profiles'
const MOST_COLUMNS = 500

export function profilesArea(routes: KeptRoutes): Area {
  const { definitions, readModels } = routes
  const suggest: RequestHandler = async (request, response) => {
    noParameters(request)
    const { object, columns } = readSuggest(request.body as Json)
    granted(response, object, 'import')
    const seen = seenImports(definitions, response)
    const { company } = principalOf(response)
    const found = await suggestMappings({ definitions, readModels }, company, { object, columns, seen })
    sendJson(response, 200, success(JSON.stringify(found)))
  }
  const router = keptRoutes(routes, {
    definition: profileDefinition,
    segment: SEGMENT,
    read: async (_caller, body) => readProfile(definitions, membersOf(body, PROFILE_MEMBERS)),
    add: (own) => {
      refuseOthers(own.route('/suggest').post(needsNoGrant('self'), jsonBody(JSON_LIMIT), suggest))
    },
  })
  return { segment: SEGMENT, router, openapi: profilesDescription }
}

/** @throws Invalid */
function readSuggest(body: Json): { readonly object: string; readonly columns: readonly string[] } {
  const { Object: object = null, Columns: columns = null } = membersOf(body, ['Object', 'Columns'])
  if (typeof object !== 'string') throw invalid('Object', 'must be the name of an object, such as contract')
  const isList = Array.isArray(columns) && columns.every((column) => typeof column === 'string')
  if (!isList || columns.length > MOST_COLUMNS)
    throw invalid('Columns', `must be an array of at most ${MOST_COLUMNS} names`)
  return { object, columns: columns }
}
