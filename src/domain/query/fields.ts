/** Which fields a list shows, and which lookups it shows in full (docs/interface.md#list-parameters). */
import { fieldOf, STANDARD_FIELDS, type ObjectDefinition } from '../definition.ts'
import { didYouMean } from '../filter/closest-name.ts'
import { faultAt, quoted } from '../filter/fault.ts'
import { unknownField } from '../filter/path.ts'
import { listedNames } from './listed-names.ts'

/**
 * The fields named by `fields`, in the order of the record as it is served, each once. Id is always among them.
 * @throws Invalid with `Field: 'fields'` for an unknown field
 */
export function parseFields(text: string, definition: ObjectDefinition): string[] {
  const wanted = new Set(['Id'])
  for (const name of listedNames('fields', text)) {
    const first = name.text.split('/', 1)[0]!
    if (!fieldOf(definition, first)) throw unknownField('fields', name.at, name.text, definition)
    if (first !== name.text)
      throw faultAt('fields', name.at, `${quoted(name.text)} is a path, not a field`, `write ${first}`)
    wanted.add(name.text)
  }
  const [id, ...stamps] = STANDARD_FIELDS
  return [id!, ...definition.fields, ...stamps].map((field) => field.name).filter((name) => wanted.has(name))
}

/**
 * The lookup fields named by `expand`, in the order of the text, each once.
 * @throws Invalid with `Field: 'expand'` for a name that is not a lookup field of the object
 */
export function parseExpand(text: string, definition: ObjectDefinition): string[] {
  const lookups = definition.fields.filter((field) => field.type === 'lookup').map((field) => field.name)
  const known = lookups.length > 0 ? `expand takes ${lookups.join(', ')}` : `${definition.object} has none`
  const names = listedNames('expand', text).map(({ text: name, at }) => {
    if (lookups.includes(name)) return name
    const problem = fieldOf(definition, name)
      ? `${quoted(name)} is not a lookup field`
      : `unknown lookup field ${quoted(name)}`
    throw faultAt('expand', at, problem, didYouMean(name, lookups) ?? known)
  })
  return [...new Set(names)]
}
