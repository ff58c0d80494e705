/**
 * Lets a user in again, for operators with access to the machine (`npm run admin`): by a new password, which ends every
 * session of the user, or by a new API token with the user's roles; or makes a user an administrator again. All of it is in the
 * history.
 */
import { randomBytes } from 'node:crypto'
import type { UniqueClaims } from '../commands/support/unique-claims.ts'
import type { Caller } from '../commands/command.ts'
import { fieldOf } from '../domain/definition.ts'
import { Conflict, NotFound } from '../domain/errors.ts'
import { SYSTEM, type Company } from '../domain/events/event.ts'
import type { ReadModels } from '../ports/read-models.ts'
import { plainEmail } from './sessions/log-in.ts'
import { user as userObject } from './objects.ts'
import type { RecordStates } from '../commands/support/record-states.ts'
import { rolesOf } from './identity-state.ts'
import type { Tokens } from './tokens/tokens.ts'
import type { Users } from './users.ts'

export const ADMIN_COMMANDS = ['reset-password', 'new-token', 'make-admin'] as const
export type AdminCommand = (typeof ADMIN_COMMANDS)[number]

export interface AdminRequest {
  readonly command: AdminCommand
  readonly email: string
  /** Key; needed only when several companies have a user with that address. */
  readonly company?: string | undefined
}

export interface AdminAnswer {
  /** Keys. */
  readonly company: Company
  readonly user: string
  /** The password or the token: generated, shown once. `make-admin` has none. */
  readonly secret?: string
}

export interface AdminOptions {
  readonly readModels: Pick<ReadModels, 'list'>
  readonly ownerOf: UniqueClaims['ownerOf']
  readonly users: Pick<Users, 'setPassword' | 'makeAdministrator'>
  readonly tokens: Pick<Tokens, 'create'>
  readonly states: Pick<RecordStates, 'load'>
  readonly newCommand: () => string
}

const PAGE = 100

/** @throws NotFound when no user has the address, Conflict naming the companies when several have one */
export async function letIn(options: AdminOptions, request: AdminRequest): Promise<AdminAnswer> {
  const found = await userOf(options, request)
  const command = options.newCommand()
  const reason = request.command === 'reset-password' ? 'reset on the machine' : 'made on the machine'
  const caller = { company: found.company, actor: SYSTEM, correlation: command, command, reason }
  if (request.command === 'new-token')
    return { ...found, secret: await newToken(options, caller, found.user) }
  if (request.command === 'make-admin') {
    await options.users.makeAdministrator(caller, found.user)
    return found
  }
  const secret = randomBytes(15).toString('base64url')
  await options.users.setPassword(caller, found.user, secret)
  return { ...found, secret }
}

/** Stands for the user, with the user's roles and for as long as tokens usually last. */
async function newToken({ states, tokens }: AdminOptions, caller: Caller, user: string): Promise<string> {
  const { fields } = await states.load(caller.company, user)
  if (fields['IsActive'] === false) throw new Conflict('The user is not active; tokens would not be let in.')
  const roles = rolesOf(fields)
  const by = { actor: SYSTEM, person: user, roles }
  const { value } = await tokens.create(caller, by, { Name: 'made on the machine', Roles: [...roles] })
  return value
}

async function userOf({ ownerOf, readModels }: AdminOptions, { email, company }: AdminRequest) {
  const claim = { field: fieldOf(userObject, 'Email')!, value: plainEmail(email) }
  const found: { readonly company: Company; readonly user: string }[] = []
  for (const one of company === undefined ? await companies(readModels) : [company]) {
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
  return only
}

async function companies(readModels: AdminOptions['readModels']): Promise<readonly Company[]> {
  const keys: Company[] = []
  for (;;) {
    const query = { object: 'company', sort: [], offset: keys.length, limit: PAGE, expand: [] }
    const { records } = await readModels.list(SYSTEM, query)
    keys.push(...records.map(({ key }) => key))
    if (records.length < PAGE) return keys
  }
}
