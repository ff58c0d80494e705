/** A moment in UTC, to the second: `YYYY-MM-DDThh:mm:ssZ`. */
import { utcTimestamp } from '../dates.ts'
import { fault, isText, type TypeRules } from './rules.ts'

export const timestamp: TypeRules = {
  read: (value) =>
    (typeof value === 'string' && utcTimestamp(value)) ||
    fault('must be a timestamp that exists, as YYYY-MM-DDThh:mm:ssZ'),
  holds: isText,
  compares: 'exact',
  takes: 'timestamp',
  indexed: true,
}
