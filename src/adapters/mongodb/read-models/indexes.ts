/**
 * The indexes of a records collection: the default order, the words of search, and for every scalar field its values
 * followed by the order of creation, which serves equality and both directions of sort.
 *
 * Company comes first in each. A collection has at most 64 indexes: fields past that are found by walking the company's
 * records, within the time limit of every query.
 */
import type { Collection, Document, IndexDescription } from 'mongodb'
import type { Definitions, FieldDefinition, ObjectDefinition } from '../../../domain/definition.ts'
import { isIndexed } from '../../../domain/fields/field-values.ts'
import { STANDARD_FIELDS, targetOf } from '../../../domain/definition.ts'
import type { Path } from '../../../domain/filter/ast.ts'
import { keyLocation, locationOf } from './locations.ts'

export type Index = IndexDescription & {
  readonly name: string
  readonly key: { readonly [field: string]: 1 | -1 }
}

const MOST = 62 // of 64: one is MongoDB's own, one is left for operators
const PREFIX = 'daybook_'

/** Which come first when a collection cannot have all: those that most lists use. */
export function indexesOf(definition: ObjectDefinition, definitions: Definitions): readonly Index[] {
  const rank = (field: FieldDefinition): number => {
    if (field.type === 'lookup' || field.unique || field.name === definition.display) return 0
    if (field.name === definition.workflow?.field || field.name === definition.numbering?.field) return 1
    return field.required ? 2 : 3
  }
  const fields = [...STANDARD_FIELDS, ...definition.fields]
    .filter(isIndexed)
    .sort((one, other) => rank(one) - rank(other))
  const locations = fields.flatMap((field) => indexedLocations(definition, definitions, field))
  return [
    index('created', {}),
    index('words', { words: 1 }),
    ...locations.map((location) => index(location, { [location]: 1 })),
  ].slice(0, MOST)
}

function index(name: string, fields: { readonly [field: string]: 1 }): Index {
  const order: { readonly [field: string]: 1 } = 'words' in fields ? {} : { n: 1 }
  return indexOn(name, { company: 1, live: 1, ...fields, ...order })
}

/** An index that is ours. */
export function indexOn(name: string, key: Index['key']): Index {
  return { name: PREFIX + name, key }
}

function indexedLocations(on: ObjectDefinition, definitions: Definitions, field: FieldDefinition): string[] {
  const own: Path = { text: field.name, hops: [], on, field, kind: 'exact' }
  const { exact, folded } = locationOf(own)!
  if (field.type !== 'lookup') return [folded ?? exact]
  const target = targetOf(definitions, field)
  const display = target.fields.find(({ name }) => name === target.display)
  const shown = display && locationOf({ ...own, hops: [{ on, lookup: field }], on: target, field: display })
  return [keyLocation(field), ...(shown?.folded ? [shown.folded] : [])]
}

/** Makes the indexes that are missing, and replaces those of ours that are not what they should be. */
export async function ensureIndexes<T extends Document>(
  collection: Collection<T>,
  wanted: readonly Index[],
): Promise<void> {
  const present = await presentIndexes(collection)
  for (const [name, key] of present) {
    const same = wanted.some((index) => index.name === name && sameKey(index.key, key))
    if (name.startsWith(PREFIX) && !same) {
      await collection.dropIndex(name)
      present.delete(name)
    }
  }
  const missing = wanted.filter(({ name }) => !present.has(name))
  if (missing.length > 0) await collection.createIndexes(missing)
}

async function presentIndexes<T extends Document>(collection: Collection<T>): Promise<Map<string, object>> {
  try {
    const indexes = await collection.listIndexes().toArray()
    return new Map(indexes.map(({ name, key }) => [name as string, key as object]))
  } catch (error) {
    // There is no such collection yet.
    if (error instanceof Error && 'code' in error && error.code === 26) return new Map()
    throw error
  }
}

function sameKey(one: object, other: object): boolean {
  return JSON.stringify(Object.entries(one)) === JSON.stringify(Object.entries(other))
}
