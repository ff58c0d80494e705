/** Bank accounts with their statements and lines, and what a line is for or may be for. */
import { queryOptions } from '@tanstack/react-query'
import type { Money } from '../records/values/value.tsx'
import { request } from './request.ts'
import { listQuery, type Record_ } from './records.ts'

export const ACCOUNT = 'bankaccount'
export const LINE = 'banktransaction'
export const STATEMENT = 'bankstatement'

export const LINE_STATES = ['Unmatched', 'Proposed', 'PartlyMatched', 'Matched', 'Ignored'] as const
export type LineState = (typeof LINE_STATES)[number]

export type MatchRule =
  | 'returned'
  | 'reference'
  | 'own-reference'
  | 'number'
  | 'account'
  | 'several'
  | 'name'
  | 'account-rule'
  | 'by-hand'

/** A payment or an invoice, and how much of the line is for it. */
export interface Part {
  readonly Payment?: string
  readonly Invoice?: string
  readonly Amount?: number
}

export interface Proposal {
  readonly Rule: MatchRule
  readonly IsCertain: boolean
  readonly As: string | null
  readonly Payments: readonly Part[]
  /** The payment that the line takes back. */
  readonly Returns: string | null
}

export interface LineStanding {
  readonly Id: string
  readonly Status: LineState
  readonly MatchRule: MatchRule | null
  readonly MatchedAmount: Money | null
  readonly Matches: readonly {
    readonly Kind: 'received' | 'made' | 'returned'
    readonly Payment: string
    readonly Invoice: string | null
    readonly Amount: number
  }[]
  readonly Proposals: readonly Proposal[]
}

const MOST_ACCOUNTS = 100
const PAGE = 25

export const accountsQuery = listQuery(ACCOUNT, { sort: 'Name', pageSize: String(MOST_ACCOUNTS) })

/** What nobody has decided on; a line that was written by hand may have no state yet. */
const UNDECIDED = "(Status eq 'Unmatched' or Status eq 'Proposed' or Status eq null)"

export interface LineSearch {
  /** `open`: those that are to be decided on; `all`. */
  readonly state: string
  readonly search?: string | undefined
  readonly page?: string | undefined
}

/** The oldest first where they are to be decided on, else the newest. */
export function linesQuery(account: string, { state, search, page }: LineSearch) {
  const condition =
    state === 'open' ? ` and ${UNDECIDED}` : state === 'all' ? '' : ` and Status eq '${state}'`
  return listQuery(LINE, {
    filter: `BankAccount eq '${account}'${condition}`,
    sort: state === 'open' ? 'BookingDate,CreatedAt,Id' : '-BookingDate,CreatedAt,Id',
    pageSize: String(PAGE),
    ...(search && { search }),
    ...(page && { page }),
  })
}

export function statementsQuery(account: string, page?: string) {
  return listQuery(STATEMENT, {
    filter: `BankAccount eq '${account}'`,
    sort: '-To,-CreatedAt',
    expand: 'PreviousStatement',
    pageSize: String(PAGE),
    ...(page && { page }),
  })
}

/** How an account stands: lines to decide on, gaps, and its last statement. */
export function accountStandingQuery(account: string) {
  const of = `BankAccount eq '${account}'`
  return queryOptions({
    queryKey: ['bank', 'account', account],
    queryFn: async ({ signal }) => {
      const first = (object: string, filter: string, sort?: string) =>
        request<Record_[]>(object, { query: { filter, sort, pageSize: 1 }, signal })
      const [open, gaps, last] = await Promise.all([
        first(LINE, `${of} and ${UNDECIDED}`),
        first(STATEMENT, `${of} and Check eq 'Gap'`),
        first(STATEMENT, of, '-To'),
      ])
      return {
        open: open.pagination!.TotalRecords,
        gaps: gaps.pagination!.TotalRecords,
        last: last.data[0],
      }
    },
  })
}

export function lineStandingQuery(line: string) {
  return queryOptions({
    queryKey: ['bank', 'line', line],
    queryFn: async ({ signal }) => (await request<LineStanding>(`${LINE}/${line}/matches`, { signal })).data,
    // Others match, too, and invoices are paid otherwise.
    staleTime: 0,
  })
}

/** Payments or invoices by their Keys; those that one may not see are missing. */
export function debtsQuery(object: 'payment' | 'invoice', keys: readonly string[]) {
  const filter = `Id in (${keys.map((key) => `'${key}'`).join(',')})`
  return queryOptions({
    queryKey: ['records', object, { keys }],
    queryFn: async ({ signal }) =>
      (await request<Record_[]>(object, { query: { filter, pageSize: 100 }, signal })).data,
    enabled: keys.length > 0,
  })
}

export async function matchLine(line: string, parts: readonly Part[]): Promise<void> {
  await request(`${LINE}/${line}/match`, { method: 'POST', body: { Payments: parts } })
}

export async function unmatchLine(line: string, reason: string): Promise<void> {
  await request(`${LINE}/${line}/unmatch`, { method: 'POST', reason })
}

export async function ignoreLine(line: string, reason: string): Promise<void> {
  await request(`${LINE}/${line}/ignore`, { method: 'POST', reason })
}

export async function rematchAccount(account: string) {
  const path = `${ACCOUNT}/${account}/rematch`
  return (
    await request<{ readonly Lines: number; readonly Matched: number; readonly Proposed: number }>(path, {
      method: 'POST',
    })
  ).data
}
