/** A user as SCIM writes it. */
import type { Json } from '../../domain/json.ts'
import { ENTERPRISE, USER } from './attributes.ts'
import type { ScimMapping } from './mapping.ts'
import type { User } from './user.ts'

export interface About {
  readonly id: string
  readonly version: string
  readonly created: string
  readonly lastModified: string
  /** Of the user with that Id. */
  readonly locationOf: (id: string) => string
}

export function shownUser({ all }: ScimMapping, user: User, about: About): { readonly [name: string]: Json } {
  const core: Record<string, Json> = {}
  const enterprise: Record<string, Json> = {}
  for (const { name, attribute } of all) {
    const value = user[name]
    if (value === undefined) continue
    const into = attribute.schema === ENTERPRISE ? enterprise : core
    const { attribute: named, sub, kind } = attribute
    if (kind === 'work') into[named] = [{ value, type: 'work', primary: true }]
    else if (kind === 'reference') into[named] = { value, $ref: about.locationOf(String(value)) }
    else if (sub === undefined) into[named] = value
    else into[named] = { ...(into[named] as object | undefined), [sub]: value }
  }
  const hasMore = Object.keys(enterprise).length > 0
  return {
    schemas: [USER, ...(hasMore ? [ENTERPRISE] : [])],
    id: about.id,
    ...core,
    ...(hasMore && { [ENTERPRISE]: enterprise }),
    meta: {
      resourceType: 'User',
      created: about.created,
      lastModified: about.lastModified,
      location: about.locationOf(about.id),
      version: about.version,
    },
  }
}
