/**
 * Rebuilds a read model beside the one that is served, by following the events from the first, and puts it in its place
 * once it has come as far.
 */
import type { EventStore } from '../ports/event-store.ts'
import type { Position } from '../domain/events/event.ts'
import type { ProjectionStore } from '../ports/projection-store.ts'
import { followEvents, type Follower } from './follow.ts'
import type { Projection } from './projection.ts'

export interface Beside<O> {
  readonly store: ProjectionStore<O>
  /** Puts what was built in place of what is served; false when that has come further by now. */
  swap(signal: AbortSignal): boolean | Promise<boolean>
  /** Removes what was built, if it was not put in place. */
  discard(): void | Promise<void>
}

export interface BuildBesideOptions<O> {
  readonly events: Pick<EventStore, 'subscribe'>
  readonly projection: Projection<O>
  readonly beside: Beside<O>
  /** How far what is served has come. */
  readonly served: () => Position
  readonly onProgress: (position: Position) => void
  readonly onTrouble: (message: string, error: unknown) => void
  readonly signal: AbortSignal
}

/** @throws Error, with what is served as it was, for an event that cannot be applied, and when it is aborted */
export async function buildBeside<O>({
  events,
  projection,
  beside,
  served,
  onProgress,
  onTrouble,
  signal,
}: BuildBesideOptions<O>): Promise<void> {
  const position = (of: Follower) => of.status()[0]?.position ?? 0
  try {
    for (;;) {
      let settle = () => {}
      const arrived = new Promise<void>((resolve) => (settle = resolve))
      signal.addEventListener('abort', settle)
      if (signal.aborted) settle()
      const builder = await followEvents({
        events,
        store: beside.store,
        projections: [projection],
        onStatus: ([built]) => {
          onProgress(built!.position)
          if (built!.error || built!.position >= served()) settle()
        },
        onTrouble,
      })
      await arrived
      await builder.stop()
      signal.removeEventListener('abort', settle)
      const error = builder.status()[0]?.error
      if (error) throw new Error(`position ${error.position}: ${error.message}`)
      if (signal.aborted) throw new Error('the service is closing')
      // What is served may have got ahead in between: once more then.
      if (position(builder) >= served() && (await beside.swap(signal))) return
    }
  } finally {
    await beside.discard()
  }
}
