/**
 * One process of a story follows the events into what all processes share: the read models, or the outbox. Batches come
 * twice, calls fail before and after their effect, and projections trip over events that they can handle later.
 */
import type { Position } from '../../../src/domain/events/event.ts'
import type { EventBatch, EventStore } from '../../../src/ports/event-store.ts'
import type { ProjectionStore } from '../../../src/ports/projection-store.ts'
import { followEvents, type Follower } from '../../../src/projections/follow.ts'
import type { Projection } from '../../../src/projections/projection.ts'
import type { Chances } from './chances.ts'

/** What befalls a process. */
export interface Fate {
  readonly chances: Chances
  /** Nothing fails any more. */
  readonly isCalm: () => boolean
  /** A call to a store: takes its time, may fail with that probability, never comes back to a process that has died. */
  readonly call: (failure: number) => Promise<void>
  readonly pause: () => Promise<void>
  readonly onParked: () => void
  readonly onTrouble: () => void
}

export interface FollowInStory<O> {
  readonly events: Pick<EventStore, 'subscribe'>
  readonly store: ProjectionStore<O>
  readonly projections: readonly Projection<O>[]
  readonly fate: Fate
}

export interface FollowingInStory {
  /** An operator lets everything that is parked try again. */
  resume(): void
  stop(): Promise<void>
}

export function followInStory<O>({ events, store, projections, fate }: FollowInStory<O>): FollowingInStory {
  const { chances, isCalm, call, pause, onParked, onTrouble } = fate
  const { chance } = chances
  let stopped = false

  /** Now and then what was just delivered is delivered again. */
  const repeating = (after: Position): AsyncIterable<EventBatch> => ({
    [Symbol.asyncIterator]() {
      const batches = events.subscribe(after)[Symbol.asyncIterator]()
      let again: EventBatch | undefined
      return {
        async next() {
          if (again && !isCalm() && chance(0.1)) return { done: false, value: again }
          const next = await batches.next()
          if (!next.done) again = next.value
          return next
        },
        return: async () => (await batches.return?.()) ?? { done: true, value: undefined },
      }
    },
  })

  const started = (async () => {
    for (;;)
      try {
        return await followEvents({
          events: { subscribe: repeating },
          store: {
            ...store,
            async position(projection) {
              await call(0.01)
              return store.position(projection)
            },
            async apply(work, position) {
              await call(0.03)
              await store.apply(work, position)
              await call(0.03)
            },
          },
          projections: projections.map((projection) => ({
            ...projection,
            project(event) {
              if (!isCalm() && chance(0.01)) throw new Error('not understood now')
              return projection.project(event)
            },
          })),
          onStatus: () => {},
          onTrouble: (message) => (message.includes('parked') ? onParked() : onTrouble()),
          pause: () => pause(),
        })
      } catch (error) {
        // The store failed at once: the process tries again, as it does at its start.
        if (stopped) throw error
        await pause()
      }
  })()
  started.catch(() => {})
  let follower: Follower | undefined
  void started.then((one) => (follower = one)).catch(() => {})

  return {
    resume() {
      for (const { name, state } of follower?.status() ?? []) if (state === 'parked') follower!.resume(name)
    },
    async stop() {
      stopped = true
      await follower?.stop()
    },
  }
}
