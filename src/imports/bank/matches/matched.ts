/** What a line was matched with, as it is stored in its field `Matches`. Names and meanings stay for ever. */
import type { ObjectDefinition } from '../../../domain/definition.ts'
import type { Fields } from '../../../domain/json.ts'

/** One payment that the line was found to be. */
export interface MatchedPart {
  /** `received`: it was expected. `made`: it was made from the line. `returned`: the line takes it back. */
  readonly Kind: 'received' | 'made' | 'returned'
  readonly Payment: string
  readonly Invoice: string | null
  /** As a positive or negative amount, in the currency of the line. */
  readonly Amount: number
  /** Of a payment that was there: what it was before. */
  readonly Before: Fields
  /** Of a payment that was made from a part of an expected one: that one. */
  readonly Of: string | null
  /** What the invoice was before. */
  readonly InvoiceStatus: string | null
}

/**
 * `doing` and `undoing` are written before payments and invoices are: the next to look goes on from there, since every step is
 * done once.
 */
export interface Matches {
  readonly State: 'doing' | 'done' | 'undoing' | 'none'
  /** Counts matches of the line: names of commands derive from it. */
  readonly Round: number
  /** In ms: Keys of payments that are made derive from it. */
  readonly At: number
  readonly Parts: readonly MatchedPart[]
  /** A person has taken a match of it back: from then on it is only matched by people. */
  readonly LeftToPeople?: true
}

export const NO_MATCHES: Matches = { State: 'none', Round: 0, At: 0, Parts: [] }

export const matchesOf = (fields: Fields): Matches =>
  (fields['Matches'] as unknown as Matches | null | undefined) ?? NO_MATCHES

/** The same object for the service itself, which writes its read-only fields and its states. */
export function forService(definition: ObjectDefinition): ObjectDefinition {
  const known = madeWritable.get(definition)
  if (known) return known
  const { workflow, ...rest } = definition
  const { strictStatus: _, ...free } = workflow ?? {}
  const made: ObjectDefinition = {
    ...rest,
    ...(workflow && { workflow: free as typeof workflow }),
    fields: definition.fields.map(({ readOnly, ...field }) =>
      readOnly && field.name !== definition.numbering?.field
        ? field
        : { ...field, ...(readOnly && { readOnly }) },
    ),
  }
  madeWritable.set(definition, made)
  return made
}

const madeWritable = new WeakMap<ObjectDefinition, ObjectDefinition>()
