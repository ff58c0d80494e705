/** Read model behind every get and list: one document per record, with the display fields of what it looks up. */
import { isListed, listedUnder, withoutSecrets, type Definitions } from '../domain/definition.ts'
import type { RecordedEvent } from '../domain/events/event.ts'
import { unpacked } from '../domain/events/packs.ts'
import { happeningOf } from '../domain/records/record.ts'
import type { Operation } from '../ports/projection-store.ts'
import { subjectOf, type Projection } from './projection.ts'

export function recordsProjection(definitions: Definitions): Projection {
  return {
    name: 'records',
    needs: [],
    project: (event) => unpacked(event).flatMap((one) => recordOperations(definitions, one)),
  }
}

function recordOperations(definitions: Definitions, event: RecordedEvent): Operation[] {
  const definition = subjectOf(definitions, event)
  if (!definition || !isListed(definition)) return []
  const { version, metadata } = event
  const data = withoutSecrets(definition, event.data)
  const on = {
    company: listedUnder(definition, metadata.company),
    object: definition.object,
    key: event.stream,
  }
  switch (happeningOf(event.type)) {
    case 'created':
      return [
        {
          ...on,
          op: 'put',
          version,
          fields: data,
          createdAt: metadata.recordedAt,
          modifiedAt: metadata.recordedAt,
        },
      ]
    case 'deleted':
      return [{ ...on, op: 'remove', version }]
    case 'restored':
      return [{ ...on, op: 'restore', version, modifiedAt: metadata.recordedAt }]
    case 'changed': {
      const merge: Operation = { ...on, op: 'merge', version, fields: data, modifiedAt: metadata.recordedAt }
      return definition.display in data ? [merge, { ...on, op: 'fanOut' }] : [merge]
    }
  }
}
