/** A file to fill in: a column for each field that a client may write, and a sheet that says what they take. */
import type { FieldDefinition, ObjectDefinition } from '../domain/definition.ts'
import { shows, type Sight } from '../domain/grant.ts'
import type { WrittenColumn, WrittenSheet } from './formats/xlsx/writer.ts'

interface Column extends WrittenColumn {
  readonly field: FieldDefinition
}

/** @param sight the fields that are shown */
function columnsOf({ fields }: ObjectDefinition, sight: Sight): readonly Column[] {
  const columns = fields
    .filter(({ readOnly, name }) => !readOnly && shows(sight, name))
    .flatMap((field): Column[] => {
      const { name, type, choices } = field
      if (type === 'money')
        return [
          { name: `${name}.Amount`, field },
          { name: `${name}.Currency`, field, text: true },
        ]
      const hint = hintOf(field)
      const isText = type === 'text' || type === 'longtext' || type === 'lookup'
      return [
        { name, field, ...(isText && { text: true }), ...(choices && { choices }), ...(hint && { hint }) },
      ]
    })
  return [...columns.filter(isNeeded), ...columns.filter((column) => !isNeeded(column))]
}

const isNeeded = ({ field }: Column): boolean => field.required === true && field.default === undefined

function hintOf({ type, target, description = '' }: FieldDefinition): string {
  const how =
    type === 'lookup'
      ? `The Key or the name of a record (${target}).`
      : type === 'date'
        ? 'A day, such as 2031-12-31.'
        : ''
  return [description, how].filter((text) => text !== '').join(' ')
}

export const templateColumns = (definition: ObjectDefinition, sight: Sight): readonly string[] =>
  columnsOf(definition, sight).map(({ name }) => name)

export function templateSheet(definition: ObjectDefinition, sight: Sight): WrittenSheet {
  const columns = columnsOf(definition, sight)
  const help = columns.map((column) => {
    const { field, name } = column
    const { type, choices, strict, unique, maxLength, target, description = '' } = field
    const takes = [
      ...(target === undefined ? [] : [`the Key or the name of a record (${target})`]),
      ...(choices ? [`${strict ? 'one of' : 'for example'} ${choices.join(', ')}`] : []),
      ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
      ...(unique ? ['a value that no other record has'] : []),
    ]
    return [name, type, isNeeded(column) ? 'yes' : null, takes.join('; ') || null, description || null]
  })
  return {
    name: definition.name,
    columns,
    rows: [],
    second: { name: 'Help', columns: ['Column', 'Type', 'Required', 'Takes', 'Meaning'], rows: help },
  }
}
