/** Reads the answer to the `find` of a file: the Ids of the items that it means. */
import type { Json } from '../../domain/json.ts'
import type { Find } from '../definition/request-schema.ts'
import { evaluate, type Source } from './evaluate.ts'
import { itemsAt } from './items.ts'
import { valueAt } from './path.ts'

/** In the order of the answer; where the file does not say which are meant, that of the first alone. */
export function idsFound({ items, match, id }: Find, json: Json | undefined, source: Source): string[] {
  const all = itemsIn(json, items)
  const meant = match ? all.filter((item) => isMeant(match, item, source)) : all.slice(0, 1)
  return meant.flatMap((item) => idOf(evaluate(id, { ...source, item })) ?? [])
}

/** An Id as it is kept; undefined: it cannot be one. */
export function idOf(made: unknown): string | undefined {
  if (typeof made === 'number') return String(made)
  return typeof made === 'string' && made !== '' && made.length <= 200 ? made : undefined
}

function isMeant(match: NonNullable<Find['match']>, item: Json, source: Source): boolean {
  return Object.entries(match).every(([path, wanted]) => {
    const value = evaluate(wanted, source)
    return value !== undefined && valueAt(path, item) === value
  })
}

function itemsIn(json: Json | undefined, path: string): readonly Json[] {
  const found = valueAt(path, json)
  if (found === undefined || found === null) return itemsAt(json, path)
  return Array.isArray(found) ? (found as readonly Json[]) : [found]
}
