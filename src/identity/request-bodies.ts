/** What the bodies of requests about users, tokens, roles and companies have in common. */
import { Invalid, type Fault } from '../domain/errors.ts'
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

/** The roles that do not exist. */
export function rolesFaults(roles: readonly string[], known: ReadonlySet<string>): Fault[] {
  const unknown = roles.find((role) => !known.has(role))
  if (unknown === undefined) return []
  const Message = `names an unknown role: ${JSON.stringify(unknown.slice(0, 60))}${meantName(unknown, [...known])}`
  return [{ Field: 'Roles', Message }]
}
