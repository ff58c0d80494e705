/** Why somebody may do something, in words: which role grants it, and for which records and fields. */
import type { Definitions } from '../domain/definition.ts'
import { concerns, allows, fieldListOf, type Action } from './access.ts'
import type { Role, RoleGrant } from './role.ts'

/** A grant of a role that allows the action on the object. */
export interface Ground {
  readonly role: string
  readonly grant: RoleGrant
  /** The fields that it is about; undefined: all. */
  readonly fields: readonly string[] | undefined
}

export function groundsOf(
  roles: readonly Role[],
  definitions: Definitions,
  object: string,
  action: Action,
): readonly Ground[] {
  const definition = definitions.get(object)
  return roles.flatMap(({ Name, Grants }) =>
    Grants.filter((grant) => concerns(grant, object, definition) && allows(grant, action)).map((grant) => ({
      role: Name,
      grant,
      fields: fieldListOf(grant, action),
    })),
  )
}

/** `the role viewer grants read on contract where Status eq 'Active', of the fields Status, Notes` */
export function groundText({ role, grant, fields }: Ground, action: Action): string {
  const { Object: object, Application: application, Rows: rows } = grant
  const on =
    application !== undefined ? `all objects of ${application}` : object === '*' ? 'everything' : object!
  const where = rows === undefined ? '' : ` where ${rows}`
  const of = fields === undefined ? '' : `, of the fields ${fields.join(', ')}`
  return `the role ${role} grants ${action} on ${on}${where}${of}`
}
