/**
 * How a principal sees the objects: which fields there are for them, and which records a list may draw on. What they are
 * not shown they cannot ask by either: it is as if it were not there.
 */
import type { Definitions, ObjectDefinition } from '../domain/definition.ts'
import { invalid } from '../domain/errors.ts'
import { asSeen, isShown } from '../domain/filter/as-seen.ts'
import type { Path } from '../domain/filter/ast.ts'
import { allOf } from '../domain/filter/combine.ts'
import { pathsOf } from '../domain/filter/paths.ts'
import { fieldsOf, rowsOf, shows, type Grant } from '../domain/grant.ts'
import type { ListQuery } from '../ports/read-models.ts'
import type { Access, Action } from './access.ts'

export interface View {
  /** Whether the records of the object are shown as they are stored: all of them, with all that they show of others. */
  isWhole(object: string): boolean
  /** The objects with the fields that are shown in some record; an object that is not granted has none. */
  readonly definitions: Definitions
  /** What is granted of an object's records; undefined: none is shown. */
  grant(object: string): Grant | undefined
  /**
   * The query, which was read with this view's definitions, kept to what the principal sees of each record.
   * @throws Invalid for an order by what is shown of some records only
   */
  query(query: ListQuery): ListQuery
}

const views = new WeakMap<Definitions, WeakMap<Access, Map<Action, View>>>()

/**
 * The view of those who have this access. `action`: by which grant the records are shown; what they look up is shown as
 * reading allows, where that action is not granted on it.
 */
export function viewOf(access: Access, definitions: Definitions, action: Action = 'read'): View {
  const byAccess = views.get(definitions) ?? new WeakMap<Access, Map<Action, View>>()
  views.set(definitions, byAccess)
  const byAction = byAccess.get(access) ?? new Map<Action, View>()
  byAccess.set(access, byAction)
  const view = byAction.get(action) ?? makeView(access, definitions, action)
  byAction.set(action, view)
  return view
}

function makeView(access: Access, definitions: Definitions, action: Action): View {
  const grant = (object: string) => access.grant(object, action) ?? access.grant(object, 'read')
  const rowsShowing = (object: string, field?: string) => rowsOf(grant(object), field)

  /** Whether the name that a lookup shows is shown in every record. */
  const showsName = (object: string) => {
    const display = definitions.get(object)?.display
    return display !== undefined && rowsShowing(object, display) === undefined
  }
  const whole = new Set(
    [...definitions.values()]
      .filter(({ object, fields }) => {
        const given = grant(object)
        if (!given || given.shares) return false
        return fields.every(({ type, target = '' }) => type !== 'lookup' || showsName(target))
      })
      .map(({ object }) => object),
  )
  const seesEverything = whole.size === definitions.size

  const seen = seesEverything
    ? definitions
    : new Map([...definitions].map(([object, one]) => [object, seenDefinition(one, grant(object))]))

  /** The searchable fields whose text is shown in every record; undefined when those are all that there are. */
  const wordsIn = ({ object, fields }: ObjectDefinition): string[] | undefined => {
    const searchable = fields.filter((field) => field.searchable)
    const shown = searchable.filter(
      ({ name, type, target = '' }) =>
        everywhere(grant(object), name) && (type !== 'lookup' || showsName(target)),
    )
    return shown.length < searchable.length ? shown.map(({ name }) => name) : undefined
  }

  return {
    isWhole: (object) => whole.has(object),
    definitions: seen,
    grant,
    query(query) {
      if (seesEverything) return query
      for (const { path } of query.sort)
        if (!isShown(path, rowsShowing))
          throw invalid('sort', `${path.text} is shown to you of some records only`)
      const { object, filter } = query
      const used = new Set([
        ...(filter ? pathsOf(filter).map(firstOf) : []),
        ...query.sort.map(({ path }) => firstOf(path)),
      ])
      const rows = allOf([
        rowsShowing(object),
        ...[...used].map((name) => rowsShowing(object, name)),
        filter && asSeen(filter, rowsShowing),
      ])
      const words = query.words?.length ? wordsIn(definitions.get(object)!) : undefined
      return { ...query, ...(rows && { filter: rows }), ...(words && { wordsIn: words }) }
    },
  }
}

function seenDefinition(definition: ObjectDefinition, grant: Grant | undefined): ObjectDefinition {
  const sight = grant ? (grant.shares ? fieldsOf(grant.shares) : 'all') : new Set<string>()
  if (sight === 'all') return definition
  return { ...definition, fields: definition.fields.filter(({ name }) => shows(sight, name)) }
}

/** Whether every record that is shown at all shows the field. */
function everywhere(grant: Grant | undefined, field: string): boolean {
  if (!grant) return false
  return !grant.shares || grant.shares.every(({ fields }) => !fields || fields.has(field))
}

/** The object's own field that a path begins with. */
function firstOf({ hops, field }: Path): string {
  return hops[0]?.lookup.name ?? field.name
}
