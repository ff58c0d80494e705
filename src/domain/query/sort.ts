/** The order of a list (docs/interface.md#list-parameters, docs/open-facts.md 54): several fields, separated by commas. */
import { targetOf, type Definitions, type FieldType, type ObjectDefinition } from '../definition.ts'
import type { Path } from '../filter/ast.ts'
import { faultAt, quoted } from '../filter/fault.ts'
import { resolvePath } from '../filter/path.ts'
import { listedNames, type ListedName } from './listed-names.ts'

export interface SortKey {
  readonly path: Path
  readonly descending: boolean
}

const MAX_KEYS = 5
const UNSORTED: readonly FieldType[] = ['json']

/**
 * The sort keys that the text names, first things first: `Status,-Tenant/Name`. Money sorts by its Amount, and a lookup
 * by what is shown of it, its display field (by its Key: `Tenant/Id`).
 * @throws Invalid with `Field: 'sort'`: unknown fields, json, one path twice, more than five keys
 */
export function parseSort(text: string, definition: ObjectDefinition, definitions: Definitions): SortKey[] {
  const seen = new Set<string>()
  return listedNames('sort', text).map((name, index) => {
    if (index === MAX_KEYS) throw faultAt('sort', name.at, `more than ${MAX_KEYS} fields`)
    const descending = name.text.startsWith('-')
    const path = sortPath(
      descending ? { text: name.text.slice(1), at: name.at + 1 } : name,
      definition,
      definitions,
    )
    const identity = identityOf(path)
    if (seen.has(identity)) throw faultAt('sort', name.at, `${quoted(path.text)} is given twice`)
    seen.add(identity)
    return { path, descending }
  })
}

function sortPath({ text, at }: ListedName, definition: ObjectDefinition, definitions: Definitions): Path {
  const [, name, direction] = /^(\S+)\s+(asc|desc)$/i.exec(text) ?? []
  if (name && direction) {
    const hint = `write ${direction.toLowerCase() === 'desc' ? '-' : ''}${quoted(name)}`
    throw faultAt('sort', at + text.length - direction.length, `expected a comma, found ${direction}`, hint)
  }
  let path = resolvePath({ parameter: 'sort', text, at, definition, definitions })
  if (path.field.type === 'lookup' && !text.endsWith('/Id')) {
    const { display } = targetOf(definitions, path.field)
    path = {
      ...resolvePath({ parameter: 'sort', text: `${text}/${display}`, at, definition, definitions }),
      text,
    }
  }
  if (UNSORTED.includes(path.field.type))
    throw faultAt(
      'sort',
      at,
      `${path.field.type} field ${quoted(text)}`,
      `${path.field.type} fields have no order`,
    )
  return path
}

/** The same for two spellings of one path. */
function identityOf({ hops, field, part }: Path): string {
  return [...hops.map(({ lookup }) => lookup.name), field.name, part].join('/')
}
