/**
 * The roles that a company makes for itself, beside the shared ones that every company has.
 *
 * Only a `system_admin` may make and change them: writing roles is a way to any right. Users and tokens refer to a role by
 * its name, so the name never changes, and a role that is in use cannot be deleted.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Caller } from '../commands/command.ts'
import type { Written } from '../commands/support/record-appends.ts'
import type { RecordStates } from '../commands/support/record-states.ts'
import type { WriteRecords } from '../commands/write-records.ts'
import type { Definitions } from '../domain/definition.ts'
import { Conflict, Forbidden, Invalid, NotFound, type Fault } from '../domain/errors.ts'
import type { Company } from '../domain/events/event.ts'
import type { Fields, Json } from '../domain/json.ts'
import { isKeyOf } from '../domain/records/key.ts'
import type { ReadModels } from '../ports/read-models.ts'
import { SYSTEM_ADMIN } from '../rights/granting.ts'
import { readRole, type Role } from '../rights/role.ts'
import { faultsOfBody, objectIn } from '../shapes/body.ts'
import type { Administrator, KeyedChange } from './administrator.ts'
import { rolesOf } from './identity-state.ts'
import { role as roleObject } from './objects.ts'

export interface OwnRolesOptions {
  /** The shared roles, by name. */
  readonly shared: ReadonlyMap<string, Role>
  /** Of all objects. */
  readonly definitions: Definitions
  readonly states: Pick<RecordStates, 'load'>
  readonly readModels: Pick<ReadModels, 'list'>
  readonly write: Pick<WriteRecords, 'create' | 'update' | 'remove' | 'doneBefore'>
}

/** The Key of a shared role. */
export function sharedKey(name: string): string {
  return `role-${name}`
}

export class OwnRoles {
  readonly #options: OwnRolesOptions

  constructor(options: OwnRolesOptions) {
    this.#options = options
  }

  /** @throws Invalid, Forbidden, Conflict (the name is taken) */
  async create(caller: Caller, by: Administrator, body: Json): Promise<Written> {
    checkMaker(by)
    const done = await this.#options.write.doneBefore(caller, roleObject.object)
    if (done) return done
    const sent = this.#checked(objectIn(body))
    if (this.#options.shared.has(sent['Name'] as string))
      throw new Conflict('Every company has a role of this name.', [
        { Field: 'Name', Message: 'is the name of a role that every company has' },
      ])
    return this.#options.write.create(caller, { definition: roleObject, body: sent })
  }

  /** @throws as `create`, and NotFound, PreconditionFailed */
  async update(
    caller: Caller,
    by: Administrator,
    { key, expected, body }: KeyedChange & { readonly body: Json },
  ): Promise<Written> {
    checkMaker(by)
    const done = await this.#options.write.doneBefore(caller, key)
    if (done) return done
    const { Name, Description, Grants } = await this.#ownRole(caller.company, key)
    const sent = objectIn(body)
    if (sent['Name'] !== undefined && !isDeepStrictEqual(sent['Name'], Name))
      throw new Invalid('The role is not valid.', [
        { Field: 'Name', Message: 'cannot be changed: users and tokens have the role by its name' },
      ])
    this.#checked({ Name: Name!, Description: Description ?? null, Grants: Grants!, ...sent })
    const change = { definition: roleObject, key, expected, body: sent, writing: 'replace' } as const
    return this.#options.write.update(caller, change)
  }

  /** @throws NotFound, PreconditionFailed, Forbidden, Conflict naming users and tokens that have the role */
  async remove(caller: Caller, by: Administrator, { key, expected }: KeyedChange): Promise<Written> {
    checkMaker(by)
    const done = await this.#options.write.doneBefore(caller, key)
    if (done) return done
    const { Name } = await this.#ownRole(caller.company, key)
    const found = await holders(this.#options.readModels, caller.company, Name as string)
    if (found.length > 0) {
      const more = found.length > NAMED ? ` and ${found.length - NAMED} more` : ''
      const Message = `is a role of ${found.slice(0, NAMED).join(', ')}${more}`
      throw new Conflict(`${key} is in use.`, [{ Field: 'Name', Message }])
    }
    return this.#options.write.remove(caller, { definition: roleObject, key, expected })
  }

  /** @throws NotFound, Conflict (a shared role) */
  async #ownRole(company: Company, key: string): Promise<Fields> {
    const { shared, states } = this.#options
    if ([...shared.keys()].some((name) => sharedKey(name) === key))
      throw new Conflict('Every company has this role; it cannot be changed.')
    const state = isKeyOf('role', key) ? await states.load(company, key) : undefined
    if (state?.status !== 'live') throw new NotFound(`Role ${key.slice(0, 100)} does not exist.`)
    return state.fields
  }

  /** @throws Invalid */
  #checked(sent: Fields): Fields {
    const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null))
    const read = readRole(given, this.#options.definitions)
    const faults = 'faults' in read ? faultsOfBody(read.faults) : operateFaults(read.role)
    if (faults.length > 0) throw new Invalid('The role is not valid.', faults)
    return sent
  }
}

/** A company's own role cannot allow what concerns the whole service. */
function operateFaults({ Grants }: Role): Fault[] {
  return Grants.flatMap(({ Actions }, index) =>
    Actions.includes('operate')
      ? [{ Field: `Grants[${index}].Actions`, Message: 'cannot include operate in a role of a company' }]
      : [],
  )
}

const NAMED = 5
const PAGE = 500

/** Keys of the users and tokens that have the role. */
async function holders(
  readModels: Pick<ReadModels, 'list'>,
  company: Company,
  role: string,
): Promise<string[]> {
  const found: string[] = []
  for (const object of ['user', 'token'])
    for (let offset = 0, total = 1; offset < total; offset += PAGE) {
      const page = await readModels.list(company, { object, sort: [], offset, limit: PAGE, expand: [] })
      total = page.total
      for (const { key, json } of page.records)
        if (rolesOf(JSON.parse(json) as Fields).includes(role)) found.push(key)
    }
  return found
}

/** @throws Forbidden */
function checkMaker({ roles: own }: Administrator): void {
  if (!own.includes(SYSTEM_ADMIN)) throw new Forbidden(`Only a ${SYSTEM_ADMIN} can make and change roles.`)
}
