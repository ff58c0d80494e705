/** The warehouse tables and their histories: every event of a record is one version of it. */
import type { Definitions } from '../domain/definition.ts'
import type { RecordedEvent } from '../domain/events/event.ts'
import { hasOrdinals } from '../domain/events/ordinals.ts'
import { unpacked } from '../domain/events/packs.ts'
import { shownActorName } from '../domain/records/actor-name.ts'
import { happeningOf } from '../domain/records/record.ts'
import type { WarehouseOperation } from '../domain/warehouse/operation.ts'
import { subjectOf, type Projection } from './projection.ts'

export const WAREHOUSE = 'warehouse'
/** The current rows in MongoDB: a projection of its own. */
export const WAREHOUSE_MONGODB = 'warehouse-mongodb'

export function warehouseProjection(
  definitions: Definitions,
  name: typeof WAREHOUSE | typeof WAREHOUSE_MONGODB = WAREHOUSE,
): Projection<WarehouseOperation> {
  return {
    name,
    needs: [],
    project: (event) => unpacked(event).flatMap((one) => operationsOf(definitions, one)),
  }
}

function operationsOf(definitions: Definitions, event: RecordedEvent): WarehouseOperation[] {
  const { stream: key, version, type, data: fields, reason, metadata } = event
  const { company, recordedAt: at, actor } = metadata
  if (!hasOrdinals(key)) return []
  const definition = subjectOf(definitions, event)
  if (!definition || definition.internal) return [namedIn(event, definition?.object)]
  const operation = type.slice(type.indexOf('.') + 1)
  const { object } = definition
  const happening = happeningOf(type)
  return [{ company, object, key, version, at, actor, operation, happening, reason, fields }]
}

const ACTORS: ReadonlySet<string | undefined> = new Set(['user', 'token', 'integration'])

/** What an event of the service's own objects means for histories: at most that an actor has a name. */
function namedIn(
  { stream, type, data, metadata }: RecordedEvent,
  object: string | undefined,
): WarehouseOperation {
  const { company } = metadata
  if (!ACTORS.has(object) || !('Name' in data)) return { company, happening: 'counted' }
  const name = shownActorName(stream, data['Name'])
  return { company, happening: 'named', actor: stream, name, isNew: happeningOf(type) === 'created' }
}
