/** What a user, token or login of a tool may do at this moment, for what goes on without a request. */
import type { Company } from '../domain/events/event.ts'
import { isKeyOf } from '../domain/records/key.ts'
import type { Access } from '../rights/access.ts'
import { stillGranted } from '../rights/granting.ts'
import type { CompanyRoles } from './company-roles.ts'
import type { StateSource } from './current-states.ts'
import { isActive, isOpen, rolesOf } from './identity-state.ts'

export interface ActorAccessOptions {
  readonly current: StateSource
  readonly accessOf: CompanyRoles['accessOf']
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Undefined: nothing any more; the company is suspended, the user inactive, the token or login revoked or expired. */
export type ActorAccess = (company: Company, actor: string) => Promise<Access | undefined>

export function actorAccess({ current, accessOf, now }: ActorAccessOptions): ActorAccess {
  const rolesOfCredential = async (company: Company, key: string): Promise<readonly string[] | undefined> => {
    const { status, fields } = await current.load(company, key)
    const expires = fields['ExpiresAt']
    if (status !== 'live' || (typeof expires === 'string' && Date.parse(expires) <= now())) return undefined
    const owner = fields['Owner']
    if (typeof owner !== 'string') return rolesOf(fields)
    const person = await current.load(company, owner)
    return isActive(person) ? stillGranted(rolesOf(fields), rolesOf(person.fields)) : undefined
  }
  const rolesOfUser = async (company: Company, key: string) => {
    const user = await current.load(company, key)
    return isActive(user) ? rolesOf(user.fields) : undefined
  }
  return async (company, actor) => {
    if (!isOpen(await current.load(company, company))) return undefined
    const isCredential = isKeyOf('token', actor) || isKeyOf('warehouselogin', actor)
    const roles = await (isCredential ? rolesOfCredential : rolesOfUser)(company, actor)
    return roles && accessOf(company, roles)
  }
}
