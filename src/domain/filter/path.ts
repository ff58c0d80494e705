/**
 * Paths of filters and sort keys: a field (`Status`), a part of a money field (`MonthlyRent/Amount`), or lookups to
 * follow and then a field (`Tenant/Name`, `Unit/Building/Name`), separated by `/` (docs/interface.md#filters).
 *
 * Only what the definitions name can become a path, so nothing of the caller's reaches a query as a column or operator.
 */
import {
  fieldOf,
  STANDARD_FIELDS,
  targetOf,
  type Definitions,
  type FieldDefinition,
  type ObjectDefinition,
} from '../definition.ts'
import { rulesOfType } from '../fields/field-values.ts'
import type { Path } from './ast.ts'
import { didYouMean } from './closest-name.ts'
import { faultAt, quoted } from './fault.ts'

/** Each lookup followed is one more sub-select or join for the read model. */
const MAX_HOPS = 5

export interface PathText {
  /** The query parameter, for faults: `filter`, `sort`. */
  readonly parameter: string
  readonly text: string
  /** Where the text begins in the parameter, from 0. */
  readonly at: number
  readonly definition: ObjectDefinition
  readonly definitions: Definitions
}

/**
 * The path that the text names, of whatever type its field is; callers refuse the types that they do not take.
 * @throws Invalid naming the parameter, the place and the field
 */
export function resolvePath({ parameter, text, at, definition, definitions }: PathText): Path {
  const hops: Path['hops'][number][] = []
  let on = definition
  let rest = text
  let place = at
  for (;;) {
    const end = rest.indexOf('/')
    const name = end < 0 ? rest : rest.slice(0, end)
    const field = fieldOf(on, name)
    if (!field) throw unknownField(parameter, place, name, on, on === definition, definitions)
    if (end < 0) return pathTo(field)
    rest = rest.slice(end + 1)
    place += end + 1
    if (field.type === 'money') {
      if (rest === 'Amount' || rest === 'Currency') return pathTo(field, rest)
      throw faultAt(parameter, place, `expected Amount or Currency after ${name}/`)
    }
    if (field.type !== 'lookup') {
      const hint = /^(any|all)\b/i.test(rest) ? 'it has one value: compare it as it is' : undefined
      throw faultAt(parameter, place, `nothing can follow the ${field.type} field ${name}`, hint)
    }
    if (rest === 'Id') return pathTo(field)
    if (hops.length === MAX_HOPS) throw faultAt(parameter, place, `more than ${MAX_HOPS} lookups in one path`)
    hops.push({ on, lookup: field })
    on = targetOf(definitions, field)
  }

  function pathTo(field: FieldDefinition, named?: 'Amount' | 'Currency'): Path {
    const part = field.type === 'money' ? (named ?? 'Amount') : undefined
    return { text, hops, on, field, ...(part && { part }), kind: kindOf(field, part) }
  }
}

/** The fault of a name that the object has no field of, with the field that may have been meant. */
export function unknownField(
  parameter: string,
  at: number,
  name: string,
  on: ObjectDefinition,
  isOwn = true,
  definitions?: Definitions,
): Error {
  if (name === '') return faultAt(parameter, at, 'expected a field name')
  const names = [...STANDARD_FIELDS, ...on.fields].map((field) => field.name)
  const where = isOwn ? '' : ` of ${on.object}`
  const hint = didYouMean(name, names) ?? (definitions && overLookups(name, on, definitions))
  return faultAt(parameter, at, `unknown field ${quoted(name)}${where}`, hint)
}

/** The field may be one of a record that this one looks up. */
function overLookups(name: string, on: ObjectDefinition, definitions: Definitions): string | undefined {
  const found = on.fields.flatMap((lookup) => {
    const fields = lookup.type === 'lookup' ? (definitions.get(lookup.target ?? '')?.fields ?? []) : []
    const same = fields.find((field) => field.name.toLowerCase() === name.toLowerCase())
    return same ? [`${lookup.name}/${same.name}`] : []
  })
  return found.length > 0 ? `did you mean ${found.slice(0, 3).join(' or ')}?` : undefined
}

export function kindOf(field: FieldDefinition, part?: Path['part']): Path['kind'] {
  return field.name === 'Id' || part === 'Currency' ? 'exact' : rulesOfType(field).compares
}
