/**
 * Users, as administrators of a company make, change and remove them.
 *
 * Nobody gives roles that he does not have, nor changes a user who has such roles: neither is a way to more rights. Nobody
 * takes his own roles or lets himself be shut out, so that there is always someone left who administers.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Caller } from '../commands/command.ts'
import { createRecord } from '../commands/create-record.ts'
import type { ExpectedVersion } from '../commands/support/expected-version.ts'
import type { Written } from '../commands/support/record-appends.ts'
import type { RecordStates } from '../commands/support/record-states.ts'
import type { WriteRecords } from '../commands/write-records.ts'
import {
  Conflict,
  faultsOf,
  Forbidden,
  Invalid,
  NotFound,
  PreconditionFailed,
  type Fault,
} from '../domain/errors.ts'
import type { Company } from '../domain/events/event.ts'
import { isObject } from '../domain/fields/field-values.ts'
import type { Fields, Json } from '../domain/json.ts'
import { isKeyOf } from '../domain/records/key.ts'
import type { RecordState } from '../domain/records/record.ts'
import { epochOf, isActive, rolesOf } from './identity-state.ts'
import { mayGrant } from '../rights/granting.ts'
import { plainEmail } from './sessions/log-in.ts'
import { user as userObject } from './objects.ts'
import { passwordFault, type Passwords } from './secrets/passwords.ts'

/** Who administers. */
export interface Administrator {
  /** Key. */
  readonly actor: string
  readonly roles: readonly string[]
  /** See `Principal`. */
  readonly isReplaced?: true | undefined
}

export interface UserChange {
  readonly key: string
  readonly expected?: ExpectedVersion | undefined
}

export interface Users {
  /** @throws Invalid, Conflict (the address is taken), Forbidden (more roles than one's own) */
  create(caller: Caller, by: Administrator, body: Json): Promise<Written>
  /** A new password ends every session of the user, and so does shutting him out. @throws as `create`, and NotFound, PreconditionFailed */
  update(caller: Caller, by: Administrator, change: UserChange & { readonly body: Json }): Promise<Written>
  remove(caller: Caller, by: Administrator, change: UserChange): Promise<Written>
  /** Of one's own, or by whoever has the machine. */
  setPassword(caller: Caller, key: string, password: string): Promise<Written>
}

export interface UsersOptions {
  readonly states: Pick<RecordStates, 'load'>
  readonly write: Pick<WriteRecords, 'create' | 'update' | 'remove'>
  readonly passwords: Passwords
  /** Names of the roles that there are for a company. */
  readonly roleNames: (company: Company) => Promise<ReadonlySet<string>>
}

/** What a body may have; the rest of the user is the service's. */
const SENT = ['Email', 'Name', 'Password', 'Roles', 'IsActive']
const ATTEMPTS = 5

export function users({ states, write, passwords, roleNames }: UsersOptions): Users {
  const liveUser = async (company: Company, key: string): Promise<RecordState> => {
    const state = isKeyOf('user', key) ? await states.load(company, key) : undefined
    if (state?.status !== 'live') throw new NotFound(`there is no user ${key.slice(0, 100)}`)
    return state
  }

  /** The fields of a body as they are stored, but for the password. @throws Invalid */
  const fieldsOf = async (company: Company, body: Json, isNew: boolean): Promise<Record<string, Json>> => {
    const sent = membersOf(body, SENT)
    const fields = { ...sent }
    delete fields['Password']
    if (typeof fields['Email'] === 'string') fields['Email'] = plainEmail(fields['Email'])
    const faults: Fault[] = []
    if (sent['Password'] !== undefined) {
      const fault = passwordFault('Password', sent['Password'])
      if (fault) faults.push(fault)
    } else if (isNew) faults.push({ Field: 'Password', Message: 'is required' })
    if (sent['Roles'] !== undefined) faults.push(...rolesFaults(sent['Roles'], await roleNames(company)))
    if (isNew) {
      fields['Roles'] ??= []
      const found = faultsOf(() => createRecord({ definition: userObject, body: fields, today: undefined }))
      const named = new Set(faults.map(({ Field }) => Field))
      faults.push(...found.filter(({ Field }) => !named.has(Field)))
    }
    if (faults.length > 0) throw new Invalid('this is no valid user', faults)
    return fields
  }

  /** Changes a user as it is found; another change that was made meanwhile is looked at before it is tried again. */
  const changing = async (
    caller: Caller,
    key: string,
    expected: ExpectedVersion | undefined,
    change: (state: RecordState) => Promise<Fields> | Fields,
  ): Promise<Written> => {
    for (let attempt = 1; ; attempt++) {
      const state = await liveUser(caller.company, key)
      const body = await change(state)
      const at = expected ?? [state.version]
      try {
        return await write.update(caller, {
          definition: userObject,
          key,
          body,
          writing: 'replace',
          expected: at,
        })
      } catch (error) {
        if (expected || attempt === ATTEMPTS || !(error instanceof PreconditionFailed)) throw error
      }
    }
  }

  const endedSessions = ({ fields }: RecordState): Fields => ({ SessionEpoch: epochOf(fields) + 1 })

  const withPassword = (hash: string, state: RecordState): Fields => ({
    PasswordHash: hash,
    ...endedSessions(state),
  })

  return {
    async create(caller, by, body) {
      const fields = await fieldsOf(caller.company, body, true)
      const { Password: password } = body as Fields
      checkGrant(by, rolesOf(fields))
      const whole = { ...fields, PasswordHash: await passwords.hash(password as string), SessionEpoch: 0 }
      return write.create(caller, { definition: userObject, body: whole })
    },

    async update(caller, by, { key, expected, body }) {
      const fields = await fieldsOf(caller.company, body, false)
      const { Password: password } = body as Fields
      if (fields['Roles'] === null || fields['IsActive'] === null)
        throw new Invalid('this is no valid user', [
          { Field: fields['Roles'] === null ? 'Roles' : 'IsActive', Message: 'always has a value' },
        ])
      await liveUser(caller.company, key)
      const hash = typeof password === 'string' ? await passwords.hash(password) : undefined
      return changing(caller, key, expected, (state) => {
        checkGrant(by, rolesOf(state.fields))
        checkGrant(by, rolesOf(fields))
        checkNotSelf(by, key, state, fields)
        // Sessions that he had then do not come back with him.
        const isShutOut = fields['IsActive'] === false && isActive(state)
        return {
          ...fields,
          ...(isShutOut && endedSessions(state)),
          ...(hash !== undefined && withPassword(hash, state)),
        }
      })
    },

    async remove(caller, by, { key, expected }) {
      const state = await liveUser(caller.company, key)
      checkGrant(by, rolesOf(state.fields))
      if (key === by.actor) throw new Conflict('nobody removes himself')
      return write.remove(caller, { definition: userObject, key, expected: expected ?? [state.version] })
    },

    async setPassword(caller, key, password) {
      const fault = passwordFault('Password', password)
      if (fault) throw new Invalid('this is no password', [fault])
      const hash = await passwords.hash(password)
      return changing(caller, key, undefined, (state) => withPassword(hash, state))
    },
  }
}

/** The members of a body that is an object with no others than these. @throws Invalid */
export function membersOf(body: Json, known: readonly string[]): Record<string, Json> {
  if (!isObject(body))
    throw new Invalid('the body must be a JSON object', [{ Field: '', Message: 'must be a JSON object' }])
  const unknown = Object.keys(body).filter((name) => !known.includes(name))
  if (unknown.length === 0) return { ...body }
  throw new Invalid(
    'the body has members that are not known',
    unknown.map((name) => ({
      Field: name.slice(0, 100),
      Message: `is unknown or assigned by the service; it takes ${known.join(', ')}`,
    })),
  )
}

/** What is wrong with a list of roles. */
export function rolesFaults(roles: Json, known: ReadonlySet<string>): Fault[] {
  const fault = (Message: string): Fault[] => [{ Field: 'Roles', Message }]
  if (!Array.isArray(roles) || !roles.every((role) => typeof role === 'string'))
    return fault('must be an array of names of roles')
  if (new Set(roles).size !== roles.length) return fault('names a role twice')
  const strange = roles.find((role) => !known.has(role))
  return strange === undefined ? [] : fault(`there is no role ${JSON.stringify(strange.slice(0, 60))}`)
}

/** @throws Forbidden naming a role that the administrator does not have himself */
export function checkGrant({ roles }: Administrator, wanted: readonly string[]): void {
  const beyond = wanted.find((role) => !mayGrant(roles, role))
  if (beyond !== undefined)
    throw new Forbidden(`the role ${beyond} is given and taken only by those who have it`)
}

function checkNotSelf({ actor }: Administrator, key: string, state: RecordState, fields: Fields): void {
  if (actor !== key) return
  if (fields['IsActive'] === false) throw new Conflict('nobody shuts himself out')
  if (fields['Roles'] !== undefined && !isDeepStrictEqual(fields['Roles'], state.fields['Roles']))
    throw new Conflict('nobody changes his own roles')
}
