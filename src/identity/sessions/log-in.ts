/**
 * Logging in and out (specification 4.3). A login that fails does as much work whatever its cause: the same reads, the same
 * hash; and it never says which it was.
 */
import type { Caller } from '../../commands/command.ts'
import type { UniqueClaims } from '../../commands/support/unique-claims.ts'
import type { WriteRecords } from '../../commands/write-records.ts'
import { fieldOf } from '../../domain/definition.ts'
import { NotFound } from '../../domain/errors.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import type { RecordState } from '../../domain/records/record.ts'
import { epochOf, isActive, isOpen, rolesOf, timeoutOf } from '../identity-state.ts'
import type { CurrentStates } from '../current-states.ts'
import { session as sessionObject, user as userObject } from '../objects.ts'
import type { Passwords } from '../secrets/passwords.ts'
import type { SessionTickets } from './session-tickets.ts'

export interface LogInRequest {
  readonly email: string
  readonly password: string
  readonly companyKey: string
  /** Id of the request. */
  readonly correlation: string
}

/** The user record of specification 2.4. */
export interface UserRecord {
  readonly Id: string
  readonly Email: string | null
  readonly Name: string
  readonly Company: { readonly Id: string; readonly Name: string }
  readonly Roles: readonly string[]
}

export interface LoggedIn {
  readonly user: UserRecord
  /** Value of the cookie. */
  readonly cookie: string
}

export interface LogIn {
  /**
   * Undefined: it fails, whatever the cause.
   * @throws Busy when too many passwords are waiting; Unavailable when the store is away
   */
  logIn(request: LogInRequest): Promise<LoggedIn | undefined>
  /**
   * Begins a session of a user whose password is known to be right in that state: if it has changed since, the session has
   * ended already. Value of the cookie.
   */
  beginSession(caller: Caller, user: string, state: RecordState): Promise<string>
  /** Ends the session of the cookie, for every process; nothing when it has ended or never was one. */
  logOut(cookie: string, correlation: string): Promise<void>
}

export interface LogInOptions {
  readonly current: CurrentStates
  readonly ownerOf: UniqueClaims['ownerOf']
  readonly write: Pick<WriteRecords, 'create' | 'remove'>
  readonly passwords: Pick<Passwords, 'verify'>
  readonly tickets: SessionTickets
  readonly newCommand: () => string
}

/** Nobody's: read in place of what is not there. */
const NO_COMPANY = `company-${'0'.repeat(26)}`
const NO_USER = `user-${'0'.repeat(26)}`

/** The form of an address that two users cannot share. */
export function plainEmail(email: string): string {
  return email.normalize('NFC').toLowerCase()
}

export function logIn(options: LogInOptions): LogIn {
  const { current, ownerOf, write, passwords, tickets, newCommand } = options
  const email = fieldOf(userObject, 'Email')!

  /** Two reads when there is none, as when there is one: who has the address, and whether he still has it. */
  const userOf = async (company: string, address: string): Promise<readonly [string, RecordState]> => {
    const key = (await ownerOf(company, userObject, { field: email, value: plainEmail(address) })) ?? NO_USER
    if (key === NO_USER) await current.load(company, NO_USER)
    return [key, await current.load(company, key)]
  }

  const beginSession: LogIn['beginSession'] = async (caller, user, { fields }) => {
    const { company } = caller
    const { fields: firm } = await current.load(company, company)
    const body = { User: user, Epoch: epochOf(fields) }
    const { key } = await write.create(caller, { definition: sessionObject, body })
    return tickets.issue({ company, user, session: key }, timeoutOf(firm))
  }

  return {
    beginSession,
    async logIn({ email: address, password, companyKey, correlation }) {
      const company = isKeyOf('company', companyKey) ? companyKey : NO_COMPANY
      const firm = await current.load(company, company)
      const [key, user] = await userOf(company, address)
      const isRight = await passwords.verify(password, user.fields['PasswordHash'] as string | undefined)
      if (!isRight || !isOpen(firm) || !isActive(user)) return undefined
      const caller = { company, actor: key, correlation, command: newCommand() }
      return {
        cookie: await beginSession(caller, key, user),
        user: {
          Id: key,
          Email: user.fields['Email'] as string,
          Name: user.fields['Name'] as string,
          Company: { Id: company, Name: firm.fields['Name'] as string },
          Roles: rolesOf(user.fields),
        },
      }
    },
    async logOut(cookie, correlation) {
      const ticket = tickets.read(cookie)
      if (!ticket) return
      const { company, user, session: key } = ticket
      const caller = { company, actor: user, correlation, command: newCommand() }
      await write.remove(caller, { definition: sessionObject, key }).catch((error: unknown) => {
        if (!(error instanceof NotFound)) throw error
      })
    },
  }
}
