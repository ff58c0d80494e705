/**
 * Which names of looked-up records are theirs alone: an import finds a record by such a name again. Of the others an export
 * shows the Key.
 */
import { fieldOf, targetOf, type FieldDefinition } from '../../domain/definition.ts'
import type { Filter } from '../../domain/filter/ast.ts'
import { rulesOfType } from '../../domain/fields/field-values.ts'
import { isObject, type Fields } from '../../domain/json.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import type { Narrowing } from '../../rights/narrow-records.ts'
import { nameOf } from './export-columns.ts'

/** Names that many records have are not counted to the end. */
const COUNTED = 1_000

export async function ownNames(
  narrowing: Narrowing,
  fields: readonly FieldDefinition[],
  records: readonly Fields[],
): Promise<(field: FieldDefinition, name: string) => boolean> {
  const own = new Map<string, ReadonlySet<string>>()
  for (const field of fields) {
    if (field.type !== 'lookup') continue
    const values = records.map((record) => record[field.name] ?? null).filter(isObject)
    const names = new Set(values.flatMap((value) => nameOf(value) ?? []))
    if (names.size > 0) own.set(field.name, await namesOfOne(narrowing, field, [...names]))
  }
  return ({ name }, shown) => own.get(name)?.has(shown) ?? false
}

async function namesOfOne(
  { view, company, readModels, definitions }: Narrowing,
  lookup: FieldDefinition,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const target = targetOf(definitions, lookup)
  const field = fieldOf(target, target.display)!
  const path = { text: field.name, hops: [], on: target, field, kind: rulesOfType(field).compares }
  const filter: Filter = { op: 'in', path, values: names, negated: false }
  const asked = { object: target.object, filter, sort: [], offset: 0, limit: COUNTED, expand: [] }
  const { records, total } = await readModels.list(company, view.query(asked))
  if (total > records.length) return new Set()
  const counts = new Map<string, number>()
  for (const { json } of records) {
    const name = (JSON.parse(json) as Fields)[field.name] as string
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return new Set(names.filter((name) => counts.get(name) === 1 && !isKeyOf(target.object, name)))
}
