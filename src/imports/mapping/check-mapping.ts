/** Whether a mapping fits the object and the columns of the file. */
import { fieldOf, type Definitions, type ObjectDefinition } from '../../domain/definition.ts'
import { Invalid, type Fault } from '../../domain/errors.ts'
import { meantName } from '../../domain/filter/closest-name.ts'
import type { Json } from '../../domain/json.ts'
import { readBody } from '../../shapes/body.ts'
import { choiceWords } from '../../shapes/shape-words.ts'
import type { Question } from '../import.ts'
import { assignedColumns } from './assigned-columns.ts'
import { mappingSchema, type FieldMapping, type Mapping } from './mapping.ts'
import { DATE_FORMATS, dateFormatNamed } from '../values/dates.ts'
import { utcOf } from './zoned-time.ts'
import { ERROR_COLUMN, ROW_COLUMN } from './propose.ts'

/** @throws Invalid naming each member that is wrong; `definitions`: of all objects */
export function readMapping(definition: ObjectDefinition, definitions: Definitions, value: Json): Mapping {
  const mapping = readBody(mappingSchema, value, 'The mapping is not valid.')
  const faults = [
    ...formatFaults(mapping),
    ...keyFaults(definition, mapping),
    ...fieldFaults(definition, definitions, mapping),
  ]
  if (faults.length > 0) throw new Invalid('The mapping is not valid.', faults)
  return mapping
}

function formatFaults({ Formats: formats = {} }: Mapping): Fault[] {
  const dates = (formats.Date ?? []).filter((pattern) => !dateFormatNamed(pattern))
  const zone = formats.TimeZone
  return [
    ...dates.map((pattern) => ({ Field: 'Formats.Date', Message: choiceWords(pattern, DATE_FORMATS) })),
    ...(zone !== undefined && utcOf('2029-01-15T12:00:00', zone) === undefined
      ? [{ Field: 'Formats.TimeZone', Message: 'must be a time zone such as Europe/Amsterdam' }]
      : []),
  ]
}

function keyFaults(definition: ObjectDefinition, { Mode, KeyField, Fields }: Mapping): Fault[] {
  if (KeyField === undefined)
    return Mode === 'create'
      ? []
      : [
          {
            Field: 'KeyField',
            Message: `is missing: to ${Mode}, rows must be recognized by Id or a unique field`,
          },
        ]
  const field = fieldOf(definition, KeyField)
  if (KeyField !== 'Id' && (!field?.unique || field.readOnly))
    return [
      {
        Field: 'KeyField',
        Message: `must be Id or a unique field${meantName(KeyField, uniqueFields(definition))}`,
      },
    ]
  return Fields[KeyField] ? [] : [{ Field: 'KeyField', Message: 'must be one of the mapped Fields' }]
}

function fieldFaults(definition: ObjectDefinition, definitions: Definitions, { Fields }: Mapping): Fault[] {
  return Object.entries(Fields).flatMap(([name, from]): Fault[] => {
    const Field = `Fields.${name}`
    const field = fieldOf(definition, name)
    if (!field) return [{ Field, Message: noSuchField(definition, name) }]
    if (field.readOnly && name !== 'Id') return [{ Field, Message: 'is assigned by the service' }]
    const faults: Fault[] = []
    const say = (member: string, Message: string) => faults.push({ Field: `${Field}.${member}`, Message })
    if (from.Amount && field.type !== 'money') say('Amount', 'is for fields of money')
    if (from.Format !== undefined && !dateFormatNamed(from.Format))
      say('Format', choiceWords(from.Format, DATE_FORMATS))
    const by = from.LookupBy
    const target = definitions.get(field.target ?? '')
    if (by !== undefined && (field.type !== 'lookup' || !target || !fieldOf(target, by)))
      say('LookupBy', field.type === 'lookup' && target ? noSuchField(target, by) : 'is for lookups')
    if (sourcesOf(from).length === 0 && constantsOf(from).length === 0) say('Column', 'is missing')
    return faults
  })
}

const noSuchField = (definition: ObjectDefinition, name: string) =>
  `${definition.object} has no such field${meantName(name, namesOf(definition.fields))}`

/** Which rows can be recognized by. */
const uniqueFields = ({ fields }: ObjectDefinition) => [
  'Id',
  ...namesOf(fields.filter(({ unique, readOnly }) => unique && !readOnly)),
]

const namesOf = (fields: ObjectDefinition['fields']) => fields.map(({ name }) => name)

const partsOf = (from: FieldMapping) => [from, from.Amount ?? {}, from.Currency ?? {}]
const sourcesOf = (from: FieldMapping) =>
  partsOf(from).flatMap((part) => [
    ...(part.Column === undefined ? [] : [part.Column]),
    ...(part.Columns ?? []),
  ])
const constantsOf = (from: FieldMapping) => partsOf(from).filter((part) => part.Constant !== undefined)

/** What the columns of the file leave open. Those that the service assigns leave nothing open. */
export function columnQuestions(
  definition: ObjectDefinition,
  mapping: Mapping,
  columns: readonly string[],
): Question[] {
  const used = new Set(Object.values(mapping.Fields).flatMap(sourcesOf))
  const known = new Set([...used, ...(mapping.IgnoreColumns ?? []), ROW_COLUMN, ERROR_COLUMN])
  for (const column of assignedColumns(definition, columns)) known.add(column)
  const unknown = mapping.UnknownColumns === 'error' ? columns.filter((column) => !known.has(column)) : []
  const missing =
    mapping.MissingColumns === 'error' ? [...used].filter((column) => !columns.includes(column)) : []
  return [
    ...unknown.map((Column) => ({
      Field: null,
      Column,
      Question: 'is in the file and not in the mapping: map it, or name it in IgnoreColumns',
    })),
    ...missing.map((Column) => ({ Field: null, Column, Question: 'is in the mapping and not in the file' })),
  ]
}

/** Columns of fields that the service assigns, which the mapping does not use. */
export function unusedAssigned(
  definition: ObjectDefinition,
  { Fields }: Mapping,
  columns: readonly string[],
): readonly string[] {
  const used = new Set(Object.values(Fields).flatMap(sourcesOf))
  return assignedColumns(definition, columns).filter((column) => !used.has(column))
}
