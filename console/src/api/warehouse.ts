/** The warehouse: its tables, and questions in SQL. */
import { queryOptions } from '@tanstack/react-query'
import { request } from './request.ts'
import type { Cell } from '../shared/csv.ts'

export interface WarehouseTable {
  readonly Name: string
  readonly IsHistory: boolean
  readonly Description: string
  readonly Rows: number
  readonly Columns: readonly { readonly Name: string; readonly Type: string; readonly Description: string }[]
}

export interface Outcome {
  readonly Columns: readonly string[]
  readonly Rows: readonly (readonly Cell[])[]
}

export const tablesQuery = queryOptions({
  queryKey: ['warehouse'],
  queryFn: async () => (await request<WarehouseTable[]>('warehouse')).data,
})

/** As many as the service answers. */
const MOST_ROWS = 50_000

export function questionQuery(sql: string) {
  return queryOptions({
    queryKey: ['question', sql],
    queryFn: async ({ signal }) =>
      (
        await request<Outcome>('warehouse/query', {
          method: 'POST',
          body: { Sql: sql, MaxRows: MOST_ROWS },
          signal,
        })
      ).data,
    // It is asked again when the person asks again.
    staleTime: Infinity,
    retry: false,
  })
}
