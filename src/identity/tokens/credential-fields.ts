/** What the body of a new credential, an API token or a login of a tool, says: its name, its roles and how long it is valid. */
import { createRecord } from '../../commands/create-record.ts'
import type { ObjectDefinition } from '../../domain/definition.ts'
import { faultsOf, Invalid, type Fault } from '../../domain/errors.ts'
import type { Fields, Json } from '../../domain/json.ts'
import { bodyOrFaults } from '../../shapes/body.ts'
import { newCredential } from '../bodies.ts'
import { rolesFaults } from '../unknown-roles.ts'
import { expiryOf } from './lifetime.ts'

/** Name, Roles and ExpiresAt. @throws Invalid with everything that is wrong */
export function credentialFields(
  body: Json,
  { definition, roleNames, time }: CredentialOf,
): Fields & { readonly Roles: string[] } {
  const notValid = (faults: readonly Fault[]) =>
    new Invalid(`The ${definition.name.toLowerCase()} is not valid.`, faults)
  const read = bodyOrFaults(newCredential, body)
  if ('faults' in read) throw notValid(read.faults)
  const { Name, Roles, Scopes, ExpiresAt: asked = null } = read.data
  const roles = Roles ?? Scopes ?? []
  const faults = rolesFaults(roles, roleNames)
  const ExpiresAt = expiryOf(asked, time, faults)
  const found = faultsOf(() => createRecord({ definition, body: { Name }, today: undefined }))
  faults.push(...found.filter(({ Field }) => Field === 'Name'))
  if (faults.length > 0) throw notValid(faults)
  return { Name, Roles: roles, ExpiresAt }
}

export interface CredentialOf {
  readonly definition: ObjectDefinition
  /** Of all roles of the company. */
  readonly roleNames: ReadonlySet<string>
  /** Now, in ms since 1970. */
  readonly time: number
}
