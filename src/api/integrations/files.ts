/** The integrations that can be set up: their files, as far as it concerns who sets one up. */
import type { RequestHandler } from 'express'
import { Invalid } from '../../domain/errors.ts'
import type { Fields } from '../../domain/json.ts'
import { parsePage } from '../../domain/query/page.ts'
import type { IntegrationDefinition } from '../../integrations/definition/integration-schema.ts'
import { isForm } from '../../integrations/receive/is-form.ts'
import { sendJson } from '../http/send.ts'
import { parametersOf } from '../records/list-query.ts'
import { listAnswer } from '../records/record-answers.ts'

export function listFiles(files: ReadonlyMap<string, IntegrationDefinition>): RequestHandler {
  const all = [...files.values()]
    .sort((one, other) => (one.integration < other.integration ? -1 : 1))
    .map((file) => JSON.stringify(fileAnswer(file)))
  return (request, response) => {
    const given = parametersOf(request, ['page', 'pageSize'])
    const { page, pageSize } = parsePage(given.page, given.pageSize)
    const data = all.slice((page - 1) * pageSize, page * pageSize)
    sendJson(response, 200, listAnswer(data, { total: all.length }, { page, pageSize }))
  }
}

function fileAnswer(file: IntegrationDefinition): Fields {
  const named = ({ name, description }: { readonly name: string; readonly description?: string }) => ({
    Name: name,
    Description: description ?? null,
  })
  return {
    Definition: file.integration,
    Scenario: file.scenario,
    Title: file.title,
    Description: file.description,
    BaseUrl: file.baseUrl ?? null,
    Credentials: file.credentials.map((one) => ({ ...named(one), Required: one.required })),
    Settings: file.settings.map((one) => ({ ...named(one), Default: one.default ?? null })),
    Receives: file.receive.map((one) => ({ ...named(one), IsForm: isForm(one) })),
    Polls: file.poll.map((one) => ({ ...named(one), EverySeconds: one.every })),
    Sends: file.send.map(named),
    Scim: file.scim ? { Object: file.scim.users.object, Credential: file.scim.bearer } : null,
  }
}

/** @throws Invalid naming the credentials that it needs and does not have */
export function startFaults({ credentials }: IntegrationDefinition, given: readonly string[]): void {
  const missing = credentials.filter(({ name, required }) => required && !given.includes(name))
  if (missing.length === 0) return
  throw new Invalid(
    'The integration has not all that it needs.',
    missing.map(({ name }) => ({
      Field: `Credentials.${name}`,
      Message: 'is required before it is started',
    })),
  )
}
