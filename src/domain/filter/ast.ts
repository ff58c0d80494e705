/**
 * A filter after parsing and checking: typed, in negation normal form, with no operator or value that a caller could
 * have smuggled in. Read models compile it to their own language.
 *
 * Logic is two-valued. A comparison with a field that has no value is false, except that `eq null` is then true and
 * `ne` anything else is true. `not` is pushed down to the leaves, where `negated` inverts the whole leaf: so
 * `not (Rent gt 5)` holds for a record without Rent.
 */
import type { FieldDefinition, ObjectDefinition } from '../definition.ts'

/**
 * The way from a record to a value: lookups to follow, then a field of the record arrived at.
 *
 * `MonthlyRent/Amount` is the field MonthlyRent with part Amount (also what plain `MonthlyRent` means in a comparison);
 * `Tenant` or `Tenant/Id` is the lookup field itself, compared by Key; `Tenant/Name` has one hop and the field Name.
 */
export interface Path {
  /** As the caller wrote it. */
  readonly text: string
  /** Lookup fields to follow, each with the object it belongs to. Empty for the record's own fields. */
  readonly hops: readonly { readonly on: ObjectDefinition; readonly lookup: FieldDefinition }[]
  /** The object that the last field belongs to. */
  readonly on: ObjectDefinition
  readonly field: FieldDefinition
  readonly part?: 'Amount' | 'Currency'
  /** How values compare: text by case-folded order (equality exact), number, boolean, or exact (keys, dates, timestamps, choices, currencies). */
  readonly kind: 'text' | 'number' | 'boolean' | 'exact'
}

export type Comparison = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le'
export type Value = string | number | boolean

export const MEASURES = ['length', 'month', 'day'] as const
export type Measure = (typeof MEASURES)[number]

/** One condition on one path, or none. */
export type Leaf =
  | {
      readonly op: 'compare'
      readonly path: Path
      readonly by: Comparison
      readonly value: Value
      readonly negated: boolean
    }
  /** `eq null`; negated: `ne null`. */
  | { readonly op: 'isNull'; readonly path: Path; readonly negated: boolean }
  /** Values are distinct and never null. */
  | { readonly op: 'in'; readonly path: Path; readonly values: readonly Value[]; readonly negated: boolean }
  /** Case is ignored: `text` is folded already (see `folded-text.ts`). Choices and currencies can be matched, too. */
  | {
      readonly op: 'contains' | 'startswith' | 'endswith'
      readonly path: Path
      readonly text: string
      readonly negated: boolean
    }
  /** `tolower(Path) eq '…'`, `toupper(…)`: equal without regard to case. `text` is folded. */
  | { readonly op: 'equalsFolded'; readonly path: Path; readonly text: string; readonly negated: boolean }
  /**
   * A number made of the value: how many characters a text has, the month (1 to 12) or day (1 to 31) of a date or
   * timestamp. A year is a range of dates, and no leaf of its own.
   */
  | {
      readonly op: 'measure'
      readonly path: Path
      readonly of: Measure
      readonly by: Comparison
      readonly value: number
      readonly negated: boolean
    }
  /** Always or never true. */
  | { readonly op: 'constant'; readonly value: boolean }

/** `and` and `or` have two terms or more, none of which has the same operator. */
export type Filter = { readonly op: 'and' | 'or'; readonly terms: readonly Filter[] } | Leaf
