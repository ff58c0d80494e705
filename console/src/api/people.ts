/** Users, roles and companies. */
import { queryOptions } from '@tanstack/react-query'
import { request } from './request.ts'

export interface User {
  readonly Id: string
  readonly Email: string
  readonly Name: string
  readonly Roles: readonly string[]
  readonly IsActive: boolean
  readonly CreatedAt: string
}

export interface Right {
  readonly Action: string
  readonly Allowed: boolean
  /** Each reason stands for itself. */
  readonly Because: readonly string[]
}

export interface SessionOpen {
  readonly Id: string
  readonly CreatedAt: string
  readonly ExpiresAt: string | null
  readonly IsCurrent: boolean
}

export interface Role {
  readonly Id: string
  readonly Name: string
  readonly Description: string | null
  readonly Grants: readonly {
    readonly Object?: string
    readonly Application?: string
    readonly Actions: readonly string[]
    readonly Rows?: string
    readonly ReadFields?: readonly string[]
    readonly WriteFields?: readonly string[]
  }[]
}

export interface Company {
  readonly Id: string
  readonly Name: string
  readonly SessionTimeoutMinutes: number
  readonly SessionRenewal: string
  readonly IsSuspended: boolean
  readonly CreatedAt: string
}

const EVERY = { pageSize: 100 }

export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: async () => (await request<User[]>('identity/users', { query: { ...EVERY, sort: 'Name' } })).data,
})

export function userQuery(key: string) {
  return queryOptions({
    queryKey: ['users', key],
    queryFn: async () => (await request<User>(`identity/users/${key}`)).data,
  })
}

/** Without an object: what belongs to none. `record`: the Key of one of its records. */
export function rightsQuery(user: string, object: string | undefined, record: string | undefined) {
  return queryOptions({
    queryKey: ['users', user, 'rights', object, record],
    queryFn: async ({ signal }) => {
      const query = { object, key: record }
      const { data } = await request<{ readonly Rights: readonly Right[] }>(`identity/users/${user}/rights`, {
        query,
        signal,
      })
      return data
    },
  })
}

export function sessionsQuery(user: string) {
  return queryOptions({
    queryKey: ['users', user, 'sessions'],
    queryFn: async () => (await request<SessionOpen[]>(`identity/users/${user}/sessions`)).data,
  })
}

export async function endSession(user: string, session: string): Promise<void> {
  await request(`identity/users/${user}/sessions/${session}`, { method: 'DELETE' })
}

export const rolesQuery = queryOptions({
  queryKey: ['roles'],
  queryFn: async () => (await request<Role[]>('identity/roles', { query: EVERY })).data,
})

export const companiesQuery = queryOptions({
  queryKey: ['companies'],
  queryFn: async () => (await request<Company[]>('identity/companies', { query: EVERY })).data,
})

/** `key`: undefined for a new user. */
export async function saveUser(key: string | undefined, body: object): Promise<void> {
  await request(key === undefined ? 'identity/users' : `identity/users/${key}`, {
    method: key === undefined ? 'POST' : 'PATCH',
    body,
  })
}

export async function changeCompany(key: string, body: object): Promise<void> {
  await request(`identity/companies/${key}`, { method: 'PATCH', body })
}

export async function createCompany(body: object): Promise<void> {
  await request('identity/companies', { method: 'POST', body })
}
