/**
 * Gives a user a new password, for operators with access to the machine (`npm run admin`). Every session of the user ends,
 * and the change is in the history.
 */
import { randomBytes } from 'node:crypto'
import type { UniqueClaims } from '../commands/support/unique-claims.ts'
import { fieldOf } from '../domain/definition.ts'
import { Conflict, NotFound } from '../domain/errors.ts'
import { SYSTEM, type Company } from '../domain/events/event.ts'
import type { ReadModels } from '../ports/read-models.ts'
import { plainEmail } from './sessions/log-in.ts'
import { user as userObject } from './objects.ts'
import type { Users } from './users.ts'

export interface ResetRequest {
  readonly email: string
  /** Key; needed only when several companies have a user with that address. */
  readonly company?: string | undefined
}

export interface Reset {
  /** Keys. */
  readonly company: Company
  readonly user: string
  /** Generated; shown once. */
  readonly password: string
}

export interface ResetPasswordOptions {
  readonly readModels: Pick<ReadModels, 'list'>
  readonly ownerOf: UniqueClaims['ownerOf']
  readonly users: Pick<Users, 'setPassword'>
  readonly newCommand: () => string
}

const PAGE = 100

/** @throws NotFound when no user has the address, Conflict naming the companies when several have one */
export async function resetPassword(
  options: ResetPasswordOptions,
  { email, company }: ResetRequest,
): Promise<Reset> {
  const { ownerOf, users, newCommand } = options
  const claim = { field: fieldOf(userObject, 'Email')!, value: plainEmail(email) }
  const found: { readonly company: Company; readonly user: string }[] = []
  for (const one of company === undefined ? await companies(options) : [company]) {
    const user = await ownerOf(one, userObject, claim)
    if (user !== undefined) found.push({ company: one, user })
  }
  const [only, ...others] = found
  if (!only)
    throw new NotFound(`User ${email} does not exist${company === undefined ? '' : ` in ${company}`}.`)
  if (others.length > 0) {
    const keys = found.map((place) => place.company).join(', ')
    throw new Conflict(`Several companies have a user ${email}. Add one of these Keys: ${keys}.`)
  }
  const password = randomBytes(15).toString('base64url')
  const command = newCommand()
  const reason = 'reset on the machine'
  const caller = { company: only.company, actor: SYSTEM, correlation: command, command, reason }
  await users.setPassword(caller, only.user, password)
  return { ...only, password }
}

async function companies({ readModels }: ResetPasswordOptions): Promise<readonly Company[]> {
  const keys: Company[] = []
  for (;;) {
    const query = { object: 'company', sort: [], offset: keys.length, limit: PAGE, expand: [] }
    const { records } = await readModels.list(SYSTEM, query)
    keys.push(...records.map(({ key }) => key))
    if (records.length < PAGE) return keys
  }
}
