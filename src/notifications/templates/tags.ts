/** Merge tags: `{{Field}}`, or a path over lookups such as `{{Lookup.Field}}`. They cannot compute, choose or repeat. */
import {
  fieldOf,
  STANDARD_FIELDS,
  type Definitions,
  type FieldDefinition,
  type ObjectDefinition,
} from '../../domain/definition.ts'
import { closestName, meantName } from '../../domain/filter/closest-name.ts'

export interface Tag {
  /** As in `Tenant.Name`. */
  readonly path: string
  /** Where it begins in the text, from 0. */
  readonly at: number
  /** Characters, braces included. */
  readonly length: number
}

const TAG = /\{\{([^{}]*)\}\}/g
const UNCLOSED = /\{\{[^{}\r\n]{0,40}/g
const PATH = /^[A-Za-z][A-Za-z0-9]{0,59}(\.[A-Za-z][A-Za-z0-9]{0,59}){0,4}$/

/** What is wrong with each `{{` that no `}}` closes. @param tags what may be written there */
export function unclosedTags(text: string, tags: string): readonly string[] {
  const rest = text.replace(TAG, (tag) => ' '.repeat(tag.length))
  return [...rest.matchAll(UNCLOSED)].map(
    ({ 0: begun, index }) => `${begun.trimEnd()} at ${index} is not closed: write ${tags}`,
  )
}

/** The tags of a text in their order, and what stands in braces without being one. */
export function tagsIn(text: string): { readonly tags: readonly Tag[]; readonly odd: readonly Tag[] } {
  const tags: Tag[] = []
  const odd: Tag[] = []
  for (const match of text.matchAll(TAG)) {
    const path = match[1]!.trim()
    const tag = { path, at: match.index, length: match[0].length }
    if (PATH.test(path)) tags.push(tag)
    else odd.push(tag)
  }
  return { tags, odd }
}

/** The text with each tag replaced by what it stands for. */
export function replaceTags(text: string, valueOf: (path: string) => string): string {
  return text.replace(TAG, (_all, inner: string) => (PATH.test(inner.trim()) ? valueOf(inner.trim()) : ''))
}

/** What the path leads to; or what is wrong with it, in words that follow the tag. */
export function resolveTag(
  path: string,
  definition: ObjectDefinition,
  definitions: Definitions,
): { readonly field: FieldDefinition; readonly part?: string } | { readonly fault: string } {
  const names = path.split('.')
  let on = definition
  for (const [index, name] of names.entries()) {
    const field = fieldOf(on, name)
    if (!field) {
      return { fault: `${on.object} has no field ${name}${meantField(name, on, definitions)}` }
    }
    const rest = names.slice(index + 1)
    if (rest.length === 0) return { field }
    if (field.type === 'money' && rest.length === 1 && ['Amount', 'Currency'].includes(rest[0]!))
      return { field, part: rest[0]! }
    const target = field.type === 'lookup' ? definitions.get(field.target ?? '') : undefined
    if (!target) return { fault: `nothing can follow ${name}, which is ${field.type}` }
    on = target
  }
  return { fault: 'is empty' }
}

/** The field may be one of a record that this one looks up. */
function meantField(name: string, on: ObjectDefinition, definitions: Definitions): string {
  const own = meantName(name, [...STANDARD_FIELDS, ...on.fields].map(nameOf))
  if (own !== '') return own
  for (const lookup of on.fields) {
    const found = closestName(name, definitions.get(lookup.target ?? '')?.fields.map(nameOf) ?? [])
    if (found !== undefined) return `; did you mean ${lookup.name}.${found}?`
  }
  return ''
}

const nameOf = ({ name }: FieldDefinition) => name
