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

export function cellsOf(fields: readonly FieldDefinition[], record: Fields): readonly SourceCell[] {
  return fields.flatMap(({ name, type }): readonly SourceCell[] => {
    const value = record[name] ?? null
    if (type === 'money') {
      const { Amount = null, Currency = null } = isObject(value) ? value : {}
      return [numberCell(Amount), Currency as string | null]
    }
    return [cellOf(type, value)]
  })
}

function cellOf(type: FieldDefinition['type'], value: Json): SourceCell {
  if (value === null) return null
  if (typeof value === 'number') return numberCell(value)
  if (typeof value === 'boolean') return { kind: 'boolean', text: String(value) }
  if (type === 'lookup' && isObject(value)) return nameOf(value)
  if (typeof value !== 'string') return JSON.stringify(value)
  return type === 'date' ? { kind: 'date', text: value } : value
}

const numberCell = (value: Json): SourceCell =>
  value === null ? null : { kind: 'number', text: JSON.stringify(value) }

/** What a lookup shows beside its Key; the Key where that is not seen. */
function nameOf({ Id, ...shown }: Fields): string {
  const name = Object.values(shown).find((one) => typeof one === 'string')
  return name ?? (Id as string)
}
