/** What the body of a new credential, an API token or a login of a tool, says: its name, its roles and how long it is valid. */
import { createRecord } from '../../commands/create-record.ts'
import type { ObjectDefinition } from '../../domain/definition.ts'
import { faultsOf, Invalid, type Fault } from '../../domain/errors.ts'
import type { Fields, Json } from '../../domain/json.ts'
import { membersOf, rolesFaults } from '../request-bodies.ts'
import { expiryOf } from './lifetime.ts'

/** Name, Roles and ExpiresAt. @throws Invalid with everything that is wrong */
export function credentialFields(
  body: Json,
  { definition, roleNames, time }: CredentialOf,
): Fields & { readonly Roles: string[] } {
  const sent = membersOf(body, ['Name', 'Roles', 'Scopes', 'ExpiresAt'])
  const faults: Fault[] = []
  if (sent['Roles'] !== undefined && sent['Scopes'] !== undefined)
    faults.push({ Field: 'Scopes', Message: 'is another word for Roles: send one of them' })
  const roles = sent['Roles'] ?? sent['Scopes'] ?? null
  if (roles === null) faults.push({ Field: 'Roles', Message: 'is required' })
  else faults.push(...rolesFaults(roles, roleNames))
  const ExpiresAt = expiryOf(sent['ExpiresAt'] ?? null, time, faults)
  const named: Fields = sent['Name'] === undefined ? {} : { Name: sent['Name'] }
  const found = faultsOf(() => createRecord({ definition, body: named, today: undefined }))
  faults.push(...found.filter(({ Field }) => Field === 'Name'))
  if (faults.length > 0) throw new Invalid(`The ${definition.name.toLowerCase()} is not valid.`, faults)
  return { ...named, Roles: roles as string[], ExpiresAt }
}

export interface CredentialOf {
  readonly definition: ObjectDefinition
  /** Of all roles of the company. */
  readonly roleNames: ReadonlySet<string>
  /** Now, in ms since 1970. */
  readonly time: number
}
