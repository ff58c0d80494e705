/** Roles that are named in bodies, and do not exist. */
import { MOST_FAULTS, type Fault } from '../domain/errors.ts'
import { meantName } from '../domain/filter/closest-name.ts'

/** Names that are listed where none is near; `GET /identity/roles` has all. */
const LISTED = 20

/** The roles that do not exist, each with the one that was meant, or with those that there are. */
export function rolesFaults(roles: readonly string[], known: ReadonlySet<string>): Fault[] {
  const names = [...known].sort()
  const more = names.length > LISTED ? ' and others' : ''
  const there = `; there are ${names.slice(0, LISTED).join(', ')}${more}`
  return roles
    .filter((role) => !known.has(role))
    .slice(0, MOST_FAULTS)
    .map((role) => ({
      Field: 'Roles',
      Message: `names an unknown role: ${JSON.stringify(role.slice(0, 60))}${meantName(role, names) || there}`,
    }))
}
