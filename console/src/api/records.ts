/** Records: lists, one of them, and what changes them. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request, type Pagination, type Query } from './request.ts'

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }
export type Record_ = { readonly Id: string; readonly [name: string]: Json }

/** A field that holds text; undefined where it is empty. */
export function textIn(record: Record_ | undefined, name: string): string | undefined {
  const value = record?.[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

export interface ListSearch {
  readonly filter?: string
  readonly search?: string
  readonly sort?: string
  readonly expand?: string
  readonly page?: string
  readonly pageSize?: string
  readonly asOf?: string
}

export interface RecordList {
  readonly records: readonly Record_[]
  readonly pagination: Pagination
}

export function listQuery(object: string, search: ListSearch) {
  const { filter, search: words, sort, expand, page, pageSize, asOf } = search
  const query = { filter, search: words, sort, expand, page, pageSize, asOf }
  return queryOptions({
    queryKey: ['records', object, query],
    queryFn: async ({ signal }): Promise<RecordList> => {
      const { data, pagination } = await request<Record_[]>(object, { query, signal })
      return { records: data, pagination: pagination! }
    },
    placeholderData: keepPreviousData,
  })
}

export interface Loaded {
  readonly record: Record_
  readonly etag: string | undefined
}

/** `asOf`: a moment or a version; undefined: now. */
export function recordQuery(object: string, key: string, asOf?: string) {
  return queryOptions({
    queryKey: ['record', object, key, asOf ?? 'now'],
    queryFn: async ({ signal }): Promise<Loaded> => {
      const { data, etag } = await request<Record_>(`${object}/${key}`, { query: { asOf }, signal })
      return { record: data, etag }
    },
    placeholderData: keepPreviousData,
  })
}

export async function createRecord(object: string, body: object): Promise<Record_> {
  return (await request<Record_>(object, { method: 'POST', body })).data
}

export interface Change {
  readonly body: object
  readonly ifMatch: string | undefined
  readonly reason?: string
}

export async function changeRecord(object: string, key: string, change: Change): Promise<Loaded> {
  const { data, etag } = await request<Record_>(`${object}/${key}`, { method: 'PATCH', ...change })
  return { record: data, etag }
}

export async function deleteRecord(object: string, key: string, ifMatch: string | undefined, reason: string) {
  await request(`${object}/${key}`, { method: 'DELETE', ifMatch, reason })
}

export interface HistoryEntry {
  readonly Version: number
  readonly Event: string
  readonly At: string
  readonly By: { readonly Id: string; readonly Name: string }
  readonly Reason: string | null
  /** Of what an integration did: the message that it had received. */
  readonly Integration?: { readonly Id: string; readonly Message: string | null }
  readonly Import?: { readonly Id: string; readonly Row: number }
  readonly Changes: Readonly<Record<string, { readonly From: Json; readonly To: Json }>>
}

/** What became of a mail about the record. */
export interface MailEntry extends Pick<HistoryEntry, 'Event' | 'At' | 'Reason'> {
  readonly Version: null
  readonly Message: { readonly Id: string; readonly Recipient: string; readonly Template: string }
}

const HISTORY_PAGE = 100

/** The whole history, newest last. */
export function historyQuery(object: string, key: string) {
  return queryOptions({
    queryKey: ['history', object, key],
    queryFn: ({ signal }) => wholeHistory<HistoryEntry>(`${object}/${key}/history`, {}, signal),
  })
}

/** The mails about the record, by what became of them, the oldest first. */
export function mailsInHistoryQuery(object: string, key: string) {
  return queryOptions({
    queryKey: ['history', object, key, 'mails'],
    queryFn: async ({ signal }) => {
      const query = { include: 'messages' }
      const path = `${object}/${key}/history`
      const entries = await wholeHistory<HistoryEntry | MailEntry>(path, query, signal)
      return entries.filter((entry): entry is MailEntry => entry.Version === null)
    },
  })
}

async function wholeHistory<T>(path: string, more: Query, signal: AbortSignal): Promise<T[]> {
  const entries: T[] = []
  for (let page = 1, pages = 1; page <= pages; page++) {
    const query = { ...more, page, pageSize: HISTORY_PAGE }
    const { data, pagination } = await request<T[]>(path, { query, signal })
    entries.push(...data)
    pages = pagination!.TotalPages
  }
  return entries
}

export interface Standing {
  readonly State: string
  readonly Actions: readonly {
    readonly Action: string
    readonly To: string
    readonly RequiresComment: boolean
  }[]
  readonly Refused: readonly { readonly Action: string; readonly To: string; readonly Reason: string }[]
}

export function standingQuery(object: string, key: string) {
  return queryOptions({
    queryKey: ['standing', object, key],
    queryFn: async ({ signal }) => (await request<Standing>(`${object}/${key}/workflow`, { signal })).data,
  })
}

export async function takeAction(
  object: string,
  key: string,
  action: string,
  comment: string,
  ifMatch?: string,
) {
  const body = comment.trim() === '' ? {} : { Comment: comment.trim() }
  await request(`${object}/${key}/workflow/${action}`, { method: 'POST', body, ifMatch })
}
