/** What a file of an integration says of a SCIM server: its token, its object, and a field of the right kind for each attribute. */
import type { Definitions, FieldDefinition, ObjectDefinition } from '../../domain/definition.ts'
import { meantName } from '../../domain/filter/closest-name.ts'
import type { IntegrationDefinition } from '../../integrations/definition/integration-schema.ts'
import { ATTRIBUTE_NAMES, ATTRIBUTES, type AttributeKind } from '../../integrations/scim/attributes.ts'
import { expressionsOf } from '../../integrations/mapping/parts.ts'

type Report = (path: readonly PropertyKey[], reason: string) => void

export function checkScim(
  { scim, credentials }: IntegrationDefinition,
  definitions: Definitions,
  report: Report,
): void {
  if (!scim) return
  const names = credentials.map(({ name }) => name)
  if (!names.includes(scim.bearer))
    report(['scim', 'bearer'], `there is no credential ${scim.bearer}${meantName(scim.bearer, names)}`)
  const { object, by, attributes } = scim.users
  const users = ['scim', 'users']
  const definition = definitions.get(object)
  if (!definition || definition.internal)
    return report(
      [...users, 'object'],
      `there is no object ${object}${meantName(object, [...definitions.keys()])}`,
    )
  for (const name of ATTRIBUTE_NAMES) {
    const mapped = attributes[name]
    if (!mapped) continue
    const path = [...users, 'attributes', name]
    const field = definition.fields.find((one) => one.name === mapped.field)
    const reason = field
      ? faultOf(field, ATTRIBUTES[name].kind, definition)
      : unknownField(mapped.field, definition)
    if (reason !== undefined) report([...path, 'field'], reason)
    if (ATTRIBUTES[name].kind === 'boolean')
      for (const value of ['true', 'false'] as const)
        if (field && !(field.choices ?? []).includes(mapped[value] ?? ''))
          report([...path, value], `must be a choice of ${field.name}`)
    for (const inner of mapped.otherwise === undefined ? [] : expressionsOf(mapped.otherwise))
      if (typeof inner === 'string' && !(inner in attributes))
        report([...path, 'otherwise'], `${inner} is not an attribute of this file`)
      else if (typeof inner === 'object' && 'lookup' in inner)
        report([...path, 'otherwise'], 'cannot look anything up')
  }
  const isUnique = (name: string | undefined) =>
    definition.fields.some((one) => one.name === name && one.unique)
  if (!isUnique(attributes.userName?.field))
    report([...users, 'attributes', 'userName'], 'is required, with a unique field')
  if (by !== undefined && !isUnique(attributes[by]?.field))
    report([...users, 'by'], `${by} must have a unique field in attributes`)
  checkRequired(definition, attributes, (reason) => report([...users, 'attributes'], reason))
}

type Attributes = NonNullable<IntegrationDefinition['scim']>['users']['attributes']

function checkRequired(
  { fields, object }: ObjectDefinition,
  attributes: Attributes,
  report: (reason: string) => void,
): void {
  const always = ATTRIBUTE_NAMES.flatMap((name) => {
    const mapped = attributes[name]
    return mapped && (name === 'userName' || mapped.otherwise !== undefined) ? [mapped.field] : []
  })
  for (const { name, required, default: given } of fields)
    if (required && given === undefined && !always.includes(name))
      report(`${object} needs ${name}: an attribute must have it, and say by otherwise what it gets`)
}

const TYPES: Readonly<Record<AttributeKind, readonly FieldDefinition['type'][]>> = {
  text: ['text', 'longtext', 'email'],
  work: ['text', 'email'],
  boolean: ['choice'],
  reference: ['lookup'],
}

function faultOf(
  { name, type, readOnly, target }: FieldDefinition,
  kind: AttributeKind,
  { object }: ObjectDefinition,
): string | undefined {
  if (readOnly) return `${name} is assigned by the service`
  if (!TYPES[kind].includes(type)) return `${name} is a ${type} field, not one of ${TYPES[kind].join(', ')}`
  return kind === 'reference' && target !== object ? `${name} must look up another ${object}` : undefined
}

const unknownField = (name: string, { fields, object }: ObjectDefinition) =>
  `${object} has no field ${name}${meantName(
    name,
    fields.map((one) => one.name),
  )}`
