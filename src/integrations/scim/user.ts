/** A SCIM user by its attributes, and the record that keeps it. Pure. */
import type { Fields, Json } from '../../domain/json.ts'
import { isObject } from '../../domain/json.ts'
import { evaluate } from '../mapping/evaluate.ts'
import type { AttributeName } from './attributes.ts'
import type { Mapped, ScimMapping } from './mapping.ts'

/** Of a list its element of the type work, of a reference the Key. An attribute without a value is missing. */
export type User = { readonly [name in AttributeName]?: string | boolean }

/** @param fields as records keep them, or as they are served */
export function userOf({ all }: ScimMapping, fields: Fields): User {
  return Object.fromEntries(
    all.flatMap((mapped) => {
      const value = attributeValue(mapped, fields[mapped.field])
      return value === undefined ? [] : [[mapped.name, value]]
    }),
  )
}

function attributeValue({ choices }: Mapped, value: Json | undefined): string | boolean | undefined {
  if (choices) return value !== choices.false
  if (isObject(value)) return typeof value['Id'] === 'string' ? value['Id'] : undefined
  return typeof value === 'string' ? value : undefined
}

/** The fields that a new user has. */
export function newFields(mapping: ScimMapping, user: User): Fields {
  const changes = changedFields(mapping, {}, {}, user)
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null))
}

/**
 * What of the record changes; null clears.
 * @param fields of the record
 * @param before the user that they are
 */
export function changedFields({ all }: ScimMapping, fields: Fields, before: User, after: User): Fields {
  const changes: Record<string, Json> = {}
  for (const mapped of all) {
    if (mapped.isOurs) continue
    const { name, field, choices } = mapped
    if (choices) {
      const wanted = after[name]
      if (typeof wanted === 'boolean' && (wanted !== before[name] || fields[field] === undefined))
        changes[field] = wanted ? choices.true : choices.false
      continue
    }
    const value = fieldValue(mapped, before, after)
    if (value !== (fields[field] ?? null)) changes[field] = value
  }
  return changes
}

/** What was derived from other attributes follows them. */
function fieldValue(mapped: Mapped, before: User, after: User): Json {
  const { name, otherwise } = mapped
  const own = after[name]
  if (otherwise === undefined) return own ?? null
  const derived = derivedValue(mapped, before)
  const follows = own === undefined || (own === before[name] && own === derived)
  return follows ? (derivedValue(mapped, after) ?? null) : own
}

function derivedValue({ otherwise }: Mapped, user: User): string | undefined {
  const made = otherwise === undefined ? undefined : evaluate(otherwise, { item: user, root: user })
  return typeof made === 'string' ? made : undefined
}
