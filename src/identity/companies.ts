/**
 * Companies, as operators of the service make, change and suspend them. Each is the first record of its own scope, so its
 * history is its own.
 */
import type { Caller } from '../commands/command.ts'
import { createRecord } from '../commands/create-record.ts'
import type { ExpectedVersion } from '../commands/support/expected-version.ts'
import { derivedId, derivedKey } from '../commands/support/identifiers.ts'
import type { Written } from '../commands/support/record-appends.ts'
import type { WriteRecords } from '../commands/write-records.ts'
import { Conflict, faultsOf, Invalid, NotFound, type Fault } from '../domain/errors.ts'
import type { Fields, Json } from '../domain/json.ts'
import { isKeyOf } from '../domain/records/key.ts'
import { SYSTEM_ADMIN } from '../rights/granting.ts'
import { plainEmail } from './sessions/log-in.ts'
import { company as companyObject, user as userObject } from './objects.ts'
import { passwordFault, type Passwords } from './secrets/passwords.ts'
import { membersOf } from './users.ts'

export interface Companies {
  /** The company, and the user who administers it. */
  create(caller: Caller, body: Json): Promise<{ readonly company: Written; readonly admin: Written }>
  /** Suspended, nobody of it gets in any more, at once. */
  update(
    caller: Caller,
    change: {
      readonly key: string
      readonly body: Json
      readonly expected?: ExpectedVersion | undefined
    },
  ): Promise<Written>
}

export interface CompaniesOptions {
  readonly write: Pick<WriteRecords, 'create' | 'update'>
  readonly passwords: Pick<Passwords, 'hash'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const SETTINGS = ['Name', 'SessionTimeoutMinutes', 'SessionRenewal', 'IsSuspended']
const ADMIN = ['AdminEmail', 'AdminPassword', 'AdminName']

export function companies({ write, passwords, now }: CompaniesOptions): Companies {
  return {
    async create(caller, body) {
      const sent = membersOf(body, [...SETTINGS, ...ADMIN])
      const { AdminEmail, AdminPassword, AdminName, ...settings } = sent
      const user = {
        Name: AdminName ?? 'Administrator',
        Roles: [SYSTEM_ADMIN],
        SessionEpoch: 0,
        ...(AdminEmail !== undefined && {
          Email: typeof AdminEmail === 'string' ? plainEmail(AdminEmail) : AdminEmail,
        }),
      }
      const faults: Fault[] = [
        ...faultsOf(() => createRecord({ definition: companyObject, body: settings, today: undefined })),
        ...faultsOf(() => createRecord({ definition: userObject, body: user, today: undefined })).map(
          ({ Field, Message }) => ({ Field: `Admin${Field}`, Message }),
        ),
      ]
      const fault =
        AdminPassword === undefined
          ? { Field: 'AdminPassword', Message: 'is required' }
          : passwordFault('AdminPassword', AdminPassword)
      if (fault) faults.push(fault)
      if (faults.length > 0) throw new Invalid('this is no valid company', faults)

      const time = caller.repeatedFrom ?? now()
      const company = derivedKey('company', caller.command, time)
      const within = { ...caller, company, repeatedFrom: time }
      // The company comes last: until it is there nobody can log in, and the request can be sent again.
      const admin = await write.create(
        { ...within, command: derivedId(`${caller.command}/admin`) },
        {
          definition: userObject,
          body: { ...user, PasswordHash: await passwords.hash(AdminPassword as string) },
        },
      )
      return { company: await write.create(within, { definition: companyObject, body: settings }), admin }
    },

    async update(caller, { key, body, expected }) {
      const fields: Fields = membersOf(body, SETTINGS)
      if (!isKeyOf('company', key)) throw new NotFound(`there is no company ${key.slice(0, 100)}`)
      if (key === caller.company && fields['IsSuspended'] === true)
        throw new Conflict('nobody suspends his own company')
      const missing = SETTINGS.filter((name) => fields[name] === null)
      if (missing.length > 0)
        throw new Invalid(
          'this is no valid company',
          missing.map((Field) => ({ Field, Message: 'always has a value' })),
        )
      return write.update(
        { ...caller, company: key },
        { definition: companyObject, key, body: fields, writing: 'replace', expected },
      )
    },
  }
}
