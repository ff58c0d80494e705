/**
 * Read models as they stood at a position, through the port for reads of the present: a record is folded from its stream, a list
 * is looked up in what `PastLists` keeps.
 */
import type { Definitions } from '../domain/definition.ts'
import type { Company, Position } from '../domain/events/event.ts'
import { isKeyOf } from '../domain/records/key.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { PastLists } from '../ports/past-lists.ts'
import type { ReadModels } from '../ports/read-models.ts'
import { pastRecords } from './past-records.ts'

export type ReadsRecords = Pick<ReadModels, 'get' | 'list'>

export interface PastReadModelsOf {
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'read'>
  readonly lists: PastLists
}

/** Made for one request of one company; knows no other's records. */
export function pastReadModels(
  { definitions, events, lists }: PastReadModelsOf,
  company: Company,
  position: Position,
): ReadsRecords {
  const past = pastRecords({ definitions, events, company })
  return {
    async get(asking, object, key) {
      const definition = definitions.get(object)
      if (!definition || asking !== company || !isKeyOf(object, key)) return undefined
      const state = await past.stateAt(key, position)
      if (state.status !== 'live') return undefined
      const document = await past.documentOf(definition, key, state, position)
      return { key, version: state.version, json: JSON.stringify(document) }
    },
    async list(asking, query) {
      if (asking !== company || position === 0) return { records: [], total: 0 }
      return lists.list(company, query, position)
    },
  }
}
