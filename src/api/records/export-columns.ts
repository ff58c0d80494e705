/** Columns and cells of an export: as an import of the same object reads them back. */
import { fieldOf, type FieldDefinition, type ObjectDefinition } from '../../domain/definition.ts'
import { isObject, type Fields, type Json } from '../../domain/json.ts'
import type { SourceCell } from '../../imports/formats/reader.ts'

/** Money takes two columns: `MonthlyRent.Amount` and `MonthlyRent.Currency`. */
export function columnsOf(definition: ObjectDefinition, names: readonly string[]): readonly string[] {
  return names.flatMap((name) =>
    fieldOf(definition, name)?.type === 'money' ? [`${name}.Amount`, `${name}.Currency`] : [name],
  )
}

/** @param isKnown whether the record that a lookup field leads to is found by that name */
export function cellsOf(
  fields: readonly FieldDefinition[],
  record: Fields,
  isKnown: (field: FieldDefinition, name: string) => boolean,
): readonly SourceCell[] {
  return fields.flatMap((field): readonly SourceCell[] => {
    const { name, type } = field
    const value = record[name] ?? null
    if (type === 'money') {
      const { Amount = null, Currency = null } = isObject(value) ? value : {}
      return [numberCell(Amount), Currency as string | null]
    }
    if (type === 'lookup' && isObject(value)) {
      const shown = nameOf(value)
      return [shown !== undefined && isKnown(field, shown) ? shown : (value['Id'] as string)]
    }
    return [cellOf(type, value)]
  })
}

function cellOf(type: FieldDefinition['type'], value: Json): SourceCell {
  if (value === null) return null
  if (typeof value === 'number') return numberCell(value)
  if (typeof value === 'boolean') return { kind: 'boolean', text: String(value) }
  if (typeof value !== 'string' || type === 'json') return JSON.stringify(value)
  return type === 'date' ? { kind: 'date', text: value } : value
}

const numberCell = (value: Json): SourceCell =>
  value === null ? null : { kind: 'number', text: JSON.stringify(value) }

/** What a lookup shows beside its Key; undefined where that is not seen, or not a text. */
export const nameOf = ({ Id: _, ...shown }: Fields): string | undefined =>
  Object.values(shown).find((one) => typeof one === 'string' && one !== '') as string | undefined
