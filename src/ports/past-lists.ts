/**
 * What as-of lists ask: the read models as they stood at an earlier position. Proven by the property test of
 * `test/adapters/sqlite/past-lists.test.ts`: each answer is that of read models into which nothing later was ever told.
 */
import type { Company, Position } from '../domain/events/event.ts'
import type { ListQuery, Page } from './read-models.ts'

export interface PastLists {
  /**
   * The list as it was when every event up to the position had been told, and none after it.
   * @throws NotYet while what was then is being put together: asking again later goes on where this left off
   * @throws Invalid when the query takes longer than read models allow (2 s), or when more events have to be told again than
   *   the service takes on
   */
  list(company: Company, query: ListQuery, position: Position): Promise<Page>

  close(): Promise<void>
}
