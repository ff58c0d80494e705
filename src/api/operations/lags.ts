/** How far each projection is behind the events: for metrics. */
import { boundedWait } from '../../domain/bounded-wait.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { KnownStatuses } from '../../projections/known-statuses.ts'

const WAIT_MS = 2_000

/**
 * Of every projection that answers; without `lag` while the event store does not. Never rejects.
 */
export async function lagsOf(
  statuses: () => Promise<KnownStatuses>,
  events: Pick<EventStore, 'head'>,
): Promise<readonly { readonly name: string; readonly lag: number | undefined; readonly parked: boolean }[]> {
  const [head, { known }] = await Promise.all([
    boundedWait(WAIT_MS, events.head(), 'no answer').catch(() => undefined),
    statuses(),
  ])
  return known
    .filter(({ failure }) => failure === undefined)
    .map(({ status: { name, position, state } }) => ({
      name,
      lag: head === undefined ? undefined : Math.max(0, head - position),
      parked: state === 'parked',
    }))
}
