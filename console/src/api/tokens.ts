/** API tokens and the roles that they can have. */
import { queryOptions } from '@tanstack/react-query'
import { request } from './request.ts'

export interface Token {
  readonly Id: string
  readonly Name: string
  readonly Roles: readonly string[]
  readonly ExpiresAt: string | null
  readonly Hint: string | null
  readonly PreviousUntil: string | null
  readonly LastUsedOn: string | null
  readonly CreatedAt: string
}

export interface IssuedToken extends Token {
  readonly Token: string
}

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: async () =>
    (await request<Token[]>('identity/tokens', { query: { pageSize: 100, sort: '-CreatedAt' } })).data,
})

export async function createToken(name: string, roles: readonly string[], until: Date): Promise<IssuedToken> {
  const body = { Name: name, Roles: roles, ExpiresAt: `${until.toISOString().slice(0, 19)}Z` }
  return (await request<IssuedToken>('identity/tokens', { method: 'POST', body })).data
}

export async function rotateToken(key: string): Promise<IssuedToken> {
  return (await request<IssuedToken>(`identity/tokens/${key}/rotate`, { method: 'POST', body: {} })).data
}

export async function revokeToken(key: string): Promise<void> {
  await request(`identity/tokens/${key}`, { method: 'DELETE' })
}
