/**
 * The roles of a company: the shared ones that every company has (`definitions/roles.json`), and its own. What they allow
 * is looked up for each request, so a changed role takes effect with the next request, in every process.
 */
import type { UniqueClaims } from '../commands/support/unique-claims.ts'
import { fieldOf, type Definitions } from '../domain/definition.ts'
import { Unavailable } from '../domain/errors.ts'
import type { Company } from '../domain/events/event.ts'
import type { Fields } from '../domain/json.ts'
import { recentlyUsed } from '../domain/recently-used.ts'
import type { RecordState } from '../domain/records/record.ts'
import type { ReadModels } from '../ports/read-models.ts'
import { accessOf, type Access } from '../rights/access.ts'
import type { StateSource } from './current-states.ts'
import { role as roleObject } from './objects.ts'
import { wholeGrants, type Role } from '../rights/role.ts'

export interface CompanyRoles {
  /** What these roles of the company allow together; unknown names allow nothing. The same object while nothing changes. */
  accessOf(
    company: Company,
    names: readonly string[],
    /** The company's own roles are looked up there; absent: in the present. */
    source?: StateSource,
  ): Access | Promise<Access>
  /** Those of the roles that exist, with the grants that still fit the definitions. */
  rolesNamed(company: Company, names: readonly string[]): Promise<readonly Role[]>
  /** The names of all roles of the company. */
  names(company: Company): Promise<ReadonlySet<string>>
}

export interface CompanyRolesOptions {
  /** The shared roles, by name. */
  readonly shared: ReadonlyMap<string, Role>
  /** Of all objects. */
  readonly definitions: Definitions
  readonly current: StateSource
  readonly ownerOf: UniqueClaims['ownerOf']
  readonly readModels: Pick<ReadModels, 'list'>
}

interface Known {
  readonly of: readonly (RecordState | undefined)[]
  readonly access: Access
}

const CAPACITY = 2_000
/** Own roles beyond this many cannot be given. */
const MOST_ROLES = 1_000

export function companyRoles({
  shared,
  definitions,
  current,
  ownerOf,
  readModels,
}: CompanyRolesOptions): CompanyRoles {
  const ofShared = recentlyUsed<Access>(CAPACITY)
  /** The same, by the list object that was passed. */
  const ofList = new WeakMap<readonly string[], Access>()
  const ofOwn = recentlyUsed<Known>(CAPACITY)
  const ownRole = ownRoles(ownerOf)

  const withOwn = async (
    company: Company,
    names: readonly string[],
    source: StateSource,
  ): Promise<Access> => {
    const id = `${company} ${names.join(' ')}`
    const own = names.filter((name) => !shared.has(name))
    const of = await Promise.all(own.map((name) => ownRole(company, name, source)))
    const known = ofOwn.get(id)
    if (known && of.every((state, i) => state === known.of[i])) return known.access
    const roles = [
      ...names.flatMap((name) => shared.get(name) ?? []),
      ...of.flatMap((state) => (state ? [roleOf(state)] : [])),
    ]
    const access = accessOf(wholeGrants(roles, definitions), definitions)
    ofOwn.set(id, { of, access })
    return access
  }

  return {
    accessOf(company, given, source = current) {
      const asked = ofList.get(given)
      if (asked) return asked
      const names = [...new Set(given)].sort()
      const id = names.join(' ')
      if (!names.every((name) => shared.has(name))) return withOwn(company, names, source)
      const access =
        ofShared.get(id) ??
        accessOf(
          names.flatMap((name) => shared.get(name) ?? []),
          definitions,
        )
      ofShared.set(id, access)
      ofList.set(given, access)
      return access
    },
    async rolesNamed(company, names) {
      const found = await Promise.all(
        names.map(async (name) => {
          const known = shared.get(name)
          if (known) return known
          const own = await ownRole(company, name, current)
          return own && roleOf(own)
        }),
      )
      return wholeGrants(
        found.flatMap((one) => one ?? []),
        definitions,
      )
    },
    async names(company) {
      const query = { object: roleObject.object, sort: [], offset: 0, limit: MOST_ROLES, expand: [] }
      const { records } = await readModels.list(company, query)
      const own = records.map(({ json }) => (JSON.parse(json) as Fields)['Name'] as string)
      return new Set([...shared.keys(), ...own])
    },
  }
}

function roleOf({ fields }: RecordState): Role {
  return { Name: fields['Name'] as string, Grants: fields['Grants'] as unknown as Role['Grants'] }
}

type FindOwnRole = (company: Company, name: string, source: StateSource) => Promise<RecordState | undefined>

/** Finds the role of a company's own that has a name; undefined: there is none. */
function ownRoles(ownerOf: UniqueClaims['ownerOf']): FindOwnRole {
  /** Key of the role that last had the name; whether it still has it is checked each time. */
  const keys = recentlyUsed<string>(CAPACITY)

  return async (company: Company, name: string, source: StateSource): Promise<RecordState | undefined> => {
    const id = `${company} ${name}`
    const bears = ({ status, fields }: RecordState) => status === 'live' && fields['Name'] === name
    const known = keys.get(id)
    const before = known && (await source.load(company, known))
    if (before && bears(before)) return before
    const claim = { field: fieldOf(roleObject, 'Name')!, value: name }
    // The key of the company may have to be read for it.
    if (!source.asks) throw new Unavailable('the event store does not answer')
    const key = await ownerOf(company, roleObject, claim, source.ask)
    if (key === undefined) return undefined
    keys.set(id, key)
    const now = await source.load(company, key)
    return bears(now) ? now : undefined
  }
}
