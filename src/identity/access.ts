/**
 * What a principal may do: object × action, deny by default (open fact 26).
 *
 * A grant may be narrowed to some rows and some fields. Whoever serves records holds to both everywhere: in get, list,
 * totals, search, expand, paths of filters and sorts, history, exports and webhooks.
 */
import type { Filter } from '../domain/filter/ast.ts'

export type Action =
  | 'read'
  | 'create'
  | 'update'
  | 'delete'
  | 'import'
  | 'export'
  /** History, as-of reads, the audit. */
  | 'audit'
  /** Users, roles, tokens, webhooks of the own company. */
  | 'administer'
  /** The service itself: companies, projections, metrics. */
  | 'operate'
  | `workflow:${string}`

/** What an action is granted on, where it is granted. */
export interface Grant {
  /** Only records that fulfil this filter; absent: all of the company. */
  readonly rows?: Filter
  /** Only these fields (and `Id`) are seen or written; absent: all. */
  readonly fields?: ReadonlySet<string>
}

export interface Access {
  /** Undefined: denied. What belongs to no object has the object `*`. */
  grant(object: string, action: Action): Grant | undefined
}

/** Whatever there is to do. */
export const everything: Access = { grant: () => ({}) }
