/** What of SCIM users the file of an integration keeps, and in which fields. */
import type { Definitions, ObjectDefinition } from '../../domain/definition.ts'
import type { Expression } from '../definition/expression-schema.ts'
import type { IntegrationDefinition } from '../definition/integration-schema.ts'
import { ATTRIBUTE_NAMES, ATTRIBUTES, type Attribute, type AttributeName } from './attributes.ts'

export interface Mapped {
  readonly name: AttributeName
  readonly attribute: Attribute
  readonly field: string
  readonly otherwise: Expression | undefined
  /** Of a boolean: the choices of the field. */
  readonly choices: { readonly true: string; readonly false: string } | undefined
  /** What is here holds: it can be read only. */
  readonly isOurs: boolean
}

export interface ScimMapping {
  readonly definition: ObjectDefinition
  readonly by: Mapped | undefined
  readonly userName: Mapped
  readonly all: readonly Mapped[]
}

/** Undefined where the file has no users. */
export function scimMapping(
  { scim, owners }: Pick<IntegrationDefinition, 'scim' | 'owners'>,
  definitions: Definitions,
): ScimMapping | undefined {
  const definition = scim && definitions.get(scim.users.object)
  if (!definition) return undefined
  const { attributes, by } = scim.users
  const all = ATTRIBUTE_NAMES.flatMap((name): Mapped[] => {
    const mapped = attributes[name]
    if (!mapped) return []
    const { field, otherwise, true: yes = '', false: no = '' } = mapped
    return [
      {
        name,
        attribute: ATTRIBUTES[name],
        field,
        otherwise,
        choices: ATTRIBUTES[name].kind === 'boolean' ? { true: yes, false: no } : undefined,
        isOurs: owners[definition.object]?.[field] === 'ours',
      },
    ]
  })
  const named = (name: AttributeName | undefined) => all.find((one) => one.name === name)
  const userName = named('userName')
  return userName && { definition, all, userName, by: named(by) }
}

/** Whether every user has a value. */
export const isAlwaysThere = ({ name, otherwise, choices }: Mapped): boolean =>
  name === 'userName' || otherwise !== undefined || choices !== undefined
