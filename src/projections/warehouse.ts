/** The warehouse tables and their histories: every event of a record is one version of it (specification 2.6). */
import type { Definitions } from '../domain/definition.ts'
import type { RecordedEvent } from '../domain/events/event.ts'
import { happeningOf } from '../domain/records/record.ts'
import type { WarehouseOperation } from '../ports/warehouse.ts'
import { subjectOf, type Projection } from './projection.ts'

export const WAREHOUSE = 'warehouse'

export function warehouseProjection(definitions: Definitions): Projection<WarehouseOperation> {
  return { name: WAREHOUSE, needs: [], project: (event) => operationsOf(definitions, event) }
}

function operationsOf(definitions: Definitions, event: RecordedEvent): WarehouseOperation[] {
  const definition = subjectOf(definitions, event)
  if (!definition || definition.internal) return []
  const { stream: key, version, type, data: fields, metadata } = event
  const { company, at, actor } = metadata
  const operation = type.slice(type.indexOf('.') + 1)
  const { object } = definition
  return [{ company, object, key, version, at, actor, operation, happening: happeningOf(type), fields }]
}
