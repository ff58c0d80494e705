/** Who is signed in. */
import { request } from './request.ts'

export interface Me {
  readonly Id: string
  readonly Email: string | null
  readonly Name: string
  readonly Company: { readonly Id: string; readonly Name: string }
  readonly Roles: readonly string[]
}

export interface Credentials {
  readonly Email: string
  readonly Password: string
  readonly CompanyKey: string | undefined
}

export async function fetchMe(): Promise<Me> {
  return (await request<Me>('identity/me')).data
}

export async function logIn(credentials: Credentials): Promise<void> {
  await request('identity/login', { method: 'POST', body: credentials })
}

export async function logOut(): Promise<void> {
  await request('identity/logout', { method: 'POST' })
}
