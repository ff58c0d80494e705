/**
 * `/api/v1/scim/v2/{key}`: a server of SCIM 2.0 (RFC 7643, 7644) for the directory that an integration is set up for
 * (docs/scim.md). Its answers and errors are those of SCIM.
 */
import { Router, type RequestHandler } from 'express'
import { NotFound } from '../../domain/errors.ts'
import { resourceTypes, schemas, serviceProviderConfig } from '../../integrations/scim/discovery.ts'
import type { Area } from '../area.ts'
import type { Log } from '../../ports/log.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { problemHandler } from '../http/problems.ts'
import { needsNoGrant } from '../policy.ts'
import { sendList, sendScim, sendScimProblem } from './answers.ts'
import { scimBody } from './body.ts'
import { admitting, enteredBy } from './door.ts'
import { scimDescription } from './openapi.ts'
import { getUser, listUsers, searchUsers } from './read-users.ts'
import { writeUsers, type WriteUsers } from './write-users.ts'

export interface ScimRoutes extends WriteUsers {
  /** Where clients reach the service. */
  readonly publicUrl: () => string
  readonly log: Log
}

export function scimArea(routes: ScimRoutes): Area {
  const { work, publicUrl, log } = routes
  const open = () => needsNoGrant('open')
  const admit = admitting(work, publicUrl)
  const users = writeUsers(routes)
  const list = listUsers(routes)
  const search = searchUsers(routes)

  const openRouter = Router({ caseSensitive: true })
  const at = (path: string) => openRouter.route(`/v2/:key${path}`)
  const shows = (path: string, handler: RequestHandler) => refuseOthers(at(path).get(open(), admit, handler))

  shows('/ServiceProviderConfig', (_request, response) =>
    sendScim(response, 200, serviceProviderConfig(enteredBy(response).base)),
  )
  const documents = { ResourceTypes: resourceTypes, Schemas: schemas }
  for (const [name, documentsOf] of Object.entries(documents)) {
    shows(`/${name}`, (_request, response) => {
      const { mapping, base } = enteredBy(response)
      sendList(response, documentsOf(mapping, base))
    })
    shows(`/${name}/:id`, (request, response) => {
      const { mapping, base } = enteredBy(response)
      const id = request.params['id'] as string
      const found = documentsOf(mapping, base).find((one) => one['id'] === id)
      if (!found) throw new NotFound(`there is no ${id.slice(0, 100)} among ${name}`)
      sendScim(response, 200, found)
    })
  }
  for (const path of ['/.search', '/Users/.search'])
    refuseOthers(at(path).post(open(), admit, ...scimBody(), search))
  refuseOthers(
    at('/Users')
      .get(open(), admit, list)
      .post(open(), admit, ...scimBody(), users.create),
  )
  refuseOthers(
    at('/Users/:id')
      .get(open(), admit, getUser(routes))
      .put(open(), admit, ...scimBody(), users.replace)
      .patch(open(), admit, ...scimBody(), users.patch)
      .delete(open(), admit, users.remove),
  )
  openRouter.use(open(), (request) => {
    throw new NotFound(`there is no ${request.originalUrl.split('?')[0]!.slice(0, 200)}`)
  })
  // Of the path the log needs the area only.
  openRouter.use(problemHandler(log, () => false, sendScimProblem))
  return { segment: 'scim', openRouter, router: Router(), openapi: scimDescription }
}
