/** Digests of values, by which they are compared without being kept. */
import { createHash } from 'node:crypto'
import { isObject, type Json } from '../../domain/json.ts'

/** Of a value; nothing and null are the same. Members in the order of their names. */
export function digestOf(value: Json | undefined): string {
  return createHash('sha256')
    .update(JSON.stringify(ordered(value ?? null)))
    .digest('base64url')
    .slice(0, 16)
}

function ordered(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(ordered)
  if (!isObject(value)) return value
  const names = Object.keys(value).sort()
  return Object.fromEntries(names.map((name) => [name, ordered(value[name]!)]))
}
