/** Fetches what a message only names, with the credentials of the integration: what the message itself says is not believed. */
import type { Json } from '../../domain/json.ts'
import type { IntegrationDefinition } from '../definition/integration-schema.ts'
import type { Refetch } from '../definition/receive-schema.ts'
import type { Integration } from '../integration.ts'
import type { Source } from '../mapping/evaluate.ts'
import { valueAt } from '../mapping/path.ts'
import type { Called, Calls } from './call.ts'
import { FOR_PERSON_MS, Later } from './later.ts'
import { fillRequest } from './fill-request.ts'

/** How soon what fails without a person's fault is asked for again, in ms. */
const AWAY_MS = 10_000

/** Undefined: the other system has no such thing. @throws Later; Unmappable for a message that names nothing */
export async function fetchNamed(
  calls: Calls,
  { integration, file }: { readonly integration: Integration; readonly file: IntegrationDefinition },
  { request, item = '$' }: Refetch,
  source: Source,
): Promise<Json | undefined> {
  const called = await calls.call(integration, file, fillRequest(request, source))
  if (called.kind === 'answered' && [400, 404, 410, 422].includes(called.status)) return undefined
  return valueAt(item, goodJson(called))
}

/** The JSON of an answer that is what it should be. @throws Later */
export function goodJson(called: Called): Json {
  if (called.kind === 'held') throw new Later(called.detail, called.ms)
  if (called.kind === 'failed') throw new Later(called.detail, AWAY_MS)
  if (called.kind === 'refused') throw new Later(called.detail, FOR_PERSON_MS, true)
  const { status, json } = called
  if (status === 401 || status === 403)
    throw new Later(`the other system answers ${status}: check the credentials`, FOR_PERSON_MS, true)
  if (status < 200 || status > 299 || json === undefined)
    throw new Later(`the other system answers ${status} and not what was asked for`, AWAY_MS)
  return json
}
