/**
 * Logging in and out (docs/interface.md, "Login and logout"). A login that fails does the same work whatever the cause (the
 * same reads, the same hash), and the answer does not show the cause.
 */
import type { Caller } from '../../commands/command.ts'
import type { UniqueClaims } from '../../commands/support/unique-claims.ts'
import type { WriteRecords } from '../../commands/write-records.ts'
import { fieldOf } from '../../domain/definition.ts'
import { NotFound } from '../../domain/errors.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import type { RecordState } from '../../domain/records/record.ts'
import type { CurrentStates } from '../current-states.ts'
import { epochOf, isActive, isOpen, rolesOf, timeoutOf } from '../identity-state.ts'
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

/** docs/interface.md, "User record". */
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
   * Undefined: the login fails.
   * @throws Busy when too many passwords are waiting; Unavailable when the store is away
   */
  logIn(request: LogInRequest): Promise<LoggedIn | undefined>
  /**
   * Begins a session of a user whose password was checked in that state; if the password has changed since, the session has
   * already ended. Resolves to the value of the cookie.
   */
  beginSession(caller: Caller, user: string, state: RecordState): Promise<string>
  /** Ends the session of the cookie in every process; does nothing when it has ended already. */
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

/** Read in place of what does not exist. */
const NO_COMPANY = `company-${'0'.repeat(26)}`
const NO_USER = `user-${'0'.repeat(26)}`

/** The form of an address that two users cannot share. */
export function plainEmail(email: string): string {
  return email.normalize('NFC').toLowerCase()
}

export function logIn(options: LogInOptions): LogIn {
  const { current, ownerOf, write, passwords, tickets, newCommand } = options
  const email = fieldOf(userObject, 'Email')!

  /** Two reads, whether or not a user has the address. */
  const userOf = async (company: string, address: string): Promise<readonly [string, RecordState]> => {
    const claim = { field: email, value: plainEmail(address) }
    const key = (await ownerOf(company, userObject, claim, current.ask)) ?? NO_USER
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
      const { firm, key, user } = await current.within('write', async () => {
        const found = await current.load(company, company)
        // A company that does not exist has no keys, and gets none by being asked for.
        const [holder, state] = await userOf(found.status === 'live' ? company : NO_COMPANY, address)
        return { firm: found, key: holder, user: state }
      })
      const hash = user.fields['PasswordHash'] as string | undefined
      // Companies that do not exist share one turn.
      const turn = firm.status === 'live' ? company : NO_COMPANY
      const isRight = await passwords.verify(password, hash, turn)
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
      // Refused at once while the store is away.
      await current.within('write', () => current.load(company, key))
      const caller = { company, actor: user, correlation, command: newCommand() }
      await write.remove(caller, { definition: sessionObject, key }).catch((error: unknown) => {
        if (!(error instanceof NotFound)) throw error
      })
    },
  }
}
