/**
 * Companies, as operators of the service create, change and suspend them. A company is a record of its own company, so its
 * history belongs to it.
 */
import type { Caller } from '../commands/command.ts'
import { createRecord } from '../commands/create-record.ts'
import { derivedId, derivedKey } from '../commands/support/identifiers.ts'
import type { Written } from '../commands/support/record-appends.ts'
import type { WriteRecords } from '../commands/write-records.ts'
import { Conflict, faultsOf, Invalid, NotFound, type Fault } from '../domain/errors.ts'
import { SYSTEM } from '../domain/events/event.ts'
import type { Fields, Json } from '../domain/json.ts'
import { isKeyOf } from '../domain/records/key.ts'
import type { ReadModels } from '../ports/read-models.ts'
import { isLocale } from '../domain/time/locales.ts'
import { isTimeZone } from '../domain/time/zones.ts'
import { SYSTEM_ADMIN } from '../rights/granting.ts'
import type { KeyedChange } from './administrator.ts'
import { company as companyObject, user as userObject } from './objects.ts'
import { bodyOrFaults, readBody } from '../shapes/body.ts'
import { changedCompany, newCompany } from './bodies.ts'
import type { Passwords } from './secrets/passwords.ts'
import { plainEmail } from './sessions/log-in.ts'

export interface CompaniesOptions {
  readonly write: Pick<WriteRecords, 'create' | 'update'>
  readonly passwords: Pick<Passwords, 'hash'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const NOT_VALID = 'The company is not valid.'
const SETTINGS = Object.keys(changedCompany.shape)

export class Companies {
  readonly #options: CompaniesOptions

  constructor(options: CompaniesOptions) {
    this.#options = options
  }

  /** The company, and the user that administers it. @throws Invalid */
  async create(caller: Caller, body: Json): Promise<{ readonly company: Written; readonly admin: Written }> {
    const { write, passwords, now } = this.#options
    const { settings, user, password } = fieldsOfNew(body)
    const time = caller.repeatedFrom ?? now()
    const company = derivedKey('company', caller.command, time)
    const within = { ...caller, company, repeatedFrom: time }
    const PasswordHash = await passwords.hash(password, caller.company)
    // The company comes last: until it exists no login succeeds, and the request can be sent again.
    const admin = await write.create(
      { ...within, command: derivedId(`${caller.command}/admin`) },
      { definition: userObject, body: { ...user, PasswordHash } },
    )
    return { company: await write.create(within, { definition: companyObject, body: settings }), admin }
  }

  /**
   * While a company is suspended none of its users and tokens is let in, from the next request on.
   * @throws Invalid, NotFound, PreconditionFailed, Conflict (suspending one's own company)
   */
  async update(
    caller: Caller,
    { key, body, expected }: KeyedChange & { readonly body: Json },
  ): Promise<Written> {
    const fields = readBody(changedCompany, body, NOT_VALID) as Fields
    if (!isKeyOf('company', key)) throw new NotFound(`Company ${key.slice(0, 100)} does not exist.`)
    if (key === caller.company && fields['IsSuspended'] === true)
      throw new Conflict('You cannot suspend your own company.')
    const cleared = SETTINGS.filter((name) => fields[name] === null)
    if (cleared.length > 0) throw notValid(cleared.map((Field) => ({ Field, Message: 'always has a value' })))
    const faults = placeFaults(fields)
    if (faults.length > 0) throw notValid(faults)
    const change = { definition: companyObject, key, body: fields, writing: 'replace', expected } as const
    return this.#options.write.update({ ...caller, company: key }, change)
  }
}

/** Key of the company of an installation that has only one; undefined where it has several. */
export async function onlyCompany({ list }: Pick<ReadModels, 'list'>): Promise<string | undefined> {
  const query = { object: companyObject.object, sort: [], offset: 0, limit: 2, expand: [] }
  const { records } = await list(SYSTEM, query)
  return records.length === 1 ? records[0]!.key : undefined
}

/** The fields of a new company and of its administrator. @throws Invalid */
function fieldsOfNew(body: Json): { settings: Fields; user: Fields; password: string } {
  const read = bodyOrFaults(newCompany, body)
  const sent = Object.entries(body as Fields).filter(([name]) => SETTINGS.includes(name))
  const settings = Object.fromEntries(sent)
  const admin = 'data' in read ? read.data : undefined
  const user = admin && {
    Name: admin.AdminName ?? 'Administrator',
    Roles: [SYSTEM_ADMIN],
    SessionEpoch: 0,
    Email: plainEmail(admin.AdminEmail),
  }
  const faults: Fault[] = [
    ...('faults' in read ? read.faults : []),
    ...faultsOf(() => createRecord({ definition: companyObject, body: settings, today: undefined })),
    ...placeFaults(settings),
    ...faultsOf(() => user && createRecord({ definition: userObject, body: user, today: undefined })).map(
      ({ Field, Message }) => ({ Field: `Admin${Field}`, Message }),
    ),
  ]
  if (!admin || !user || faults.length > 0) throw notValid(faults)
  return { settings, user, password: admin.AdminPassword }
}

/** What is wrong with where the company is. */
function placeFaults({ TimeZone, Locale }: Fields): Fault[] {
  const faults: Fault[] = []
  if (typeof TimeZone === 'string' && !isTimeZone(TimeZone))
    faults.push({ Field: 'TimeZone', Message: 'must be a time zone such as Europe/Berlin or UTC' })
  if (typeof Locale === 'string' && !isLocale(Locale))
    faults.push({ Field: 'Locale', Message: 'must be a language, with a country or without: en, de-AT' })
  return faults
}

function notValid(faults: readonly Fault[]): Invalid {
  return new Invalid(NOT_VALID, faults)
}
