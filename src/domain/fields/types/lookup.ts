/** The Key of a record of the `target`; served as `{Id, <display field>}`. */
import { isObject } from '../../json.ts'
import { isKeyOf } from '../../records/key.ts'
import { fault, type TypeRules } from './rules.ts'

export const lookup: TypeRules = {
  read: (value, { target = '' }) =>
    typeof value === 'string' && isKeyOf(target, value)
      ? value
      : fault(`must be the Key of a ${target}, as text: ${target}-…`),
  holds: (value) => typeof (isObject(value) ? value['Id'] : value) === 'string',
  compares: 'exact',
  takes: 'key',
  indexed: true,
}
