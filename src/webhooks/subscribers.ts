/** The endpoints of all companies in memory, found by company: an event that nobody subscribed to costs the same however many there are. */
import type { Company, Position } from '../domain/events/event.ts'
import type { Endpoint } from '../ports/outbox.ts'
import { wants } from './subscriptions.ts'

export interface Subscribers {
  get(company: Company, key: string): Endpoint | undefined
  put(endpoint: Endpoint): void
  delete(company: Company, key: string): void
  /**
   * Those that an event of that name at that position is to be sent to, filters aside. After a crash halfway through a
   * batch an endpoint is further than the events that come again: it has had those.
   */
  of(company: Company, name: string, position: Position): readonly Endpoint[]
  /** Those that would get it were they not held back. */
  heldBack(company: Company, name: string): readonly Endpoint[]
}

export function subscribers(endpoints: readonly Endpoint[]): Subscribers {
  const byCompany = new Map<Company, Map<string, Endpoint>>()
  const put = (endpoint: Endpoint) => {
    const own = byCompany.get(endpoint.company)
    if (own) own.set(endpoint.key, endpoint)
    else byCompany.set(endpoint.company, new Map([[endpoint.key, endpoint]]))
  }
  endpoints.forEach(put)

  const wanting = (company: Company, name: string): Endpoint[] =>
    [...(byCompany.get(company)?.values() ?? [])].filter((endpoint) => wants(endpoint, name))

  return {
    get: (company, key) => byCompany.get(company)?.get(key),
    put,
    delete(company, key) {
      byCompany.get(company)?.delete(key)
    },
    of: (company, name, position) =>
      wanting(company, name).filter(
        (endpoint) =>
          endpoint.heldFrom === undefined && Math.max(endpoint.position, endpoint.since ?? 0) < position,
      ),
    heldBack: (company, name) => wanting(company, name).filter(({ heldFrom }) => heldFrom !== undefined),
  }
}
