/** TypeScript types of the objects of one installation, from its OpenAPI document: for `new Daybook<Objects>()`. */

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly description?: string
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: readonly string[]
  readonly readOnly?: boolean
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly 'x-field'?: {
    readonly type: string
    readonly target?: string
    readonly choices?: readonly string[]
    readonly strict?: boolean
  }
}

interface Document {
  readonly paths: {
    readonly [path: string]: {
      readonly post?: {
        readonly operationId: string
        readonly parameters?: readonly { readonly name?: string; readonly schema?: Schema }[]
      }
    }
  }
  readonly components: { readonly schemas: { readonly [name: string]: Schema } }
}

/** @param openapi what `GET /api/v1/openapi.json` answers */
export function generateTypes(openapi: object): string {
  const document = openapi as Document
  const objects = new Map(
    Object.entries(document.paths).flatMap(([path, { post }]) => {
      const object = /^\/api\/v1\/([a-z][a-z0-9]*)$/.exec(path)?.[1]
      const name = post?.operationId.replace(/^create/, '')
      const isObject = name !== undefined && document.components.schemas[`${name}.Create`] !== undefined
      return object !== undefined && isObject && `/api/v1/${object}/batch` in document.paths
        ? [[object, name] as const]
        : []
    }),
  )
  const bodies = [...objects.values()].map((name) => interfacesOf(document, name, objects))
  const map = [...objects].map(([object, name]) => entryOf(document, object, name))
  return `/** Made by \`daybook types\`; make it again when definitions change. */
import type { Lookup, Money } from '@daybook/client'

${bodies.join('\n')}
/** For \`new Daybook<Objects>({ … })\`. */
export interface Objects {
${map.join('\n')}
}
`
}

function interfacesOf(
  { components: { schemas } }: Document,
  name: string,
  objects: ReadonlyMap<string, string>,
) {
  const read = membersOf(
    schemas[name]!,
    (field, schema) => `readonly ${field}: ${readType(schemas, schema, objects)}`,
  )
  const created = schemas[`${name}.Create`]!
  const required = new Set(created.required)
  const create = membersOf(created, (field, schema) => {
    return `readonly ${field}${required.has(field) ? '' : '?'}: ${writtenType(schema)}`
  })
  const change = membersOf(
    schemas[`${name}.Patch`]!,
    (field, schema) => `readonly ${field}?: ${writtenType(schema)}`,
  )
  return `${comment(schemas[name]!.description, '')}export interface ${name} {
${read}
}
export interface ${name}Create {
${create}
}
export interface ${name}Change {
${change}
}
`
}

function membersOf({ properties = {} }: Schema, member: (field: string, schema: Schema) => string): string {
  return Object.entries(properties)
    .map(([field, schema]) => `${comment(schema.description, '  ')}  ${member(field, schema)}`)
    .join('\n')
}

function comment(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '*∕').replace(/\s+/g, ' ')} */\n`
}

function readType(
  schemas: Document['components']['schemas'],
  schema: Schema,
  objects: ReadonlyMap<string, string>,
) {
  const target = objects.get(schema['x-field']?.target ?? '')
  if (target === undefined) return writtenType(schema)
  const reference = schemas[`${target}.Reference`]?.properties ?? {}
  const display = Object.keys(reference).find((field) => field !== 'Id') ?? 'Id'
  const isNullable = schema.anyOf?.some(({ type }) => type === 'null') ?? false
  return `Lookup<${target}, '${display}'>${isNullable ? ' | null' : ''}`
}

function writtenType(schema: Schema): string {
  const { $ref, type, enum: values, anyOf, allOf } = schema
  const isNullable = type?.includes('null') || anyOf?.some((one) => one.type === 'null')
  const or = isNullable && type !== 'null' ? ' | null' : ''
  if (values) return values.map((one) => JSON.stringify(one)).join(' | ') + (values.includes(null) ? '' : or)
  if ($ref?.endsWith('/Money.Patch')) return 'Partial<Money>'
  const names = [$ref, ...(anyOf ?? []).map((one) => one.$ref), ...(allOf ?? []).map((one) => one.$ref)]
  if (names.some((name) => name?.endsWith('/Money.Patch'))) return `Partial<Money>${or}`
  if (names.some((name) => name?.endsWith('/Money'))) return `Money${or}`
  const plain = [type].flat().find((one) => one !== 'null')
  if (plain === 'integer' || plain === 'number') return `number${or}`
  if (plain === 'string' || plain === 'boolean') return `${plain}${or}`
  return 'unknown'
}

function entryOf({ paths, components }: Document, object: string, name: string): string {
  const fields = Object.entries(components.schemas[name]?.properties ?? {})
  const lookups = fields.flatMap(([field, schema]) => (schema['x-field']?.type === 'lookup' ? [field] : []))
  const unique = Object.keys(paths).flatMap((path) => {
    const [, of, field] = /^\/api\/v1\/([a-z0-9]+)\/by\/(\w+)\/\{value\}$/.exec(path) ?? []
    return of === object && field !== undefined ? [field] : []
  })
  const acting = paths[`/api/v1/${object}/{key}/workflow/{action}`]?.post?.parameters ?? []
  const actions = acting.find((one) => one.name === 'action')?.schema?.enum ?? []
  const of = (names: readonly unknown[]) => names.map((one) => `'${String(one)}'`).join(' | ') || 'never'
  return `  readonly ${object}: {
    readonly Record: ${name}
    readonly Create: ${name}Create
    readonly Change: ${name}Change
    readonly Lookups: ${of(lookups)}
    readonly Unique: ${of(unique)}
    readonly Actions: ${of(actions)}
  }`
}
