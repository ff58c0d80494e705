/** Parts of a user: `attributes` and `excludedAttributes` (RFC 7644, 3.9). `id` and `schemas` are always there. */
import { isObject, type Json } from '../../domain/json.ts'
import { ENTERPRISE } from './attributes.ts'
import { parseAttributePath } from './filter/parse.ts'
import { ScimInvalid } from './invalid.ts'

type Shown = { readonly [name: string]: Json }

export interface Picking {
  readonly kind: 'only' | 'without'
  /** In lowercase: names on the way to what is meant. */
  readonly paths: readonly (readonly string[])[]
}

const ALWAYS = new Set(['id', 'schemas'])
const MOST_NAMES = 100

/** Undefined: everything is shown. @throws ScimInvalid */
export function readPicking(attributes: unknown, excludedAttributes: unknown): Picking | undefined {
  const only = namesIn(attributes, 'attributes')
  const without = namesIn(excludedAttributes, 'excludedAttributes')
  if (only && without)
    throw new ScimInvalid('invalidValue', 'attributes and excludedAttributes cannot be sent together')
  if (only) return { kind: 'only', paths: only.map(pathOf) }
  return without && { kind: 'without', paths: without.map(pathOf) }
}

export function picked(user: Shown, picking: Picking | undefined): Shown {
  if (!picking) return user
  const { kind, paths } = picking
  return Object.fromEntries(
    Object.entries(user).flatMap(([name, value]) => {
      if (ALWAYS.has(name)) return [[name, value]]
      const rest = kind === 'only' ? pickedFrom(name, value, paths) : leftOf(name, value, paths)
      return rest === undefined ? [] : [[name, rest]]
    }),
  )
}

function pickedFrom(name: string, value: Json, paths: Picking['paths']): Json | undefined {
  const meant = belowOf(name, paths)
  if (meant.length === 0) return undefined
  if (meant.some((path) => path.length === 0)) return value
  return each(value, (below, own) => pickedFrom(below, own, meant))
}

function leftOf(name: string, value: Json, paths: Picking['paths']): Json | undefined {
  const meant = belowOf(name, paths)
  if (meant.some((path) => path.length === 0)) return undefined
  return meant.length === 0 ? value : each(value, (below, own) => leftOf(below, own, meant))
}

/** What remains of the paths that begin with the name. */
const belowOf = (name: string, paths: Picking['paths']) =>
  paths.filter(([first]) => first === name.toLowerCase()).map((path) => path.slice(1))

function each(value: Json, keep: (name: string, value: Json) => Json | undefined): Json | undefined {
  if (Array.isArray(value)) return (value as readonly Json[]).map((one) => each(one, keep) ?? {})
  if (!isObject(value)) return undefined
  const kept = Object.entries(value).flatMap(([name, own]) => {
    const rest = keep(name, own)
    return rest === undefined ? [] : [[name, rest] as const]
  })
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

function namesIn(given: unknown, name: string): readonly string[] | undefined {
  if (given === undefined) return undefined
  const texts: unknown = Array.isArray(given) ? given.join(',') : given
  if (typeof texts !== 'string') throw new ScimInvalid('invalidValue', `${name} must be names of attributes`)
  const names = texts
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')
  if (names.length > MOST_NAMES)
    throw new ScimInvalid('invalidValue', `${name} names more than ${MOST_NAMES}`)
  return names.length > 0 ? names : undefined
}

function pathOf(text: string): readonly string[] {
  const extension = ENTERPRISE.toLowerCase()
  if (text.toLowerCase() === extension) return [extension]
  const { schema, attribute, sub } = parseAttributePath(text, 'invalidPath')
  const within = schema?.toLowerCase() === extension ? [extension] : []
  return [...within, attribute.toLowerCase(), ...(sub === undefined ? [] : [sub.toLowerCase()])]
}
