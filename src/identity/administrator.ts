/** The principal that administers users, tokens and roles of its company. */
import type { ExpectedVersion } from '../commands/support/expected-version.ts'
import { Forbidden } from '../domain/errors.ts'
import { mayGrant } from '../rights/granting.ts'
import type { Principal } from './principal.ts'

export type Administrator = Pick<Principal, 'actor' | 'person' | 'roles' | 'tokenHash'>

/** Which record is to be changed, and the versions that it must be at. */
export interface KeyedChange {
  readonly key: string
  readonly expected?: ExpectedVersion | undefined
}

/** @throws Forbidden naming a role that the administrator does not have */
export function checkGrant({ roles }: Pick<Administrator, 'roles'>, wanted: readonly string[]): void {
  const beyond = wanted.find((role) => !mayGrant(roles, role))
  if (beyond !== undefined)
    throw new Forbidden(`You cannot give or take the role ${beyond}: you do not have it.`)
}
