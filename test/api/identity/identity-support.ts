/** People and their sessions, for the suites that are about who may do what. */
import {
  EMAIL,
  PASSWORD,
  textOf,
  type Answer,
  type Client,
  type HeaderValues,
} from '../../support/service.ts'

export const APP_ORIGIN = 'https://app.example.com'
export const COOKIE_DOMAIN = '.example.com'
/** Nobody's token. */
export const NOBODY: HeaderValues = { Authorization: '' }

export interface Login {
  readonly Email?: unknown
  readonly Password?: unknown
  readonly CompanyKey?: unknown
}

/** Logs in; by itself the administrator of the first company. */
export async function logIn(service: Client, login: Login = {}): Promise<Answer> {
  const CompanyKey = login.CompanyKey ?? (await companyOf(service))
  const { Email = EMAIL, Password = PASSWORD } = login
  return service.post('identity/login', { Email, Password, CompanyKey }, NOBODY)
}

export async function companyOf(service: Client): Promise<string> {
  const { data } = await service.get('identity/me')
  return (data['Company'] as { Id: string }).Id
}

/** The headers with which a browser sends the cookie that the answer has set. */
export function withCookie(answer: Answer): HeaderValues {
  const [cookie = ''] = (answer.headers.get('Set-Cookie') ?? '').split(';')
  return { ...NOBODY, Cookie: cookie, Origin: APP_ORIGIN }
}

export function withToken(token: string): HeaderValues {
  return { Authorization: `Bearer ${token}` }
}

let count = 0

/** A user who can log in. */
export async function makeUser(
  service: Client,
  Roles: readonly string[] = ['viewer'],
  headers: HeaderValues = {},
) {
  const login = { Email: `user-${++count}@example.com`, Password: 'correct horse battery staple' }
  const answer = await service.post('identity/users', { ...login, Name: `User ${count}`, Roles }, headers)
  if (answer.status !== 201) throw new Error(`no user was made: ${answer.text}`)
  return { ...login, Id: answer.data.Id }
}

/** A token: its Key and its value. */
export async function makeToken(
  service: Client,
  Roles: readonly string[] = ['viewer'],
  headers: HeaderValues = {},
) {
  const answer = await service.post('identity/tokens', { Name: `token ${++count}`, Roles }, headers)
  if (answer.status !== 201) throw new Error(`no token was made: ${answer.text}`)
  return { Id: answer.data.Id, value: textOf(answer.data, 'Token') }
}

/** The headers of somebody with a role of just these grants. */
export async function withGrants(service: Client, Grants: readonly object[]): Promise<HeaderValues> {
  const Name = `role_${++count}`
  const answer = await service.post('identity/roles', { Name, Grants })
  if (answer.status !== 201) throw new Error(`no role was made: ${answer.text}`)
  return withToken((await makeToken(service, [Name])).value)
}
