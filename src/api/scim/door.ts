/**
 * Who may come in: a directory with the token of an integration that is running. From then on it is a principal like any other,
 * with the role of the integration.
 */
import type { Request, RequestHandler, Response } from 'express'
import { Busy, NotFound } from '../../domain/errors.ts'
import type { Principal } from '../../identity/principal.ts'
import { openCredentials, validValues } from '../../integrations/credentials.ts'
import { isApplying, isTaking, type Integration } from '../../integrations/integration.ts'
import { scimMapping, type ScimMapping } from '../../integrations/scim/mapping.ts'
import { doubtOf } from '../../integrations/verify/verify.ts'
import { loadIntegration, type IntegrationWork } from '../../integrations/work.ts'
import { chargePrincipal } from '../http/limits/limited.ts'
import { unauthorized } from '../http/problems.ts'

export interface ScimDoor {
  readonly integration: Integration
  readonly mapping: ScimMapping
  /** Address of the server. */
  readonly base: string
}

declare module 'express-serve-static-core' {
  interface Locals {
    /** The integration as which a directory has come in. */
    scim?: ScimDoor
  }
}

/** Undefined before anybody has come in. */
export const doorOf = ({ locals }: Response): ScimDoor | undefined => locals.scim

/** Of a request that has come in. */
export const enteredBy = (response: Response): ScimDoor => response.locals.scim!

export function admitting(work: IntegrationWork, publicUrl: () => string): RequestHandler {
  return async (request, response, next) => {
    const key = request.params['key'] as string
    const company = await work.places.find(key)
    const integration = company === undefined ? undefined : await loadIntegration(work, company, key)
    const file = integration && work.files.get(integration.definition)
    const mapping = file && scimMapping(file, work.definitions)
    if (!integration || !file?.scim || !mapping || !isTaking(integration))
      throw new NotFound('there is no SCIM server here')
    if (!isTokenOf(work, integration, file.scim.bearer, request)) throw unauthorized()
    const access = await work.accessOf(integration.company, integration.runAs)
    if (!access) throw unauthorized()
    const principal: Principal = {
      company: integration.company,
      actor: key,
      person: key,
      name: integration.name,
      companyName: '',
      roles: [integration.runAs],
      access,
    }
    response.locals.principal = principal
    response.locals.scim = { integration, mapping, base: `${publicUrl()}/api/v1/scim/v2/${key}` }
    chargePrincipal(request, response)
    if (!isApplying(integration)) throw new Busy('the integration is paused')
    next()
  }
}

function isTokenOf(
  work: IntegrationWork,
  { company, credentials }: Integration,
  bearer: string,
  { method, originalUrl: url, headers: { authorization } }: Request,
): boolean {
  const now = work.clock.now()
  const opened = openCredentials(work.sealing, company, credentials)
  const secrets = (name: string) => validValues(opened, name, now)
  const inbound = { method, url, headers: { authorization }, body: Buffer.alloc(0) }
  return doubtOf([{ bearer }], { inbound, payload: undefined, secrets, now }) === undefined
}
