/** `/api/v1/import-profiles`: mappings with names, and which of them fit a file (docs/imports.md#profiles). */
import type { RequestHandler } from 'express'
import { columnsOfFile } from '../../../imports/bodies.ts'
import { profileDefinition } from '../../../imports/profiles/objects.ts'
import { readProfile, suggestMappings } from '../../../imports/profiles/profiles.ts'
import { readBody } from '../../../shapes/body.ts'
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

export function profilesArea(routes: KeptRoutes): Area {
  const { definitions, readModels } = routes
  const suggest: RequestHandler = async (request, response) => {
    noParameters(request)
    const asked = readBody(columnsOfFile, request.body, 'What is asked is not valid.')
    const { Object: object, Columns: columns } = asked
    granted(response, object, 'import')
    const seen = seenImports(definitions, response)
    const { company } = principalOf(response)
    const found = await suggestMappings({ definitions, readModels }, company, { object, columns, seen })
    sendJson(response, 200, success(JSON.stringify(found)))
  }
  const router = keptRoutes(routes, {
    definition: profileDefinition,
    segment: SEGMENT,
    read: async (_caller, body) => readProfile(definitions, body),
    add: (own) => {
      refuseOthers(own.route('/suggest').post(needsNoGrant('self'), jsonBody(JSON_LIMIT), suggest))
    },
  })
  return { segment: SEGMENT, router, openapi: profilesDescription }
}
