/** The journal where it is kept as documents: a copy of every event that has an ordinal, whatever its object. */
import type { RecordedEvent } from '../domain/events/event.ts'
import { hasOrdinals } from '../domain/events/ordinals.ts'
import type { Projection } from './projection.ts'

export const JOURNAL = 'journal'

/** It stops before nothing: an event that cannot be read has its place in it, too. */
export function journalProjection(): Projection<RecordedEvent> {
  return { name: JOURNAL, needs: [], project: (event) => (hasOrdinals(event.stream) ? [event] : []) }
}
