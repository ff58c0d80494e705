/** What the service has to know about a type of field. One file beside this for each type; `field-values.ts` lists them. */
import type { FieldDefinition } from '../../definition.ts'
import type { Json } from '../../json.ts'

export interface TypeRules {
  /**
   * From a JSON value of a request, never null, to the canonical value that is stored, or what is wrong with it. A
   * canonical value reads back as itself.
   */
  readonly read: (value: Json, field: FieldDefinition) => Json | ValueFault
  /** Whether a value, as it is stored or served, is of this type. */
  readonly holds: (value: Json) => boolean
  /** How filters and sorts compare values: text by its case-folded form, where equality is exact. */
  readonly compares: 'text' | 'number' | 'boolean' | 'exact'
  /** What filters compare it with. */
  readonly takes: 'text' | 'key' | 'number' | 'boolean' | 'date' | 'timestamp'
  /** Whether read models keep an index of the values; lists by others look at each record. */
  readonly indexed: boolean
}

/** What is wrong with a value, in words that follow the field's name. */
export class ValueFault {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

export const fault = (message: string) => new ValueFault(message)

export const isText = (value: Json) => typeof value === 'string'
export const isNumber = (value: Json) => typeof value === 'number'

export function readText(value: Json, maxLength: number): string | ValueFault {
  if (typeof value !== 'string') return fault('must be text')
  if (isLonger(value, maxLength)) return fault(`is longer than ${maxLength} characters`)
  if (!isStorable(value))
    return fault('holds characters that cannot be stored (NUL, or half of a surrogate pair)')
  return value
}

/** Counts characters, which take one or two units of text each. */
function isLonger(text: string, maxLength: number): boolean {
  if (text.length <= maxLength) return false
  return text.length > 2 * maxLength || [...text].length > maxLength
}

/** NUL ends text in too many engines, and a lone surrogate has no UTF-8 form: neither would come back as it was sent. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

export function withinBounds(value: number, field: FieldDefinition): number | ValueFault {
  if (field.minimum !== undefined && value < field.minimum) return fault(`must be at least ${field.minimum}`)
  if (field.maximum !== undefined && value > field.maximum) return fault(`must be at most ${field.maximum}`)
  return value === 0 ? 0 : value // JSON has no -0
}
