/** What a user or token may do at this moment, for work that goes on after its request was answered. */
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

/** Undefined: nothing any more; the company is suspended, the user inactive, the token revoked or expired. */
export type ActorAccess = (company: Company, actor: string) => Promise<Access | undefined>

export function actorAccess({ current, accessOf, now }: ActorAccessOptions): ActorAccess {
  const rolesOfToken = async (company: Company, key: string): Promise<readonly string[] | undefined> => {
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
    const roles = isKeyOf('token', actor)
      ? await rolesOfToken(company, actor)
      : await rolesOfUser(company, actor)
    return roles && accessOf(company, roles)
  }
}
