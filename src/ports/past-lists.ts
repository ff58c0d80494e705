/**
 * What as-of lists ask: the read models as they stood at an earlier position. Proven by the property test of
 * `test/adapters/sqlite/past-lists.test.ts`: each answer equals that of read models that were built up to the position.
 */
import type { Company, Position } from '../domain/events/event.ts'
import type { ListQuery, Page } from './read-models.ts'

export interface PastLists {
  /**
   * The list as of the position: with every event up to it and none after it.
   * @throws NotYet while the past is being read: a later request continues where this one stopped
   * @throws Invalid when the query takes longer than read models allow (2 s), or when more events would have to be read than
   *   the service allows
   */
  list(company: Company, query: ListQuery, position: Position): Promise<Page>

  close(): Promise<void>
}
