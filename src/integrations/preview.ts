/** What a payload would do if it came now: judged in full, nothing stored. */
import { invalid } from '../domain/errors.ts'
import type { Json } from '../domain/json.ts'
import { applyPayload } from './apply/apply-payload.ts'
import type { ChangeResult } from './apply/results.ts'
import type { Received } from './definition/receive-schema.ts'
import type { Integration } from './integration.ts'
import { resolvedPayload } from './receive/payload.ts'
import type { IntegrationWork } from './work.ts'

export interface Previewed {
  readonly integration: Integration
  readonly entry: Received
  readonly payload: Json
}

/** Nothing where the company is suspended. @throws Invalid for a payload that the entry does not take */
export async function previewPayload(
  work: IntegrationWork,
  { integration, entry, payload }: Previewed,
): Promise<readonly ChangeResult[]> {
  const access = await work.accessOf(integration.company, integration.runAs)
  if (!access) return []
  const resolved = resolvedPayload(entry.body, payload, work.clock.now())
  if (resolved === undefined) throw invalid('Payload', `is not ${entry.body}`)
  const { results } = await applyPayload(work, {
    integration,
    entry,
    access,
    payload: resolved,
    body: Buffer.from(JSON.stringify(payload)),
    cause: undefined,
    dryRun: { taken: new Map() },
  })
  return results
}
