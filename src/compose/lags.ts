/** How far each projection is behind the events: for metrics. */
import type { EventStore } from '../ports/event-store.ts'
import type { ProjectionControl } from '../ports/projection-control.ts'

/** @throws Unavailable when an engine does not answer */
export async function lagsOf(controls: readonly ProjectionControl[], events: Pick<EventStore, 'head'>) {
  const head = await events.head()
  const statuses = (await Promise.all(controls.map((control) => control.status()))).flat()
  return statuses.map(({ name, position, state }) => ({
    name,
    lag: Math.max(0, head - position),
    parked: state === 'parked',
  }))
}
