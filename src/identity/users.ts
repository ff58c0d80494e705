/**
 * Users, as administrators of a company create, change and delete them.
 *
 * Administrators can neither give a role that they do not have nor change a user with such a role: both would be ways to
 * more rights. They cannot change their own roles or deactivate themselves, and nobody takes the last administrator away.
 */
import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import type { Caller } from '../commands/command.ts'
import { createRecord } from '../commands/create-record.ts'
import type { ExpectedVersion } from '../commands/support/expected-version.ts'
import type { Written } from '../commands/support/record-appends.ts'
import type { RecordStates } from '../commands/support/record-states.ts'
import type { WriteRecords } from '../commands/write-records.ts'
import {
  Conflict,
  faultsOf,
  Invalid,
  MOST_FAULTS,
  NotFound,
  PreconditionFailed,
  type Fault,
} from '../domain/errors.ts'
import type { Company } from '../domain/events/event.ts'
import type { Fields, Json } from '../domain/json.ts'
import { isKeyOf } from '../domain/records/key.ts'
import type { RecordState } from '../domain/records/record.ts'
import { SYSTEM_ADMIN } from '../rights/granting.ts'
import { checkGrant, type Administrator, type KeyedChange } from './administrator.ts'
import { epochOf, isActive, rolesOf } from './identity-state.ts'
import type { LastAdministrator } from './last-administrator.ts'
import { user as userObject } from './objects.ts'
import { changedUser, newUser } from './bodies.ts'
import { rolesFaults } from './unknown-roles.ts'
import { bodyOrFaults } from '../shapes/body.ts'
import { passwordFault, type Passwords } from './secrets/passwords.ts'
import { plainEmail } from './sessions/log-in.ts'

export interface UsersOptions {
  readonly states: Pick<RecordStates, 'load'>
  readonly write: Pick<WriteRecords, 'create' | 'update' | 'remove' | 'doneBefore'>
  readonly passwords: Pick<Passwords, 'hash'>
  /** Names of the roles that exist for a company. */
  readonly roleNames: (company: Company) => Promise<ReadonlySet<string>>
  readonly lastAdministrator: LastAdministrator
}

const ATTEMPTS = 5

export class Users {
  readonly #options: UsersOptions

  constructor(options: UsersOptions) {
    this.#options = options
  }

  /** @throws Invalid, Conflict (the address is taken), Forbidden (a role that the administrator does not have) */
  async create(caller: Caller, by: Administrator, body: Json): Promise<Written> {
    const { write, passwords } = this.#options
    const done = await write.doneBefore(caller, userObject.object)
    if (done) return done
    const { fields, password } = await this.#fieldsOf(caller.company, body, true)
    checkGrant(by, rolesOf(fields))
    const PasswordHash = await passwords.hash(password!, caller.company)
    return write.create(caller, {
      definition: userObject,
      body: { ...fields, PasswordHash, SessionEpoch: 0 },
    })
  }

  /**
   * A new password ends every session of the user, and so does deactivating the user.
   * @throws as `create`, and NotFound, PreconditionFailed
   */
  async update(
    caller: Caller,
    by: Administrator,
    { key, expected, body }: KeyedChange & { readonly body: Json },
  ): Promise<Written> {
    const done = await this.#options.write.doneBefore(caller, key)
    if (done) return done
    const { fields, password } = await this.#fieldsOf(caller.company, body, false)
    await this.#liveUser(caller.company, key)
    const hash =
      password === undefined ? undefined : await this.#options.passwords.hash(password, caller.company)
    const { lastAdministrator } = this.#options
    const mayTakeAway = fields['Roles'] !== undefined || fields['IsActive'] === false
    const changed = async (state: RecordState): Promise<Fields> => {
      checkGrant(by, rolesOf(state.fields))
      checkGrant(by, rolesOf(fields))
      checkNotSelf(by, key, state, fields)
      if (mayTakeAway) await lastAdministrator.check(caller.company, { key, fields: state.fields }, fields)
      // The sessions of before do not come back when the user is activated again.
      const isShutOut = fields['IsActive'] === false && isActive(state)
      return {
        ...fields,
        ...(isShutOut && endedSessions(state)),
        ...(hash !== undefined && withPassword(hash, state)),
      }
    }
    const change = () => this.#change(caller, { key, expected }, changed)
    return mayTakeAway ? lastAdministrator.inTurn(caller.company, change) : change()
  }

  /** @throws NotFound, PreconditionFailed, Forbidden, Conflict (one's own user) */
  async remove(caller: Caller, by: Administrator, { key, expected }: KeyedChange): Promise<Written> {
    const done = await this.#options.write.doneBefore(caller, key)
    if (done) return done
    const { write, lastAdministrator } = this.#options
    return lastAdministrator.inTurn(caller.company, async () => {
      const { fields, version } = await this.#liveUser(caller.company, key)
      checkGrant(by, rolesOf(fields))
      if (key === by.person) throw new Conflict('You cannot delete your own user.')
      await lastAdministrator.check(caller.company, { key, fields }, undefined)
      return write.remove(caller, { definition: userObject, key, expected: expected ?? [version] })
    })
  }

  /** For operators on the machine, where a company has lost its administrators. @throws NotFound */
  async makeAdministrator(caller: Caller, key: string): Promise<Written> {
    return this.#change(caller, { key }, ({ fields }) => ({
      Roles: [...new Set([...rolesOf(fields), SYSTEM_ADMIN])],
      IsActive: true,
    }))
  }

  /** For users themselves, and for operators on the machine. @throws Invalid, NotFound */
  async setPassword(caller: Caller, key: string, password: string): Promise<Written> {
    const fault = passwordFault('Password', password)
    if (fault) throw new Invalid('The password is not valid.', [fault])
    const hash = await this.#options.passwords.hash(password, caller.company)
    return this.#change(caller, { key }, (state) => withPassword(hash, state))
  }

  async #liveUser(company: Company, key: string): Promise<RecordState> {
    const state = isKeyOf('user', key) ? await this.#options.states.load(company, key) : undefined
    if (state?.status !== 'live') throw new NotFound(`User ${key.slice(0, 100)} does not exist.`)
    return state
  }

  /** The fields of a body as they are stored, without the password. @throws Invalid */
  async #fieldsOf(
    company: Company,
    body: Json,
    isNew: boolean,
  ): Promise<{ readonly fields: Fields; readonly password: string | undefined }> {
    const read = bodyOrFaults<z.infer<typeof changedUser>>(isNew ? newUser : changedUser, body)
    const faults: Fault[] = 'faults' in read ? [...read.faults] : []
    // Members that have a fault already are not looked at again.
    const { Password: password, ...sent } = 'data' in read ? read.data : withoutFaults(body, faults)
    const fields: Record<string, Json> = sent
    if (sent.Email !== undefined) fields['Email'] = plainEmail(sent.Email)
    if (sent.Roles !== undefined)
      faults.push(...rolesFaults(sent.Roles, await this.#options.roleNames(company)))
    if (isNew) fields['Roles'] ??= []
    const whole = { Roles: [], ...fields }
    const found = faultsOf(() => createRecord({ definition: userObject, body: whole, today: undefined }))
    const named = new Set(faults.map(({ Field }) => memberOf(Field)))
    faults.push(...found.filter(({ Field }) => !named.has(Field) && (isNew || Field in fields)))
    if (faults.length > 0) throw notValid(faults)
    return { fields, password }
  }

  /** Changes a user as it is found; when somebody else was faster, the change is made out again from what they left. */
  async #change(
    caller: Caller,
    { key, expected }: { readonly key: string; readonly expected?: ExpectedVersion | undefined },
    change: (state: RecordState) => Fields | Promise<Fields>,
  ): Promise<Written> {
    for (let attempt = 1; ; attempt++) {
      const state = await this.#liveUser(caller.company, key)
      const body = await change(state)
      const at = expected ?? [state.version]
      const update = { definition: userObject, key, body, writing: 'replace', expected: at } as const
      try {
        return await this.#options.write.update(caller, update)
      } catch (error) {
        if (expected || attempt === ATTEMPTS || !(error instanceof PreconditionFailed)) throw error
      }
    }
  }
}

const memberOf = (field: string) => field.split(/[.[]/)[0]!

/** The members of a new or changed user that are as they should be; none where not every fault may have been named. */
function withoutFaults(body: Json, faults: readonly Fault[]): z.infer<typeof changedUser> {
  if (faults.length >= MOST_FAULTS) return {}
  const wrong = new Set(faults.map(({ Field }) => memberOf(Field)))
  const right = Object.entries(body as Fields).filter(([name]) => !wrong.has(name))
  return Object.fromEntries(right)
}

function notValid(faults: readonly Fault[]): Invalid {
  return new Invalid('The user is not valid.', faults)
}

function endedSessions({ fields }: RecordState): Fields {
  return { SessionEpoch: epochOf(fields) + 1 }
}

function withPassword(hash: string, state: RecordState): Fields {
  return { PasswordHash: hash, ...endedSessions(state) }
}

function checkNotSelf({ person }: Administrator, key: string, state: RecordState, fields: Fields): void {
  if (person !== key) return
  if (fields['IsActive'] === false) throw new Conflict('You cannot deactivate your own user.')
  if (fields['Roles'] !== undefined && !isDeepStrictEqual(fields['Roles'], state.fields['Roles']))
    throw new Conflict('You cannot change your own roles.')
}
