/** A day of the calendar, `YYYY-MM-DD`. */
import { isDate } from '../dates.ts'
import { fault, isText, type TypeRules } from './rules.ts'

export const date: TypeRules = {
  read: (value) =>
    typeof value === 'string' && isDate(value) ? value : fault('must be a date that exists, as YYYY-MM-DD'),
  holds: isText,
  compares: 'exact',
  takes: 'date',
  indexed: true,
}
