/** What OpenAPI says of a body, from the schema that reads it. */
import { z } from 'zod'
import type { Schema } from './document.ts'

/** @param schema of a body as it is sent: defaults are not filled in yet */
export function described(schema: z.ZodType): Schema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input' })
  return plain(json) as Schema
}

/**
 * A value that may be null is of two types, which generators of clients understand better than two schemas. A default that is
 * null or an object says nothing, and some of them cannot write it.
 */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  const schema = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part)]))
  if (typeof schema['default'] === 'object' && !Array.isArray(schema['default'])) delete schema['default']
  const choices = schema['enum']
  if (Array.isArray(choices) && choices.some((one) => typeof one === 'string' && !/\w/.test(one)))
    return withoutNames(schema, choices as readonly string[])
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema
  const [first, second] = anyOf as [Schema, Schema]
  const canJoin = second.type === 'null' && typeof first.type === 'string' && first.enum === undefined
  return canJoin ? { ...first, ...rest, type: [first.type, 'null'] } : schema
}

/** Generators of clients name each choice after its text, which signs have no letters for. */
function withoutNames({ enum: _, ...schema }: Record<string, unknown>, choices: readonly string[]): unknown {
  return {
    ...schema,
    pattern: `^(?:${choices.map((one) => one.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')).join('|')})$`,
  }
}
