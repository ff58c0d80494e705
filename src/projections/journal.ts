/** The journal where it is kept as documents: a copy of every event that has an ordinal, whatever its object. */
import type { RecordedEvent } from '../domain/events/event.ts'
import { hasOrdinals } from '../domain/events/ordinals.ts'
import type { Projection } from './projection.ts'

export const JOURNAL = 'journal'

export function journalProjection(): Projection<RecordedEvent> {
  return {
    name: JOURNAL,
    needs: [],
    project(event) {
      const { type, stream, version, unreadable } = event
      if (!hasOrdinals(stream)) return []
      if (unreadable !== undefined)
        throw new Error(`${type}, version ${version} of ${stream}, cannot be read: ${unreadable}`)
      return [event]
    },
  }
}
