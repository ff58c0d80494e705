/**
 * The roles that a company makes for itself, beside those that every company has.
 *
 * Only a `system_admin` makes and changes them: whoever could write roles could give himself any. The name is how users
 * and tokens have the role, so it never changes, and a role that somebody has stays.
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
import { rolesOf } from './identity-state.ts'
import { SYSTEM_ADMIN } from '../rights/granting.ts'
import { role as roleObject } from './objects.ts'
import { readRole, type Role } from '../rights/role.ts'
import { membersOf, type Administrator, type UserChange } from './users.ts'

export interface Roles {
  /** @throws Invalid, Forbidden, Conflict (the name is taken) */
  create(caller: Caller, by: Administrator, body: Json): Promise<Written>
  /** @throws as `create`, and NotFound, PreconditionFailed */
  update(caller: Caller, by: Administrator, change: UserChange & { readonly body: Json }): Promise<Written>
  /** @throws Conflict naming users and tokens that have the role */
  remove(caller: Caller, by: Administrator, change: UserChange): Promise<Written>
}

export interface RolesOptions {
  /** The roles that every company has, by name. */
  readonly shared: ReadonlyMap<string, Role>
  /** Of all objects. */
  readonly definitions: Definitions
  readonly states: Pick<RecordStates, 'load'>
  readonly readModels: Pick<ReadModels, 'list'>
  readonly write: Pick<WriteRecords, 'create' | 'update' | 'remove'>
}

/** The Key by which a role that every company has is found among the others. */
export function sharedKey(name: string): string {
  return `role-${name}`
}

export function roles({ shared, definitions, states, readModels, write }: RolesOptions): Roles {
  const ownRole = async (company: Company, key: string): Promise<Fields> => {
    if ([...shared.keys()].some((name) => sharedKey(name) === key))
      throw new Conflict('this role is the same for every company and is not changed here')
    const state = isKeyOf('role', key) ? await states.load(company, key) : undefined
    if (state?.status !== 'live') throw new NotFound(`there is no role ${key.slice(0, 100)}`)
    return state.fields
  }

  const checked = (sent: Fields): Fields => {
    const read = readRole(
      Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null)),
      definitions,
    )
    const faults: Fault[] =
      'faults' in read
        ? read.faults.map(({ path, reason }) => ({ Field: fieldAt(path), Message: reason }))
        : read.role.Grants.flatMap(({ Actions }, index) =>
            Actions.includes('operate')
              ? [{ Field: `Grants[${index}].Actions`, Message: 'operate is for roles of the service itself' }]
              : [],
          )
    if (faults.length > 0) throw new Invalid('this is no valid role', faults)
    return sent
  }

  return {
    async create(caller, by, body) {
      checkMaker(by)
      const sent = checked(membersOf(body, ['Name', 'Description', 'Grants']))
      if (shared.has(sent['Name'] as string))
        throw new Conflict('every company has a role of this name', [
          { Field: 'Name', Message: 'is the name of a role that every company has' },
        ])
      return write.create(caller, { definition: roleObject, body: sent })
    },

    async update(caller, by, { key, expected, body }) {
      checkMaker(by)
      const { Name, Description, Grants } = await ownRole(caller.company, key)
      const sent = membersOf(body, ['Name', 'Description', 'Grants'])
      if (sent['Name'] !== undefined && !isDeepStrictEqual(sent['Name'], Name))
        throw new Invalid('this is no valid change of a role', [
          { Field: 'Name', Message: 'stays as it is: users and tokens have the role by its name' },
        ])
      checked({ Name: Name!, Description: Description ?? null, Grants: Grants!, ...sent })
      return write.update(caller, { definition: roleObject, key, expected, body: sent, writing: 'replace' })
    },

    async remove(caller, by, { key, expected }) {
      checkMaker(by)
      const { Name } = await ownRole(caller.company, key)
      const having = await holders(readModels, caller.company, Name as string)
      if (having.length > 0) {
        const more = having.length > NAMED ? ` and ${having.length - NAMED} more` : ''
        const message = `is a role of ${having.slice(0, NAMED).join(', ')}${more}`
        throw new Conflict(`${key} is in use`, [{ Field: 'Name', Message: message }])
      }
      return write.remove(caller, { definition: roleObject, key, expected })
    },
  }
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

function checkMaker({ roles: own }: Administrator): void {
  if (!own.includes(SYSTEM_ADMIN)) throw new Forbidden(`roles are made and changed by a ${SYSTEM_ADMIN}`)
}

/** `['Grants', 0, 'Rows']` is `Grants[0].Rows`. */
function fieldAt(path: readonly PropertyKey[]): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '')
}
