/** A SCIM filter as one of records: what stands behind an attribute is compared, in any case unless the attribute says otherwise. */
import type { Definitions } from '../../../domain/definition.ts'
import { secondsOf, utcTimestamp } from '../../../domain/fields/dates.ts'
import { foldedText } from '../../../domain/fields/folded-text.ts'
import type { Comparison, Filter, Path } from '../../../domain/filter/ast.ts'
import { allOf, anyOf, negated } from '../../../domain/filter/combine.ts'
import { resolvePath } from '../../../domain/filter/path.ts'
import { ENTERPRISE, USER } from '../attributes.ts'
import { ScimInvalid } from '../invalid.ts'
import type { Mapped, ScimMapping } from '../mapping.ts'
import { resolve, type Resolved } from '../resolve.ts'
import type { AttributePath, Operator, ScimFilter } from './ast.ts'
import { compares } from './matches.ts'

interface Translating {
  readonly mapping: ScimMapping
  /** As the client sees them. */
  readonly definitions: Definitions
}

type Condition = Extract<ScimFilter, { readonly path: AttributePath }>
type Compared = Exclude<Condition, { readonly op: 'some' }>

/** @throws ScimInvalid; Invalid for a field that the client does not see */
export function recordFilter(filter: ScimFilter, of: Translating): Filter {
  switch (filter.op) {
    case 'and':
      return allOf(filter.terms.map((term) => recordFilter(term, of)))!
    case 'or':
      return anyOf(filter.terms.map((term) => recordFilter(term, of)))
    case 'not':
      return negated(recordFilter(filter.term, of))
    case 'some':
      return someElement(filter, of)
    default:
      return condition(filter, of)
  }
}

/** The path to what sorts by an attribute. @throws ScimInvalid */
export function sortPath(path: AttributePath, of: Translating): Path {
  const resolved = resolve(path)
  if (resolved.kind === 'assigned') return pathTo(assignedField(resolved.name, 'invalidPath'), of)
  const mapped = mappedOf(resolved, of)
  if (!mapped) throw new ScimInvalid('invalidPath', `users cannot be sorted by ${path.attribute}`)
  return pathTo(mapped.field, of)
}

function someElement({ path, filter }: Extract<ScimFilter, { op: 'some' }>, of: Translating): Filter {
  const resolved = resolve(path)
  const mapped = mappedOf(resolved, of)
  if (resolved.kind === 'unknown') throw unknown(path)
  if (mapped && mapped.attribute.kind !== 'work')
    throw new ScimInvalid('invalidFilter', `${path.attribute} is not a list`)
  if (!mapped) return NEVER
  const within = (inner: ScimFilter): ScimFilter => {
    switch (inner.op) {
      case 'and':
      case 'or':
        return { op: inner.op, terms: inner.terms.map(within) }
      case 'not':
        return { op: 'not', term: within(inner.term) }
      case 'some':
        return inner
      default:
        if (inner.path.sub !== undefined) throw unknown(inner.path)
        return { ...inner, path: { ...path, sub: inner.path.attribute } }
    }
  }
  return allOf([present(pathTo(mapped.field, of)), recordFilter(within(filter), of)])!
}

function condition(filter: Compared, of: Translating): Filter {
  const resolved = resolve(filter.path)
  if (resolved.kind === 'unknown') throw unknown(filter.path)
  if (resolved.kind === 'assigned') return assigned(resolved.name, filter, of)
  const mapped = mappedOf(resolved, of)
  // Nobody has a value of what is not kept.
  if (!mapped || resolved.kind !== 'one') return constant(holds(filter, undefined))
  const path = pathTo(mapped.field, of)
  const { part } = resolved
  switch (mapped.attribute.kind) {
    case 'boolean':
      return choice(mapped, path, filter)
    case 'reference':
      // Of others their names and addresses are not kept.
      return part === undefined || part === 'value'
        ? key(path, filter, of)
        : constant(holds(filter, undefined))
    case 'work': {
      if (part === undefined || part === 'value') return text(path, filter, false)
      const value = part === 'type' ? 'work' : part === 'primary' ? true : undefined
      return oneOf(path, holds(filter, value), holds(filter, undefined))
    }
    case 'text':
      return text(path, filter, mapped.attribute.caseExact)
  }
}

function assigned(name: string, filter: Compared, of: Translating): Filter {
  if (name === 'schemas') return constant([USER, ENTERPRISE].some((schema) => holds(filter, schema)))
  if (name === 'meta.resourcetype') return constant(holds(filter, 'User'))
  const path = pathTo(assignedField(name, 'invalidFilter'), of)
  if (path.field.name === 'Id') return key(path, filter, of)
  if (filter.op === 'pr') return ALWAYS
  const at = typeof filter.value === 'string' ? utcTimestamp(filter.value) : undefined
  const by = comparisonOf(filter.op)
  if (at === undefined || by === undefined)
    throw new ScimInvalid('invalidFilter', `${name} is compared with a timestamp by eq, ne, gt, ge, lt or le`)
  return { op: 'compare', path, by, value: secondsOf(at), negated: false }
}

function assignedField(name: string, wrong: 'invalidFilter' | 'invalidPath'): string {
  const field = { id: 'Id', 'meta.created': 'CreatedAt', 'meta.lastmodified': 'ModifiedAt' }[name]
  if (field === undefined) throw new ScimInvalid(wrong, `${name} cannot be used here`)
  return field
}

/** A boolean of which every record has one of both values. */
function choice({ choices }: Mapped, path: Path, filter: Compared): Filter {
  if (filter.op !== 'eq' && filter.op !== 'ne' && filter.op !== 'pr')
    throw new ScimInvalid('invalidFilter', 'active is compared by eq, ne and pr')
  const isFalse: Filter = { op: 'compare', path, by: 'eq', value: choices!.false, negated: false }
  const [whenTrue, whenFalse] = [holds(filter, true), holds(filter, false)]
  if (whenTrue === whenFalse) return constant(whenTrue)
  return whenFalse ? isFalse : negated(isFalse)
}

function key(path: Path, filter: Compared, { mapping }: Translating): Filter {
  if (filter.op === 'pr' || filter.value === null) return text(path, filter, true)
  if (filter.op !== 'eq' && filter.op !== 'ne')
    throw new ScimInvalid('invalidFilter', 'Ids are compared by eq, ne and pr')
  const value = String(filter.value)
  const isKey = value.startsWith(`${mapping.definition.object}-`) && isStorable(value)
  const same: Filter = isKey ? { op: 'compare', path, by: 'eq', value, negated: false } : NEVER
  return filter.op === 'eq' ? same : negated(same)
}

function text(path: Path, filter: Compared, caseExact: boolean): Filter {
  if (filter.op === 'pr') return present(path)
  const { op, value } = filter
  if (value === null) {
    if (op === 'eq' || op === 'ne') return op === 'eq' ? negated(present(path)) : present(path)
    throw new ScimInvalid('invalidFilter', `${filter.path.attribute} cannot be compared with null by ${op}`)
  }
  const wanted = String(value)
  if (!isStorable(wanted)) return constant(op === 'ne')
  const folded = foldedText(wanted)
  switch (op) {
    case 'eq':
    case 'ne': {
      const same: Filter = caseExact
        ? { op: 'compare', path, by: 'eq', value: wanted, negated: false }
        : { op: 'equalsFolded', path, text: folded, negated: false }
      return op === 'eq' ? same : negated(same)
    }
    case 'co':
      return { op: 'contains', path, text: folded, negated: false }
    case 'sw':
      return { op: 'startswith', path, text: folded, negated: false }
    case 'ew':
      return { op: 'endswith', path, text: folded, negated: false }
    default:
      return { op: 'compare', path, by: op, value: wanted, negated: false }
  }
}

const holds = (filter: Compared, value: string | boolean | undefined): boolean =>
  filter.op === 'pr' ? value !== undefined : compares(filter.op, value, filter.value)

const comparisonOf = (op: Operator): Comparison | undefined =>
  op === 'co' || op === 'sw' || op === 'ew' ? undefined : op

/** Whether it holds where there is a value, and where there is none. */
function oneOf(path: Path, withValue: boolean, without: boolean): Filter {
  if (withValue === without) return constant(withValue)
  return withValue ? present(path) : negated(present(path))
}

const present = (path: Path): Filter => ({ op: 'isNull', path, negated: true })
const constant = (value: boolean): Filter => ({ op: 'constant', value })
const ALWAYS = constant(true)
const NEVER = constant(false)

/** No record can hold others. */
const isStorable = (value: string) => !/\0|\p{Surrogate}/u.test(value)

const mappedOf = (resolved: Resolved, { mapping }: Translating): Mapped | undefined =>
  resolved.kind === 'one' ? mapping.all.find(({ name }) => name === resolved.name) : undefined

function pathTo(field: string, { mapping: { definition }, definitions }: Translating): Path {
  const seen = definitions.get(definition.object) ?? definition
  return resolvePath({ parameter: 'filter', text: field, at: 0, definition: seen, definitions })
}

function unknown({ attribute, sub }: AttributePath): ScimInvalid {
  const name = sub === undefined ? attribute : `${attribute}.${sub}`
  return new ScimInvalid('invalidFilter', `users have no attribute ${name.slice(0, 100)}`)
}
