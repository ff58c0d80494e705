/** What an integration asks the other system for by itself, its full syncs, and fields that both sides have changed. */
import { queryOptions } from '@tanstack/react-query'
import type { FullSyncState } from '../../../src/integrations/objects.ts'
import { ApiError, request } from './request.ts'

export type { FullSyncState }

export interface Poll {
  readonly Entry: string
  readonly EverySeconds: number
  readonly Checkpoint: string | null
  readonly LastRunAt: string | null
  readonly NextRunAt: string | null
  readonly FailingSince: string | null
  readonly Reason: string | null
}

export interface FullSync {
  readonly AskedAt: string
  readonly State: FullSyncState
  readonly IsInitial: boolean
  readonly Read: number
  readonly Queued: number
  readonly FinishedAt: string | null
  readonly Reason: string | null
}

export type Side = 'ours' | 'theirs'

export interface DisputedField {
  readonly Field: string
  readonly Ours: unknown
  readonly Theirs: unknown
}

export interface ConflictMessage {
  readonly Id: string
  readonly Entry: string
  readonly ReceivedAt: string
  readonly Records: readonly {
    readonly Object: string
    readonly Record: string
    readonly Fields: readonly DisputedField[]
  }[]
}

/** How often what is under way is asked for, in ms. */
const SOON = 2_000

export function pollsQuery(key: string) {
  return queryOptions({
    queryKey: ['polls', key],
    queryFn: async ({ signal }) =>
      (await request<Poll[]>(`integrations/${key}/polls`, { query: { pageSize: 100 }, signal })).data,
  })
}

export const isUnderWay = ({ State }: FullSync): boolean => State !== 'done' && State !== 'stopped'

/** The latest; null where none was asked for. */
export function fullSyncQuery(key: string) {
  return queryOptions({
    queryKey: ['full-sync', key],
    queryFn: async ({ signal }) => {
      try {
        return (await request<FullSync>(`integrations/${key}/sync`, { signal })).data
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null
        throw error
      }
    },
    refetchInterval: ({ state: { data } }) => (data && isUnderWay(data) ? SOON : false),
  })
}

export async function askFullSync(key: string): Promise<void> {
  await request(`integrations/${key}/sync`, { method: 'POST' })
}

export function conflictsQuery(key: string, page?: string) {
  return queryOptions({
    queryKey: ['inbox', key, 'conflicts', page],
    queryFn: async ({ signal }) => {
      const query = { page, pageSize: 25 }
      const { data, pagination } = await request<ConflictMessage[]>(`integrations/${key}/conflicts`, {
        query,
        signal,
      })
      return { conflicts: data, pagination: pagination! }
    },
  })
}

/** @param Take by field, whose value holds */
export async function resolveConflict(
  key: string,
  message: string,
  Take: Readonly<Record<string, Side>>,
): Promise<void> {
  await request(`integrations/${key}/conflicts/${message}/resolve`, { method: 'POST', body: { Take } })
}
