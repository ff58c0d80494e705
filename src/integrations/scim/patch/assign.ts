/** Sets attributes of a user from JSON: of a whole user, or of an operation of PATCH. */
import { isObject, type Json } from '../../../domain/json.ts'
import { ATTRIBUTES, type AttributeName } from '../attributes.ts'
import { parseAttributePath } from '../filter/parse.ts'
import { ScimInvalid } from '../invalid.ts'
import { resolve, type Resolved } from '../resolve.ts'
import type { User } from '../user.ts'
import { booleanIn, referenceIn, textIn, workIn } from './values.ts'

/** A user that is being changed. */
export type Draft = { [name in AttributeName]?: string | boolean | undefined }

/** The user that a body says. What it says beside attributes that are kept is passed over. @throws ScimInvalid */
export function readUser(body: Json | undefined): User {
  if (!isObject(body)) throw new ScimInvalid('invalidSyntax', 'the body must be a user: a JSON object')
  const draft: Draft = {}
  assignMembers(draft, body)
  return finished(draft)
}

/** Without what has no value. */
export const finished = (draft: Draft): User =>
  Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined))

/** Each member of an object; names may be those of schemas and have dots. @throws ScimInvalid */
export function assignMembers(
  draft: Draft,
  members: { readonly [name: string]: Json },
  within?: string,
): void {
  for (const [name, value] of Object.entries(members)) {
    const resolved = resolvedName(within === undefined ? name : `${within}${name}`)
    if (resolved) assign(draft, resolved, value)
  }
}

function resolvedName(name: string): Resolved | undefined {
  try {
    return resolve(parseAttributePath(name, 'invalidPath'))
  } catch (error) {
    if (error instanceof ScimInvalid) return undefined
    throw error
  }
}

/** @throws ScimInvalid */
export function assign(draft: Draft, resolved: Resolved, value: Json): void {
  if (resolved.kind === 'group') return assignGroup(draft, resolved.names, value)
  if (resolved.kind !== 'one') return
  const { name, part } = resolved
  const { kind } = ATTRIBUTES[name]
  if (kind === 'boolean') draft[name] = booleanIn(value, name) ?? draft[name]
  else if (kind === 'text') draft[name] = textIn(value, name)
  else if (kind === 'reference') {
    if (part === undefined || part === 'value' || part === '$ref') draft[name] = referenceIn(value, name)
  } else if (part === 'value') draft[name] = textIn(value, name)
  else if (part === undefined) {
    const work = workIn(value, ATTRIBUTES[name].attribute)
    if (work) draft[name] = work.value
  }
}

function assignGroup(draft: Draft, names: readonly AttributeName[], value: Json): void {
  if (value === null) {
    for (const name of names) draft[name] = undefined
    return
  }
  const first = ATTRIBUTES[names[0]!] as {
    readonly schema: string
    readonly attribute: string
    readonly sub?: string
  }
  if (!isObject(value))
    throw new ScimInvalid(
      'invalidValue',
      `${first.sub === undefined ? first.schema : first.attribute} must be an object`,
    )
  assignMembers(draft, value, first.sub === undefined ? `${first.schema}:` : `${first.attribute}.`)
}
