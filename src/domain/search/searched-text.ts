/** The searchable text of a record: what is indexed, and what is examined when only some of it may be searched. */
import type { FieldDefinition, ObjectDefinition } from '../definition.ts'
import { isOfType } from '../fields/field-values.ts'
import type { Fields, Json } from '../json.ts'
import { searchWords } from './search-words.ts'

/** The text of the searchable fields of a record as it is served; `only`: of these among them. */
export function searchedText(
  { fields }: Pick<ObjectDefinition, 'fields'>,
  record: Fields,
  only?: readonly string[],
): string {
  return fields
    .filter(({ name, searchable }) => searchable && (!only || only.includes(name)))
    .map((field) => textOf(field, record[field.name] ?? null))
    .join(' ')
}

/** Whether each of the words, which are folded, begins a word of the text. */
export function hasWords(text: string, words: readonly string[]): boolean {
  return beginSome(searchWords(text), words)
}

/** Whether each of the words begins one of those that are there. */
export function beginSome(there: readonly string[], words: readonly string[]): boolean {
  return words.every((word) => there.some((other) => other.startsWith(word)))
}

/** Whether records of the object are found by what they show of others. */
export function isFoundByOthers({ fields }: Pick<ObjectDefinition, 'fields'>): boolean {
  return fields.some(({ type, searchable }) => type === 'lookup' && searchable)
}

/** A searchable lookup contributes the text that it displays; a value of a type that the field had before, nothing. */
function textOf(field: FieldDefinition, value: Json): string {
  if (value === null || !isOfType(field, value)) return ''
  if (typeof value !== 'object') return String(value)
  return Object.entries(value)
    .map(([name, member]) => (name === 'Id' || typeof member !== 'string' ? '' : member))
    .join(' ')
}
