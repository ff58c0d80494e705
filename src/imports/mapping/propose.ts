/** Which column goes where when nobody has said so: by the names of fields. Close names are proposals, and never used unasked. */
import { fieldOf, type ObjectDefinition } from '../../domain/definition.ts'
import { didYouMean } from '../../domain/filter/closest-name.ts'
import type { Question } from '../import.ts'
import { assignedColumns } from './assigned-columns.ts'
import type { FieldMapping, Mapping } from './mapping.ts'

/** Columns of error files that lead back to the rows that were refused (`error-file.ts`). */
export const ROW_COLUMN = 'Daybook-Row'
export const ERROR_COLUMN = 'Daybook-Error'

const PART = /^(.+)[._ ](Amount|Currency)$/

export interface Proposal {
  readonly mapping: Mapping
  readonly questions: readonly Question[]
}

export function proposeMapping(
  definition: ObjectDefinition,
  columns: readonly string[],
  mode: Mapping['Mode'] = 'create',
): Proposal {
  const fields: Record<string, FieldMapping> = {}
  const questions: Question[] = []
  const assigned = assignedColumns(definition, columns)
  const names = definition.fields.filter(({ readOnly }) => !readOnly).map(({ name }) => name)
  for (const column of columns) {
    const place = column.trim()
    if (place === ROW_COLUMN || place === ERROR_COLUMN || assigned.includes(column)) continue
    const [, money = '', part] = PART.exec(place) ?? []
    const found = fieldNamed(definition, place)
    const ofMoney = part === undefined ? undefined : fieldNamed(definition, money)
    if (found) fields[found] = { ...fields[found], Column: column }
    else if (ofMoney !== undefined && fieldOf(definition, ofMoney)?.type === 'money')
      fields[ofMoney] = { ...fields[ofMoney], [part as 'Amount']: { Column: column } }
    else {
      const near = didYouMean(place, names)
      const Question =
        near ?? `${definition.object} has no such field: map the column, or name it in IgnoreColumns`
      questions.push({ Field: null, Column: column, Question })
    }
  }
  if (fields['Id'] && mode === 'create') questions.push(ID_IN_CREATE)
  const keyField = keyFieldOf(definition, fields, mode)
  return {
    mapping: {
      Mode: mode,
      ...(keyField !== undefined && { KeyField: keyField }),
      Fields: fields,
      // Its texts are as they are in the records, blanks around them included.
      ...(fields['Id'] && { Formats: { Trim: false } }),
      ...(assigned.length > 0 && { IgnoreColumns: [...assigned] }),
      UnknownColumns: 'error',
      MissingColumns: 'error',
      DuplicatesInFile: 'error',
      AllowPastDates: false,
      EmptyCell: 'keep',
    },
    questions,
  }
}

const ID_IN_CREATE: Question = {
  Field: 'Id',
  Column: 'Id',
  Question:
    'names records that there are: set Mode to update or upsert, or name Id in IgnoreColumns to create new ones',
}

/** By its exact name, or the same without regard to case where that is one only. */
function fieldNamed(definition: ObjectDefinition, name: string): string | undefined {
  if (name === 'Id') return name
  const field = fieldOf(definition, name)
  if (field) return field.readOnly ? undefined : name
  const alike = definition.fields.filter(
    (one) => one.name.toLowerCase() === name.toLowerCase() && !one.readOnly,
  )
  return alike.length === 1 ? alike[0]!.name : undefined
}

function keyFieldOf(
  definition: ObjectDefinition,
  fields: Readonly<Record<string, FieldMapping>>,
  mode: Mapping['Mode'],
): string | undefined {
  if (mode === 'create') return undefined
  if (fields['Id']) return 'Id'
  return definition.fields.find(({ name, unique }) => unique && fields[name])?.name
}
