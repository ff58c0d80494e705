/** A subscription, folded from its events: which endpoint sending has to know. */
import type { Company, Position } from '../domain/events/event.ts'
import type { RecordState } from '../domain/records/record.ts'
import type { Endpoint } from '../ports/outbox.ts'
import { covers } from './event-names.ts'

/** Undefined when the subscription is deleted. */
export function endpointOf(
  company: Company,
  key: string,
  position: Position,
  { status, fields }: RecordState,
): Endpoint | undefined {
  if (status !== 'live') return undefined
  const { Url, Events, Filter, Ordered, IsActive, Secret, PreviousSecret, PreviousSecretUntil } = fields
  const secrets = [{ sealed: Secret as string }]
  return {
    key,
    company,
    position,
    url: Url as string,
    events: Events as readonly string[],
    ...(typeof Filter === 'string' && { filter: Filter }),
    ordered: Ordered === true,
    active: IsActive === true,
    secrets:
      typeof PreviousSecret === 'string' && typeof PreviousSecretUntil === 'string'
        ? [...secrets, { sealed: PreviousSecret, until: PreviousSecretUntil }]
        : secrets,
  }
}

/** Whether an event of that name is to be sent there, its filter aside. */
export function wants({ active, events }: Endpoint, name: string): boolean {
  return active && events.some((pattern) => covers(pattern, name))
}

/** The sealed secrets that are valid at that time (ms since 1970), newest first. */
export function validSecrets({ secrets }: Endpoint, now: number): readonly string[] {
  return secrets
    .filter(({ until }) => until === undefined || now < Date.parse(until))
    .map(({ sealed }) => sealed)
}
