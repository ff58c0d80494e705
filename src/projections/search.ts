/** Full-text index over the searchable fields of every record. Works on the documents of the records projection. */
import { fieldOf, isListed, listedUnder, type Definitions } from '../domain/definition.ts'
import type { RecordedEvent } from '../domain/events/event.ts'
import { unpacked } from '../domain/events/packs.ts'
import { happeningOf } from '../domain/records/record.ts'
import type { Operation } from '../ports/projection-store.ts'
import { subjectOf, type Projection } from './projection.ts'

export function searchProjection(definitions: Definitions): Projection {
  return {
    name: 'search',
    needs: ['records'],
    project: (event) => unpacked(event).flatMap((one) => searchOperations(definitions, one)),
  }
}

function searchOperations(definitions: Definitions, event: RecordedEvent): Operation[] {
  const definition = subjectOf(definitions, event)
  if (!definition || !isListed(definition)) return []
  const changesWords =
    happeningOf(event.type) !== 'changed' ||
    Object.keys(event.data).some((name) => fieldOf(definition, name)?.searchable)
  if (!changesWords) return []
  const company = listedUnder(definition, event.metadata.company)
  return [{ op: 'index', company, object: definition.object, key: event.stream }]
}
