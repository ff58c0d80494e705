/**
 * What a principal may do: object × action, denied by default (docs/access.md).
 *
 * A grant may be narrowed to some rows and some fields. That holds everywhere: in get, list, totals, search, expand, paths
 * of filters and sorts, history, exports and webhooks (`view.ts`, `narrow-records.ts`).
 */
import type { Definitions, ObjectDefinition } from '../domain/definition.ts'
import { Invalid } from '../domain/errors.ts'
import type { Filter } from '../domain/filter/ast.ts'
import { anyOf } from '../domain/filter/combine.ts'
import { parseFilter } from '../domain/filter/parse.ts'
import type { Grant, Share } from '../domain/grant.ts'
import type { ACTIONS, Role, RoleGrant } from './role.ts'

/**
 * `audit`: history, as-of reads, the audit. `administer`: users, roles, tokens and webhooks of the company. `operate`: the
 * service itself (companies, projections, metrics).
 */
export type Action = (typeof ACTIONS)[number] | `workflow:${string}`

export interface Access {
  /** Undefined: denied. The object is `*` for what belongs to no object. */
  grant(object: string, action: Action): Grant | undefined
}

/** Everything is granted. */
export const everything: Access = { grant: () => ({}) }

/**
 * What the roles allow together. A row filter that no longer fits the definitions allows nothing.
 * @param definitions of all objects
 */
export function accessOf(roles: readonly Role[], definitions: Definitions): Access {
  const rules = roles.flatMap(({ Grants }) => Grants)
  const known = new Map<string, Grant | undefined>()
  const work = (object: string, action: Action): Grant | undefined => {
    const definition = definitions.get(object)
    return together(
      rules.filter((rule) => concerns(rule, object, definition) && allows(rule, action)),
      action,
      definition,
      definitions,
    )
  }
  return {
    grant(object, action) {
      // Names from paths are remembered only if they are known: the others are without number.
      if (action.startsWith('workflow:') || (object !== '*' && !definitions.has(object)))
        return work(object, action)
      const id = `${action} ${object}`
      if (!known.has(id)) known.set(id, work(object, action))
      return known.get(id)
    },
  }
}

export function concerns(rule: RoleGrant, object: string, definition: ObjectDefinition | undefined): boolean {
  if (rule.Application !== undefined) return definition?.application === rule.Application
  return rule.Object === '*' || rule.Object === object
}

export function allows({ Actions }: RoleGrant, action: Action): boolean {
  return Actions.includes(action) || (action.startsWith('workflow:') && Actions.includes('workflow:*'))
}

const WRITES: readonly Action[] = ['create', 'update', 'import']
const READS: readonly Action[] = ['read', 'export', 'audit']

/** The fields that a rule is about, where the action is; undefined: all. */
export function fieldListOf(rule: RoleGrant, action: Action): readonly string[] | undefined {
  if (WRITES.includes(action)) return rule.WriteFields
  return READS.includes(action) ? rule.ReadFields : undefined
}

/** The rules as one grant with as few shares as possible: fields of the same rows are joined, then rows of the same fields. */
function together(
  rules: readonly RoleGrant[],
  action: Action,
  definition: ObjectDefinition | undefined,
  definitions: Definitions,
): Grant | undefined {
  const byRows = new Map<string, Set<string> | undefined>()
  for (const rule of rules) {
    const list = fieldListOf(rule, action)
    const rows = rule.Rows ?? ''
    const before = byRows.has(rows) ? byRows.get(rows) : new Set<string>()
    byRows.set(rows, before && list ? new Set([...before, ...list]) : undefined)
  }
  if (byRows.size === 0) return undefined
  if (byRows.has('') && !byRows.get('')) return {}
  const everywhere = byRows.get('')
  const byFields = new Map<string, { fields: Set<string> | undefined; rows: Filter[] }>()
  for (const [text, fields] of byRows) {
    if (text === '' || !definition) continue
    const rows = parsed(text, definition, definitions)
    if (!rows) continue
    const all = fields && new Set([...fields, ...(everywhere ?? [])])
    if (all && all.size === everywhere?.size) continue // adds nothing
    const id = all ? JSON.stringify([...all].sort()) : ''
    const like = byFields.get(id)
    if (like) like.rows.push(rows)
    else byFields.set(id, { fields: all, rows: [rows] })
  }
  const shares = [...byFields.values()].map(({ fields, rows }): Share => ({
    rows: anyOf(rows),
    ...(fields && { fields }),
  }))
  if (everywhere) shares.push({ fields: everywhere })
  return shares.length > 0 ? { shares } : undefined
}

function parsed(text: string, definition: ObjectDefinition, definitions: Definitions): Filter | undefined {
  try {
    return parseFilter(text, definition, definitions)
  } catch (error) {
    if (error instanceof Invalid) return undefined
    throw error
  }
}
