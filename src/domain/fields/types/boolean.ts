/** True or false; no other value stands for them. */
import { fault, type TypeRules } from './rules.ts'

export const boolean: TypeRules = {
  read: (value) => (typeof value === 'boolean' ? value : fault('must be true or false')),
  holds: (value) => typeof value === 'boolean',
  compares: 'boolean',
  takes: 'boolean',
  indexed: true,
}
