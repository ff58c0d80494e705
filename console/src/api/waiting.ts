/** The records that wait for an action of the caller. */
import { queryOptions } from '@tanstack/react-query'
import type { Record_, Standing } from './records.ts'
import { request } from './request.ts'

export interface WaitingRecord {
  readonly Object: string
  /** Its Key and its display field. */
  readonly Record: Record_
  readonly State: string
  readonly Since: string
  readonly By: { readonly Id: string; readonly Name: string }
  readonly Comment: string | null
  readonly Actions: Standing['Actions']
}

export const waitingQuery = queryOptions({
  queryKey: ['waiting'],
  queryFn: async ({ signal }) => {
    const { data, hasMore } = await request<WaitingRecord[]>('waiting', { query: { pageSize: 100 }, signal })
    return { records: data, hasMore }
  },
  staleTime: 0,
})
