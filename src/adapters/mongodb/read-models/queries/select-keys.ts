/** Sub-selects: what MongoDB is asked first, so that a filter can speak of records further away. */
import { invalid } from '../../../../domain/errors.ts'
import type { Company } from '../../../../domain/events/event.ts'
import type { SelectKeys } from './compile-filter.ts'
import type { Connection } from '../../connection.ts'
import type { TimeLimit } from './time-limit.ts'

/** Keys that one sub-select may give: what still makes a query of a bearable size (1 MB of 16). */
const MOST = 20_000

/** @throws Invalid when more records of an object fulfil a condition than a query can name */
export function selectKeys(connection: Connection, company: Company, time: TimeLimit): SelectKeys {
  return async (object, where) => {
    const found = await connection
      .records(object)
      .find(
        { $and: [{ company: { $eq: company }, live: { $eq: true } }, where] },
        { projection: { _id: 0, key: 1 }, limit: MOST + 1, batchSize: 1_000, ...time.maxTime() },
      )
      .toArray()
    if (found.length > MOST)
      throw invalid('filter', `speaks of more than ${MOST} records of ${object}; narrow that condition`)
    return found.map(({ key }) => key)
  }
}
