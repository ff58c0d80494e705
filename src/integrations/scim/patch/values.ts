/**
 * Values as directories send them. Entra ID sends "True" for true, an empty text for nothing, and simple values as a list of one
 * object; Okta sends what the RFC says. What cannot be meant is refused.
 */
import { isObject, type Json } from '../../../domain/json.ts'
import { ScimInvalid } from '../invalid.ts'

/** Undefined: there is none. @throws ScimInvalid */
export function textIn(value: Json | undefined, name: string): string | undefined {
  const plain = plainIn(value)
  if (plain === undefined || plain === null || plain === '') return undefined
  if (typeof plain === 'string') return plain
  if (typeof plain === 'number') return String(plain)
  throw new ScimInvalid('invalidValue', `${name} must be a text`)
}

/** @throws ScimInvalid */
export function booleanIn(value: Json | undefined, name: string): boolean | undefined {
  const plain = plainIn(value)
  if (plain === undefined || plain === null || typeof plain === 'boolean') return plain ?? undefined
  const text = typeof plain === 'string' ? plain.toLowerCase() : undefined
  if (text === 'true' || text === 'false') return text === 'true'
  throw new ScimInvalid('invalidValue', `${name} must be true or false`)
}

/** The Id of a user that is referred to, also as the end of its address. @throws ScimInvalid */
export function referenceIn(value: Json | undefined, name: string): string | undefined {
  const [first] = Array.isArray(value) ? (value as readonly Json[]) : [value]
  if (!isObject(first)) return textIn(first, name)
  const { value: id, $ref: address } = lowered(first)
  return textIn(id ?? address, name)
    ?.split('/')
    .at(-1)
}

export interface Work {
  readonly value: string | undefined
}

/**
 * The element of the type work, or without a type; failing that the primary one. Undefined: the list has elements, and none of them
 * is kept.
 * @throws ScimInvalid
 */
export function workIn(value: Json | undefined, name: string): Work | undefined {
  if (typeof value === 'string' || value === null || value === undefined)
    return { value: textIn(value, name) }
  const all: readonly Json[] = Array.isArray(value) ? value : [value]
  if (all.length === 0) return { value: undefined }
  const elements = all.map((one) => {
    if (typeof one === 'string') return { value: one }
    if (!isObject(one)) throw new ScimInvalid('invalidValue', `${name} must be a list of objects`)
    return lowered(one)
  })
  const isPrimary = ({ primary }: Readonly<Record<string, Json>>) =>
    booleanIn(primary, `${name}.primary`) === true
  const working = elements.filter(({ type }) => {
    const kind = textIn(type, `${name}.type`)
    return kind === undefined || kind.toLowerCase() === 'work'
  })
  const kept = working.find(isPrimary) ?? working[0] ?? elements.find(isPrimary)
  return kept && { value: textIn(kept['value'], `${name}.value`) }
}

/** With its names in lowercase. */
export function lowered(object: { readonly [name: string]: Json }): Readonly<Record<string, Json>> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name.toLowerCase(), value]))
}

function plainIn(value: Json | undefined): Json | undefined {
  const [one, ...more] = Array.isArray(value) ? (value as readonly Json[]) : [value]
  if (more.length > 0) return value
  return isObject(one) && Object.hasOwn(one, 'value') ? one['value'] : one
}
