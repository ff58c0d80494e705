/**
 * Spells schemas so that generators of clients read them: several of these know a type array only as "or null", and a
 * `const` or `enum` only with a type, and an object of any members "or null" only as two schemas. The meaning stays the same.
 */
type Members = Readonly<Record<string, unknown>>

/** Values, not schemas, whatever they look like. */
const DATA = ['const', 'default', 'enum', 'example', 'examples', 'x-field']
/** Their members go by names that anything may have, `type` and `const` among them. */
const BY_NAME = ['parameters', 'patternProperties', 'properties', 'responses', 'schemas', 'headers']

/** The same document, or part of one, with its schemas spelled for generators. */
export function forGenerators<T>(part: T): T {
  return spelled(part) as T
}

function spelled(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(spelled)
  if (!isMembers(part)) return part
  return withTypes(
    mapped(part, (value, name) => {
      if (DATA.includes(name)) return value
      return BY_NAME.includes(name) && isMembers(value) ? mapped(value, spelled) : spelled(value)
    }),
  )
}

function withTypes(schema: Members): Members {
  const { type, ...rest } = orNull(schema)
  if (Array.isArray(type)) {
    const types = type as readonly string[]
    if (types.length === 2 && types.includes('object') && isOpen(rest)) return anyMembers(rest)
    if (types.filter((one) => one !== 'null').length < 2) return { type, ...rest }
    return { ...rest, anyOf: types.map((one) => ({ type: one })) }
  }
  if (type !== undefined || '$ref' in schema) return schema
  if ('const' in schema) return { type: typeOf(schema['const']), ...rest }
  if (!Array.isArray(schema['enum'])) return schema
  const types = [...new Set(schema['enum'].map(typeOf))]
  return types.length === 1 ? { type: types[0], ...rest } : { type: types, ...rest }
}

const isOpen = ({ properties, additionalProperties = true }: Members) =>
  properties === undefined && additionalProperties === true

const anyMembers = ({ description, ...rest }: Members): Members => ({
  ...(description !== undefined && { description }),
  anyOf: [{ ...rest, type: 'object' }, { type: 'null' }],
})

/** A plain type "or null" as one schema, where it comes as two. */
function orNull(schema: Members): Members {
  const { anyOf, ...rest } = schema
  const [value, none, ...more] = (anyOf ?? []) as readonly Members[]
  if (!value || !none || more.length > 0) return schema
  const isPlain = typeof value['type'] === 'string' && !('enum' in value) && !('const' in value)
  return isPlain && none['type'] === 'null' ? { ...value, ...rest, type: [value['type'], 'null'] } : schema
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

function mapped(members: Members, change: (value: unknown, name: string) => unknown): Members {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, change(value, name)]))
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
