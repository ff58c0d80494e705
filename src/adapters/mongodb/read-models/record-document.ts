/**
 * A record as MongoDB holds it: the JSON that is served, and beside it what lists filter, sort and search by.
 *
 * `position` and `revision` make writing safe to repeat: an event at or before `position` has been applied, and a
 * document is replaced only at the revision it was read at (compare and set). So neither a replay nor a process that
 * lost its lease without knowing can undo what another wrote.
 */
import type { ObjectDefinition } from '../../../domain/definition.ts'
import type { Company, Position } from '../../../domain/events/event.ts'
import { isOfType } from '../../../domain/fields/field-values.ts'
import { foldedText } from '../../../domain/fields/folded-text.ts'
import type { Fields, Json } from '../../../domain/json.ts'
import { searchWords } from '../../../domain/search/search-words.ts'
import { searchedText } from '../../../domain/search/searched-text.ts'
import { isFolded } from './locations.ts'

export interface RecordDocument {
  /** `<company>/<key>` */
  readonly _id: string
  readonly company: Company
  readonly key: string
  /** False when it is deleted: then it is kept for lookups that still show it. */
  readonly live: boolean
  /** Position of the event that created the record: the order of creation. */
  readonly n: number
  readonly version: number
  /** Position of the last event applied to it. */
  readonly position: Position
  /** Grows with every write. */
  readonly revision: number
  /** The record as served. */
  readonly json: string
  readonly values: Shadow
  readonly folded: Shadow
  /** By which it is found; absent until the search projection has indexed it. */
  readonly words?: readonly string[]
  /** The server refused it with its words: it has none, and is listed among those that were put aside. */
  readonly isPutAside?: boolean
}

/** Scalar values, nested as in the served record, without those that are null. */
export type Shadow = { readonly [name: string]: string | number | boolean | Shadow }

/** Company first, so that nothing of another company's can be found by Key. */
export function documentId(company: Company, key: string): string {
  if (company === '' || company.includes('/')) throw new Error(`no Key of a company: ${company}`)
  return `${company}/${key}`
}

/** What is worked out from the served record: written whenever that is. */
export function shadowsOf(
  definition: ObjectDefinition,
  record: Fields,
): Pick<RecordDocument, 'json' | 'values' | 'folded'> {
  const values: Record<string, Shadow[string]> = {}
  const folded: Record<string, Shadow[string]> = {}
  for (const name of ['Id', 'CreatedAt', 'ModifiedAt']) put(values, name, record[name] ?? null)
  for (const field of definition.fields) {
    const value = record[field.name] ?? null
    if (value === null || field.type === 'json' || !isOfType(field, value)) continue
    put(values, field.name, value)
    if (field.type === 'lookup' || field.type === 'money')
      put(folded, field.name, foldedMembers(value as Fields))
    else if (isFolded(field)) put(folded, field.name, foldedText(value as string))
  }
  return { json: JSON.stringify(record), values, folded }
}

/** Of `{Id, <display>}` and `{Amount, Currency}`: the texts that `contains` can ask for. */
function foldedMembers(value: Fields): Fields {
  const texts = Object.entries(value).filter(([name, member]) => name !== 'Id' && typeof member === 'string')
  return Object.fromEntries(texts.map(([name, text]) => [name, foldedText(text as string)]))
}

function put(shadow: Record<string, Shadow[string]>, name: string, value: Json): void {
  if (value === null) return
  if (typeof value !== 'object') shadow[name] = value
  else
    shadow[name] = Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null)) as Shadow
}

/** The words of the record's searchable fields. */
export function wordsOf(definition: ObjectDefinition, record: Fields): string[] {
  return searchWords(searchedText(definition, record))
}
