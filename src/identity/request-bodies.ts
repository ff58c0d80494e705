/** What the bodies of requests about users, tokens, roles and companies have in common. */
import { Invalid, MOST_FAULTS, type Fault } from '../domain/errors.ts'
import { meantName } from '../domain/filter/closest-name.ts'
import { isObject, type Json } from '../domain/json.ts'

/** The members of a body, which must be an object with no other members than these. @throws Invalid */
export function membersOf(body: Json, known: readonly string[]): Record<string, Json> {
  if (!isObject(body))
    throw new Invalid('The body must be a JSON object.', [{ Field: '', Message: 'must be a JSON object' }])
  const unknown = Object.keys(body).filter((name) => !known.includes(name))
  if (unknown.length === 0) return { ...body }
  throw new Invalid(
    'The body has unknown members.',
    unknown.map((name) => ({
      Field: name.slice(0, 100),
      Message: `is unknown or assigned by the service; it takes ${known.join(', ')}${meantName(name, known)}`,
    })),
  )
}

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
