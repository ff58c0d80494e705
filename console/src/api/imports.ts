/** Imports: files that become records, from the upload to the last row. */
import { queryOptions } from '@tanstack/react-query'
import type { Mapping } from '../../../src/imports/mapping/mapping.ts'
import type { ImportState } from '../../../src/imports/objects.ts'
import { request, type Pagination } from './request.ts'
import type { Json } from './records.ts'

export type { FieldMapping, Mapping } from '../../../src/imports/mapping/mapping.ts'

export interface Counts {
  readonly Rows: number
  readonly Done: number
  readonly Created: number
  readonly Updated: number
  readonly Unchanged: number
  readonly Skipped: number
  readonly Failed: number
  /** Of an undo: taken back, and left because others have changed the record since. */
  readonly Undone: number
  readonly Kept: number
}

export interface Import {
  readonly Id: string
  readonly Kind: 'file' | 'bank' | 'undo'
  readonly Object: string
  readonly State: ImportState
  readonly Mode: Mapping['Mode'] | null
  readonly File: {
    readonly Name: string | null
    readonly Bytes: number
    readonly Sheet: string | null
  } | null
  readonly Counts: Counts
  readonly Check: {
    readonly WouldCreate: number
    readonly WouldUpdate: number
    readonly Unchanged: number
    readonly Skipped: number
    readonly WouldFail: number
    readonly WouldUndo: number
    readonly WouldKeep: number
  } | null
  readonly Progress: {
    readonly Phase: 'read' | 'check' | 'commit' | 'undo'
    readonly Done: number
    readonly RowsPerSecond: number
    readonly SecondsLeft: number | null
    readonly Waiting: string | null
  } | null
  readonly Columns: readonly string[]
  readonly Notices: readonly Json[]
  readonly Mapping: Mapping | null
  readonly Questions: readonly {
    readonly Field: string | null
    readonly Column: string | null
    readonly Question: string
  }[]
  readonly Reason: string | null
  readonly SameContentAs: string | null
  readonly Undoes: string | null
  readonly UndoneBy: string | null
  readonly By: { readonly Id: string }
  readonly CommittedAt: string | null
}

const SOON_MS = 1_000
const UNDER_WAY: readonly ImportState[] = ['Reading', 'Running', 'Undoing']

export const isUnderWay = ({ State }: Pick<Import, 'State'>) => UNDER_WAY.includes(State)

export function importsQuery(page?: string) {
  return queryOptions({
    queryKey: ['imports', page ?? '1'],
    queryFn: async ({ signal }) => {
      const query = { sort: '-CreatedAt', page, pageSize: 25 }
      const { data, pagination } = await request<Import[]>('imports', { query, signal })
      return { imports: data, pagination: pagination! }
    },
    refetchInterval: ({ state }) => (state.data?.imports.some(isUnderWay) ? SOON_MS * 2 : false),
  })
}

export function importQuery(key: string) {
  return queryOptions({
    queryKey: ['import', key],
    queryFn: async ({ signal }) => (await request<Import>(`imports/${key}`, { signal })).data,
    // An undo changes it, too.
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? SOON_MS : false),
  })
}

/** How the cells of a column can be read. */
export type Reading =
  { readonly decided: string } | { readonly ask: readonly string[] } | Readonly<Record<string, never>> | null

export interface Preview {
  readonly Columns: readonly {
    readonly Column: string
    readonly Filled: number
    readonly Empty: number
    readonly Numbers: number
    readonly Dates: number
    readonly DecimalSign: Reading
    readonly DateFormat: Reading
  }[]
  readonly Rows: readonly {
    readonly Row: number
    readonly Cells: Readonly<Record<string, string | null>>
    readonly Record: Readonly<Record<string, Json>> | null
    readonly Errors: readonly { readonly Field: string; readonly Message: string }[]
  }[]
}

/** `mapped`: of which mapping; another one makes other records of the rows. */
export function previewQuery(key: string, mapped: unknown) {
  return queryOptions({
    queryKey: ['import-preview', key, mapped],
    queryFn: async ({ signal }) =>
      (await request<Preview>(`imports/${key}/preview`, { query: { rows: 10 }, signal })).data,
  })
}

export interface ImportRow {
  readonly Row: number
  readonly Outcome: keyof Omit<Counts, 'Rows' | 'Done'>
  readonly Id: string | null
  readonly Message: string | null
  readonly Errors: readonly {
    readonly Field: string
    readonly Column: string | null
    readonly Message: string
  }[]
  readonly Cells: Readonly<Record<string, string | null>>
}

export interface ImportRows {
  readonly rows: readonly ImportRow[]
  readonly pagination: Pagination
}

/** `standing`: of which state of the import; another one has other rows. */
export function rowsQuery(
  key: string,
  outcome: string | undefined,
  page: string | undefined,
  standing: string,
) {
  return queryOptions({
    queryKey: ['import-rows', key, outcome, page, standing],
    queryFn: async ({ signal }): Promise<ImportRows> => {
      const query = { outcome, page, pageSize: 25 }
      const { data, pagination } = await request<ImportRow[]>(`imports/${key}/rows`, { query, signal })
      return { rows: data, pagination: pagination! }
    },
  })
}

export async function mapImport(key: string, mapping: Mapping): Promise<Import> {
  return (await request<Import>(`imports/${key}/mapping`, { method: 'PUT', body: mapping })).data
}

/** `accounts`: Keys of bank accounts by the accounts as the file has them. */
export async function chooseAccounts(
  key: string,
  accounts: Readonly<Record<string, string>>,
): Promise<Import> {
  const body = { Accounts: accounts }
  return (await request<Import>(`imports/${key}/mapping`, { method: 'PUT', body })).data
}

export async function askImport(
  key: string,
  what: 'check' | 'commit' | 'cancel' | 'retry' | 'undo',
  body?: object,
): Promise<Import> {
  return (await request<Import>(`imports/${key}/${what}`, { method: 'POST', body })).data
}
