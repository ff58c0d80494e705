/**
 * How numbers and dates of mapped columns are written, decided by all of their cells where nobody has said it. What stays open is
 * asked; no cell is quoted, since questions are kept in events.
 */
import { fieldOf, type ObjectDefinition } from '../../domain/definition.ts'
import type { Question } from '../import.ts'
import type { ColumnFindings, Decision } from '../values/column-evidence.ts'
import type { FieldMapping, Mapping } from './mapping.ts'

export interface Decided {
  readonly mapping: Mapping
  readonly questions: readonly Question[]
}

/** @param findings by the places of `columns` */
export function decideFormats(
  definition: ObjectDefinition,
  mapping: Mapping,
  columns: readonly string[],
  findings: readonly ColumnFindings[],
): Decided {
  const questions: Question[] = []
  const formats = mapping.Formats ?? {}
  const decide = (name: string, from: FieldMapping): FieldMapping => {
    const type = fieldOf(definition, name)?.type
    const Column = (from.Amount ?? from).Column
    const found = Column === undefined ? undefined : findings[columns.indexOf(Column)]
    if (!found || Column === undefined) return from
    const settle = <Reading extends string>(
      decision: Decision<Reading>,
      member: string,
    ): Reading | undefined => {
      if ('decided' in decision) return decision.decided
      if ('ask' in decision)
        questions.push({
          Field: name,
          Column,
          Question: `can be read in several ways (see row ${decision.example.row}): set ${member} of the field to ${decision.ask.join(' or ')}`,
        })
      return undefined
    }
    const isNumber = type === 'money' || type === 'decimal' || type === 'integer'
    if (isNumber && from.Decimal === undefined && formats.Decimal === undefined) {
      const Decimal = settle(found.decimalSign, 'Decimal')
      return Decimal === undefined ? from : { ...from, Decimal }
    }
    if (type === 'date' && from.Format === undefined && formats.Date === undefined) {
      const Format = settle(found.dateFormat, 'Format')
      return Format === undefined ? from : { ...from, Format }
    }
    return from
  }
  const fields = Object.entries(mapping.Fields).map(([name, from]) => [name, decide(name, from)] as const)
  return { mapping: { ...mapping, Fields: Object.fromEntries(fields) }, questions }
}
