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

  /** A stream's name says nothing of its company. */
  const idOf = (company: Company, key: string) => `${company} ${key}`
  const remember = (id: string, state: RecordState) => {
    known.set(id, state)
    return state
  }

  return {
    pass(event) {
      const id = idOf(event.metadata.company, event.stream)
      const state = known.get(id)
      if (!state || event.version <= state.version) return
      if (event.version === state.version + 1) known.set(id, evolve(state, event))
      else known.delete(id)
    },
    async after(event) {
      const { stream, version, metadata } = event
      const id = idOf(metadata.company, stream)
      const state = known.get(id)
      if (state?.version === version) return state
      if (version === 1) return remember(id, evolve(absent, event))
      const all = await events.read(metadata.company, stream)
      return remember(id, all.filter((one) => one.version <= version).reduce(evolve, absent))
    },
    async at(company, key, position) {
      const id = idOf(company, key)
      const state = known.get(id)
      if (state) return state
      const all = await events.read(company, key)
      return remember(id, all.filter((one) => one.position <= position).reduce(evolve, absent))
    },
    forget: () => known.clear(),
  }
}
