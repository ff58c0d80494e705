/**
 * How a principal sees the objects: the fields that exist for them, and the records that a list may draw on. Nothing that
 * is hidden can be used in a filter, sort or search either.
 */
import type { Definitions, ObjectDefinition } from '../domain/definition.ts'
import { invalid } from '../domain/errors.ts'
import { asSeen, isShown } from '../domain/filter/as-seen.ts'
import type { Path } from '../domain/filter/ast.ts'
import { allOf } from '../domain/filter/combine.ts'
import { pathsOf } from '../domain/filter/paths.ts'
import { rowsOf, shows, sightOf, type Grant } from '../domain/grant.ts'
import type { ListQuery } from '../ports/read-models.ts'
import type { Access, Action } from './access.ts'

export interface View {
  /** Whether all records of the object are shown as they are stored, names of looked-up records included. */
  isWhole(object: string): boolean
  /** The objects with the fields that are shown in some record; an object that is not granted has no fields. */
  readonly definitions: Definitions
  /** What is granted of an object's records; undefined: nothing. */
  grant(object: string): Grant | undefined
  /**
   * The query, limited to what the principal sees of each record. It must have been read with this view's definitions.
   * @throws Invalid for a sort by a field that only some records show
   */
  query(query: ListQuery): ListQuery
}

const views = new WeakMap<Definitions, WeakMap<Access, Map<Action, View>>>()

/**
 * The view that an access gives. `action`: the grant that records are shown by. Looked-up objects on which that action is
 * not granted are shown as `read` allows.
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

  /** Whether every record of the object shows its display field. */
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

  /** The searchable fields that every record shows; undefined: all searchable fields. */
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
          throw invalid('sort', `${path.text} is shown to you in some records only`)
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
  const sight = sightOf(grant)
  if (sight === 'all') return definition
  return { ...definition, fields: definition.fields.filter(({ name }) => shows(sight, name)) }
}

/** Whether every record that is shown at all shows the field. */
function everywhere(grant: Grant | undefined, field: string): boolean {
  if (!grant) return false
  return !grant.shares || grant.shares.every(({ fields }) => !fields || fields.has(field))
}

/** The object's own field at the beginning of a path. */
function firstOf({ hops, field }: Path): string {
  return hops[0]?.lookup.name ?? field.name
}
