/** What a name of an attribute stands for: names of SCIM are the same in any case (RFC 7643, 2.1). */
import {
  ASSIGNED,
  ATTRIBUTE_NAMES,
  ATTRIBUTES,
  ENTERPRISE,
  PASSED_OVER,
  USER,
  type AttributeName,
} from './attributes.ts'
import type { AttributePath } from './filter/ast.ts'

export type Resolved =
  /** `part`: of an element or a reference, in lowercase. */
  | { readonly kind: 'one'; readonly name: AttributeName; readonly part: string | undefined }
  /** `name`, or all of a schema. */
  | { readonly kind: 'group'; readonly names: readonly AttributeName[] }
  /** Assigned by the service, in lowercase: `id`, `meta.created`. */
  | { readonly kind: 'assigned'; readonly name: string }
  | { readonly kind: 'passed' }
  | { readonly kind: 'unknown' }

/** Sub-attributes of elements of a list, and of a reference. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  work: ['value', 'type', 'primary', 'display'],
  reference: ['value', '$ref', 'displayname'],
}

export function resolve({ schema, attribute, sub }: AttributePath): Resolved {
  const inSchema = schemaOf(schema)
  // The name of a schema alone.
  if (schema !== undefined && sub === undefined) {
    const whole = schemaOf(`${schema}:${attribute}`)
    if (whole !== undefined) return { kind: 'group', names: namesOf(whole) }
  }
  if (schema !== undefined && inSchema === undefined) return { kind: 'unknown' }
  const [name, part] = [attribute.toLowerCase(), sub?.toLowerCase()]
  const dotted = part === undefined ? name : `${name}.${part}`
  if (inSchema !== ENTERPRISE && ASSIGNED.has(name)) return { kind: 'assigned', name: dotted }
  const candidates = namesOf(inSchema).filter((one) => ATTRIBUTES[one].attribute.toLowerCase() === name)
  if (candidates.length > 0) {
    const simple = candidates.find((one) => isNamed(one, part))
    if (simple !== undefined) return { kind: 'one', name: simple, part }
    if (part === undefined) return { kind: 'group', names: candidates }
  }
  if (inSchema === ENTERPRISE) return { kind: 'unknown' }
  return PASSED_OVER.has(name) || PASSED_OVER.has(dotted) ? { kind: 'passed' } : { kind: 'unknown' }
}

function isNamed(name: AttributeName, part: string | undefined): boolean {
  const { kind, sub } = ATTRIBUTES[name] as { readonly kind: string; readonly sub?: string }
  if (sub !== undefined) return sub.toLowerCase() === part
  return part === undefined || (PARTS[kind] ?? []).includes(part)
}

const namesOf = (schema: string | undefined): readonly AttributeName[] =>
  ATTRIBUTE_NAMES.filter((name) => schema === undefined || ATTRIBUTES[name].schema === schema)

function schemaOf(text: string | undefined): string | undefined {
  const known = text?.toLowerCase()
  return [USER, ENTERPRISE].find((one) => one.toLowerCase() === known)
}
