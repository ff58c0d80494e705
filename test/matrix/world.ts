/**
 * Two companies with somebody for every role in each way to log in, those who once could and can no more, and things of
 * theirs to ask for.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Role } from '../../src/rights/role.ts'
import {
  APP_ORIGIN,
  logIn,
  makeToken,
  makeUser,
  NOBODY,
  withCookie,
  withToken,
} from '../api/identity/identity-support.ts'
import { rounds } from '../support/rounds.ts'
import {
  client,
  textOf,
  type Client,
  type Data,
  type HeaderValues,
  type TestService,
} from '../support/service.ts'
import type { ManualClock } from '../support/write-side.ts'

/** A company, as whoever administers it uses it. */
export interface Company {
  readonly key: string
  readonly admin: Client
  readonly kiel: Data
  readonly rome: Data
}

/** Somebody with a role, or without any. */
export interface Principal {
  readonly role: Role
  readonly by: 'cookie' | 'bearer'
  readonly headers: HeaderValues
  /** Key of a token with this role. */
  readonly token: string
  /** Another that is the same, to be used up. */
  again(): Promise<Principal>
}

/** Headers that let nobody in. */
export interface Outsider {
  readonly what: string
  readonly headers: HeaderValues
}

export interface World {
  readonly own: Company
  readonly other: Company
  readonly principals: readonly Principal[]
  readonly outsiders: readonly Outsider[]
}

const DAY_MS = 86_400_000

/** Roles that a company makes for itself: rows, fields, people without records, and nothing at all. */
const OWN_ROLES: readonly Role[] = [
  {
    Name: 'kiel_clerk',
    Grants: [
      {
        Object: 'contract',
        Actions: ['read', 'create', 'update', 'delete', 'import', 'export', 'audit', 'workflow:*'],
        Rows: "Building/City eq 'Kiel'",
        ReadFields: ['ContractNumber', 'Building', 'StartDate', 'Status'],
        WriteFields: ['Building', 'StartDate', 'MonthlyRent'],
      },
      { Object: 'building', Actions: ['read'] },
    ],
  },
  {
    Name: 'date_reader',
    Grants: [{ Object: 'contract', Actions: ['read'], ReadFields: ['StartDate', 'Status'] }],
  },
  { Name: 'people_admin', Grants: [{ Object: '*', Actions: ['administer'] }] },
  { Name: 'nothing', Grants: [] },
]

export async function makeWorld(service: TestService, clock: ManualClock): Promise<World> {
  const first = await service.get('identity/me')
  const own = await furnish((first.data['Company'] as { Id: string }).Id, service)
  const other = await otherCompany(service)
  const shipped = JSON.parse(
    readFileSync(join(import.meta.dirname, '..', '..', 'definitions', 'roles.json'), 'utf8'),
  ) as { readonly roles: readonly Role[] }
  const roles = [...shipped.roles, ...OWN_ROLES]
  for (const role of OWN_ROLES) {
    const made = await service.post('identity/roles', role)
    if (made.status !== 201) throw new Error(`no role was made: ${made.text}`)
  }
  const outsiders = [
    ...(await expired(service, roles, clock)),
    ...(await revoked(service, roles)),
    ...(await suspended(service)),
    ...neverKnown(other),
  ]
  const principals = await Promise.all(
    roles.flatMap((role, place) => waysOf(place).map((by) => principal(service, own, role, by))),
  )
  return { own, other, principals, outsiders }
}

const WAYS = ['cookie', 'bearer'] as const

/** Both with all rounds; else one of them for each role, in turn. */
const waysOf = (place: number) => Array.from({ length: rounds(1, 2) }, (_, way) => WAYS[(place + way) % 2]!)

async function principal(
  service: Client,
  company: Company,
  role: Role,
  by: Principal['by'],
): Promise<Principal> {
  const token = await makeToken(service, [role.Name])
  const again = () => principal(service, company, role, by)
  if (by === 'bearer') return { role, by, headers: withToken(token.value), token: token.Id, again }
  const user = await makeUser(service, [role.Name])
  const login = await logIn(service, { ...user, CompanyKey: company.key })
  return { role, by, headers: withCookie(login), token: token.Id, again }
}

async function furnish(key: string, admin: Client): Promise<Company> {
  const kiel = await admin.create('building', { Name: 'Am Hafen', City: 'Kiel' })
  const rome = await admin.create('building', { Name: 'Via Appia', City: 'Rome' })
  return { key, admin, kiel, rome }
}

async function otherCompany(service: TestService): Promise<Company> {
  const { key, cookie } = await newCompany(service, 'Other')
  const token = await makeToken(service, ['system_admin'], cookie)
  return furnish(
    key,
    client(() => service.url, token.value),
  )
}

async function newCompany(service: TestService, Name: string) {
  const [AdminEmail, AdminPassword] = [`admin@${Name.toLowerCase()}.example`, 'correct horse battery staple']
  const made = await service.post('identity/companies', { Name, AdminEmail, AdminPassword })
  const login = { Email: AdminEmail, Password: AdminPassword, CompanyKey: made.data.Id }
  return { key: made.data.Id, cookie: withCookie(await logIn(service, login)) }
}

/** Sessions and tokens of every role whose time has passed. */
async function expired(
  service: TestService,
  roles: readonly Role[],
  clock: ManualClock,
): Promise<Outsider[]> {
  const ExpiresAt = `${new Date(clock.now() + DAY_MS).toISOString().slice(0, 19)}Z`
  const outsiders: Outsider[] = []
  for (const { Name } of roles) {
    const user = await makeUser(service, [Name])
    const cookie = withCookie(await logIn(service, user))
    const token = await service.post('identity/tokens', { Name: 'short', Roles: [Name], ExpiresAt })
    outsiders.push(
      { what: `expired cookie of ${Name}`, headers: cookie },
      { what: `expired token of ${Name}`, headers: withToken(textOf(token.data, 'Token')) },
    )
  }
  clock.pass(2 * DAY_MS)
  return outsiders
}

async function revoked(service: TestService, roles: readonly Role[]): Promise<Outsider[]> {
  const outsiders: Outsider[] = []
  for (const { Name } of roles) {
    const user = await makeUser(service, [Name])
    const cookie = withCookie(await logIn(service, user))
    await service.post('identity/logout', undefined, cookie)
    const token = await makeToken(service, [Name])
    await service.delete(`identity/tokens/${token.Id}`)
    outsiders.push(
      { what: `cookie of ${Name} after logout`, headers: cookie },
      { what: `revoked token of ${Name}`, headers: withToken(token.value) },
    )
  }
  const user = await makeUser(service, ['system_admin'])
  const cookie = withCookie(await logIn(service, user))
  const token = await makeToken(service, ['system_admin'], cookie)
  await service.patch(`identity/users/${user.Id}`, { IsActive: false })
  return [
    ...outsiders,
    { what: 'cookie of someone who was shut out', headers: cookie },
    { what: 'token of someone who was shut out', headers: withToken(token.value) },
  ]
}

async function suspended(service: TestService): Promise<Outsider[]> {
  const { key, cookie } = await newCompany(service, 'Gone')
  const token = await makeToken(service, ['system_admin'], cookie)
  await service.patch(`identity/companies/${key}`, { IsSuspended: true })
  return [
    { what: 'cookie of a suspended company', headers: cookie },
    { what: 'token of a suspended company', headers: withToken(token.value) },
  ]
}

function neverKnown({ key }: Company): Outsider[] {
  const unsigned = (claims: object) =>
    [{ alg: 'none', typ: 'JWT' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.') + '.'
  const forged = unsigned({ company: key, sub: 'user-x', jti: 'session-x', exp: 9_999_999_999 })
  return [
    { what: 'nothing', headers: NOBODY },
    { what: 'a token that was made up', headers: withToken('daybook_0123456789abcdefghijklmnop') },
    {
      what: 'a cookie that nobody signed',
      headers: { ...NOBODY, Cookie: `.svc.auth=${forged}`, Origin: APP_ORIGIN },
    },
  ]
}
