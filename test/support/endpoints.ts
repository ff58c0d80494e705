/** Endpoints as the outbox keeps them: active, for every event, unless a test says otherwise. */
import type { Endpoint } from '../../src/ports/outbox.ts'

/** Whose they are. */
export const COMPANY = 'company-a'

export function endpointOf(key: string, more: Partial<Endpoint> = {}): Endpoint {
  return {
    key,
    company: COMPANY,
    position: 0,
    url: `https://${key}.example/`,
    events: ['*'],
    ordered: false,
    active: true,
    secrets: [{ sealed: 'sealed:secret' }],
    ...more,
  }
}
