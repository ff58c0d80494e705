/**
 * PATCH of a user (RFC 7644, 3.5.2). Of lists one element is kept, that of the type work: what is about others is passed over.
 * Pure.
 */
import { isObject, type Json } from '../../../domain/json.ts'
import { ATTRIBUTES } from '../attributes.ts'
import type { ScimFilter } from '../filter/ast.ts'
import { matchesElement, namesOnly } from '../filter/matches.ts'
import { parsePatchPath, type PatchTarget } from '../filter/parse.ts'
import { ScimInvalid } from '../invalid.ts'
import { resolve, type Resolved } from '../resolve.ts'
import type { User } from '../user.ts'
import { assign, assignMembers, finished, type Draft } from './assign.ts'
import { lowered, workIn } from './values.ts'

type Op = 'add' | 'replace' | 'remove'

export interface Operation {
  readonly op: Op
  readonly target: PatchTarget | undefined
  readonly value: Json | undefined
}

const MOST_OPERATIONS = 1_000

/** The operations of a body, in their order; `op` and names of members are taken in any case. @throws ScimInvalid */
export function readPatch(body: Json | undefined): readonly Operation[] {
  const all = isObject(body) ? lowered(body)['operations'] : undefined
  if (!Array.isArray(all) || all.length === 0 || all.length > MOST_OPERATIONS)
    throw new ScimInvalid('invalidSyntax', `Operations must be a list of 1 to ${MOST_OPERATIONS} operations`)
  return (all as readonly Json[]).map((one, index) => {
    const { op, path, value } = isObject(one) ? lowered(one) : {}
    const name = typeof op === 'string' ? op.toLowerCase() : undefined
    if (name !== 'add' && name !== 'replace' && name !== 'remove')
      throw new ScimInvalid('invalidSyntax', `Operations[${index}].op must be add, replace or remove`)
    if (path !== undefined && path !== null && typeof path !== 'string')
      throw new ScimInvalid('invalidPath', `Operations[${index}].path must be a text`)
    const target = typeof path === 'string' && path.trim() !== '' ? parsePatchPath(path.trim()) : undefined
    if (name === 'remove' && !target)
      throw new ScimInvalid('noTarget', `Operations[${index}].path is required to remove something`)
    if (name !== 'remove' && value === undefined)
      throw new ScimInvalid('invalidValue', `Operations[${index}].value is required`)
    return { op: name, target, value }
  })
}

/** @throws ScimInvalid */
export function applyPatch(user: User, operations: readonly Operation[]): User {
  const draft: Draft = { ...user }
  for (const { op, target, value } of operations) {
    if (target) applyAt(draft, op, target, value)
    else if (isObject(value)) assignMembers(draft, value)
    else throw new ScimInvalid('invalidValue', 'without a path the value must be an object of attributes')
  }
  return finished(draft)
}

function applyAt(draft: Draft, op: Op, { path, filter }: PatchTarget, value: Json | undefined): void {
  const resolved = resolve(path)
  if (resolved.kind === 'unknown')
    throw new ScimInvalid('invalidPath', `there is no attribute ${nameOf({ path, filter })}`)
  if (resolved.kind === 'assigned')
    throw new ScimInvalid('mutability', `${nameOf({ path, filter })} is assigned by the service`)
  if (resolved.kind === 'passed') return
  if (filter && !isMeant(draft, op, resolved, filter)) return
  if (op === 'remove') remove(draft, resolved, value)
  else assign(draft, resolved, value!)
}

/** Whether the element that is kept passes the filter, or is made by what is added. @throws ScimInvalid */
function isMeant(draft: Draft, op: Op, resolved: Resolved, filter: ScimFilter): boolean {
  if (resolved.kind !== 'one' || ATTRIBUTES[resolved.name].kind !== 'work')
    throw new ScimInvalid('invalidPath', 'only elements of a list can be chosen by a filter')
  const value = draft[resolved.name]
  const element = { type: 'work', primary: true, ...(value !== undefined && { value }) }
  if (matchesElement(filter, element)) return true
  // Elements of other types are not kept; one with another value is not there.
  if (op === 'remove' || namesOnly(filter, ['type', 'primary'])) return false
  throw new ScimInvalid('noTarget', `no element of ${resolved.name} passes the filter`)
}

function remove(draft: Draft, resolved: Resolved, value: Json | undefined): void {
  const names = resolved.kind === 'group' ? resolved.names : resolved.kind === 'one' ? [resolved.name] : []
  for (const name of names) {
    if (name === 'userName') throw new ScimInvalid('invalidValue', 'userName cannot be removed')
    const { kind } = ATTRIBUTES[name]
    // Which elements are removed can be said by the value.
    const isOther =
      kind === 'work' &&
      Array.isArray(value) &&
      value.length > 0 &&
      workIn(value, name)?.value !== draft[name]
    const isWhole =
      kind === 'text' || resolved.kind !== 'one' || ['value', '$ref', undefined].includes(resolved.part)
    if (kind !== 'boolean' && isWhole && !isOther) draft[name] = undefined
  }
}

const nameOf = ({ path: { schema, attribute, sub } }: PatchTarget): string =>
  [schema === undefined ? attribute : `${schema}:${attribute}`, ...(sub === undefined ? [] : [sub])]
    .join('.')
    .slice(0, 200)
