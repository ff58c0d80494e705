/**
 * Records as they were when an event happened, for one who goes through all events in order.
 *
 * What is remembered is kept in step with the events that pass, so most records need not be read again. Every event has to
 * pass, also one that is of no other interest.
 */
import type { Company, Position, RecordedEvent } from '../domain/events/event.ts'
import { recentlyUsed } from '../domain/recently-used.ts'
import { absent, evolve, type RecordState } from '../domain/records/record.ts'
import type { EventStore } from '../ports/event-store.ts'

export interface StatesAsOf {
  /** The event has come by. */
  pass(event: RecordedEvent): void
  /** The state of the event's own record right after it; the event has passed. */
  after(event: RecordedEvent): Promise<RecordState>
  /** The state of any record right after the event at this position, which is the last that has passed. */
  at(company: Company, key: string, position: Position): Promise<RecordState>
  /** Remembers nothing: the events begin again somewhere. */
  forget(): void
}

export function statesAsOf(events: Pick<EventStore, 'read'>, capacity = 20_000): StatesAsOf {
  const known = recentlyUsed<RecordState>(capacity)

  const remember = (key: string, state: RecordState) => {
    known.set(key, state)
    return state
  }

  return {
    pass(event) {
      const state = known.get(event.stream)
      if (!state || event.version <= state.version) return
      if (event.version === state.version + 1) known.set(event.stream, evolve(state, event))
      else known.delete(event.stream)
    },
    async after(event) {
      const { stream, version, metadata } = event
      const state = known.get(stream)
      if (state?.version === version) return state
      if (version === 1) return remember(stream, evolve(absent, event))
      const all = await events.read(metadata.company, stream)
      return remember(stream, all.filter((one) => one.version <= version).reduce(evolve, absent))
    },
    async at(company, key, position) {
      const state = known.get(key)
      if (state) return state
      const all = await events.read(company, key)
      return remember(key, all.filter((one) => one.position <= position).reduce(evolve, absent))
    },
    forget: () => known.clear(),
  }
}
