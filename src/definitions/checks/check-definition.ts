/** What must hold between the parts of one definition, once each part has its shape. */
import { STANDARD_FIELDS, type FieldDefinition, type ObjectDefinition } from '../../domain/definition.ts'
import { meantName } from '../../domain/filter/closest-name.ts'
import { readValue } from '../../domain/fields/field-values.ts'
import { ValueFault } from '../../domain/fields/types/rules.ts'
import { checkEventNames, checkWorkflow } from './check-workflow.ts'
import type { ShapeFault } from '../../shapes/shape-faults.ts'

/** Field names that already mean something beside a record's own fields, in lowercase. */
const RESERVED_FIELDS: ReadonlyMap<string, string> = new Map([
  ...STANDARD_FIELDS.map(({ name }) => [name.toLowerCase(), 'a field that every record has'] as const),
  ...['key', 'isdeleted', 'validfrom', 'validto', 'operation', 'changedby'].map(
    (name) => [name, 'a column that every warehouse table has'] as const,
  ),
  ['rowid', 'the place of a row, to SQL'],
  ['version', 'what webhooks send about every record'],
  ...['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'in', 'and', 'or', 'not', 'null', 'true', 'false'].map(
    (name) => [name, 'a word of the filter language'] as const,
  ),
])

const DISPLAYABLE: readonly string[] = ['text', 'email', 'url', 'choice']

type Report = (path: readonly PropertyKey[], reason: string) => void

export const noField = (name: string, fields: readonly string[]) =>
  `there is no field ${name}${meantName(name, fields)}`

/** Every fault of the definition that can be seen without the other definitions. */
export function checkDefinition(definition: ObjectDefinition): readonly ShapeFault[] {
  const faults: ShapeFault[] = []
  const report: Report = (path, reason) => void faults.push({ path, reason })
  const named = new Map(definition.fields.map((field) => [field.name, field]))

  if (definition.name.toLowerCase() !== definition.object)
    report(['name'], `must be ${definition.object} in PascalCase: the same letters and digits`)
  const display = named.get(definition.display)
  if (!display) report(['display'], noField(definition.display, [...named.keys()]))
  else if (!DISPLAYABLE.includes(display.type))
    report(['display'], `${display.name} is ${display.type}; a display field is ${DISPLAYABLE.join(', ')}`)

  const seen = new Map<string, string>()
  for (const [index, field] of definition.fields.entries()) {
    const at = (...path: PropertyKey[]) => ['fields', index, ...path]
    const lower = field.name.toLowerCase()
    const reserved = RESERVED_FIELDS.get(lower)
    const twin = seen.get(lower)
    if (reserved) report(at('name'), `${field.name} is ${reserved}`)
    if (twin) report(at('name'), `there is already a field ${twin}; names must differ by more than case`)
    seen.set(lower, field.name)
    checkField(definition, field, (path, reason) => report(at(...path), reason))
    checkDates(named, field, (path, reason) => report(at(...path), reason))
  }
  checkNumbering(definition, named, report)
  checkWorkflow(definition, named, report)
  checkEventNames(definition, report)
  checkAppendOnly(definition, report)
  return faults
}

function checkField(definition: ObjectDefinition, field: FieldDefinition, report: Report): void {
  const numbered = definition.numbering?.field === field.name
  const state = definition.workflow?.field === field.name
  if (field.required && field.readOnly && !numbered && !field.derived)
    report(['required'], 'a readOnly field that is neither numbered nor derived can have no value')
  if (field.unique && field.readOnly)
    report(['unique'], 'the service assigns it; unique is for values that are sent')
  if (field.minimum !== undefined && field.maximum !== undefined && field.minimum > field.maximum)
    report(['minimum'], `is greater than the maximum ${field.maximum}`)
  field.choices?.forEach((choice, index, all) => {
    if (all.indexOf(choice) < index) report(['choices', index], `${choice} appears twice`)
    const value = readValue(field, choice)
    if (value instanceof ValueFault) report(['choices', index], value.message)
  })
  if (field.default === undefined) return
  const value = readValue(field, field.default)
  if (value instanceof ValueFault) report(['default'], value.message)
  else if (value !== field.default)
    report(['default'], `must be written as it is stored: ${JSON.stringify(value)}`)
  if (field.unique)
    report(['default'], 'a unique field cannot have one: the second record would be a duplicate')
  if (numbered) report(['default'], 'the field is numbered')
  if (state) report(['default'], "the workflow's initial state is taken")
  if (field.derived) report(['default'], 'the field is derived')
}

function checkDates(
  named: ReadonlyMap<string, FieldDefinition>,
  field: FieldDefinition,
  report: Report,
): void {
  const needs = (path: readonly PropertyKey[], name: string, type: FieldDefinition['type']) => {
    const other = named.get(name)
    if (!other) report(path, noField(name, [...named.keys()]))
    else if (other === field) report(path, 'names the field itself')
    else if (other.type !== type) report(path, `${name} is ${other.type}, not ${type}`)
    else if (path[0] === 'derived' && other.derived) report(path, `${name} is derived itself`)
  }
  if (field.derived) {
    needs(['derived', 'from'], field.derived.from, 'date')
    needs(['derived', 'months'], field.derived.months, 'integer')
  }
  if (field.notBefore !== undefined) needs(['notBefore'], field.notBefore, 'date')
}

function checkNumbering(
  { numbering }: ObjectDefinition,
  named: ReadonlyMap<string, FieldDefinition>,
  report: Report,
): void {
  if (!numbering) return
  const field = named.get(numbering.field)
  if (!field) report(['numbering', 'field'], noField(numbering.field, [...named.keys()]))
  else if (field.type !== 'text' || !field.readOnly)
    report(['numbering', 'field'], `${field.name} must be a readOnly text field`)
  const { pattern } = numbering
  if (pattern.split('{sequence}').length !== 2) report(['numbering', 'pattern'], 'must hold {sequence} once')
  if (pattern.split('{year}').length > 2) report(['numbering', 'pattern'], 'may hold {year} only once')
  if (/[{}]/.test(pattern.replaceAll('{year}', '').replaceAll('{sequence}', '')))
    report(['numbering', 'pattern'], 'only {year} and {sequence} may be in braces')
}

/** What has to be judged record by record, against all others, has no place in a pack. */
function checkAppendOnly(definition: ObjectDefinition, report: Report): void {
  if (!definition.appendOnly) return
  for (const part of ['numbering', 'workflow', 'events'] as const)
    if (definition[part]) report([part], 'an appendOnly object cannot have any')
  for (const [index, { unique }] of definition.fields.entries())
    if (unique) report(['fields', index, 'unique'], 'an appendOnly object cannot have unique fields')
}
