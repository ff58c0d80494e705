/** The integration that a path names, and its file. */
import type { Request } from 'express'
import type { Caller } from '../../commands/command.ts'
import { Conflict, NotFound } from '../../domain/errors.ts'
import type { Integration } from '../../integrations/integration.ts'
import { INTEGRATION } from '../../integrations/objects.ts'
import { loadIntegration, type IntegrationWork } from '../../integrations/work.ts'

/** @throws NotFound */
export async function found(work: IntegrationWork, { company }: Pick<Caller, 'company'>, request: Request) {
  const key = request.params['key'] as string
  const integration = key.startsWith(`${INTEGRATION}-`)
    ? await loadIntegration(work, company, key)
    : undefined
  if (!integration) throw new NotFound(`there is no integration ${key.slice(0, 100)}`)
  return integration
}

/** @throws Conflict when its file is not there any more */
export function fileOf({ files }: IntegrationWork, { definition: name }: Integration) {
  const file = files.get(name)
  if (!file) throw new Conflict(`there is no file ${name} of integrations any more`)
  return file
}
