/** How the service stands, and what happened in it. */
import { queryOptions } from '@tanstack/react-query'
import type { AuditItem } from '../../../src/api/history/audit-item.ts'
import { request } from './request.ts'

export interface Projection {
  readonly Name: string
  readonly Position: number
  readonly Lag: number
  readonly State: 'live' | 'rebuilding' | 'parked' | 'unreachable'
  readonly Error: { readonly Position: number; readonly Message: string } | null
  /** Why it does not get on now, though no event is at fault. */
  readonly Trouble: string | null
  readonly Rebuilding: { readonly Position: number; readonly Of: number } | null
}

const SOON = 2_000

export const projectionsQuery = queryOptions({
  queryKey: ['projections'],
  queryFn: async () => (await request<Projection[]>('projections')).data,
  refetchInterval: SOON,
})

export async function askProjection(name: string, what: 'rebuild' | 'resume'): Promise<void> {
  await request(`projections/${name}/${what}`, { method: 'POST' })
}

export const readyQuery = queryOptions({
  queryKey: ['ready'],
  queryFn: async () => (await request<Readonly<Record<string, unknown>>>('health/ready')).data,
  refetchInterval: SOON * 5,
  retry: false,
})

/** `query`: the filters of the audit as text. */
export function auditQuery(query: Readonly<Record<string, string | undefined>>) {
  return queryOptions({
    queryKey: ['audit', query],
    queryFn: async ({ signal }) => {
      const { data, pagination } = await request<AuditItem[]>('audit', {
        query: { sort: '-Position', pageSize: 50, ...query },
        signal,
      })
      return { items: data, pagination: pagination! }
    },
  })
}
