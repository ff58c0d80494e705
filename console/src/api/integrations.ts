/** Other systems that records are exchanged with, and what they have sent. */
import { queryOptions } from '@tanstack/react-query'
import type { ChangeResult } from '../../../src/integrations/apply/results.ts'
import type { IntegrationState, SendingState } from '../../../src/integrations/objects.ts'
import type { InboxState } from '../../../src/ports/inbox.ts'
import { request, type Pagination } from './request.ts'

export type { ChangeResult, InboxState, IntegrationState, SendingState }

export interface Named {
  readonly Name: string
  readonly Description: string | null
}

/** An integration that can be set up, as its file says. */
export interface IntegrationFile {
  readonly Definition: string
  readonly Scenario: string
  readonly Title: string
  readonly Description: string
  readonly BaseUrl: string | null
  readonly Credentials: readonly (Named & { readonly Required: boolean })[]
  readonly Settings: readonly (Named & { readonly Default: string | number | boolean | null })[]
  readonly Receives: readonly (Named & { readonly IsForm: boolean })[]
  readonly Polls: readonly (Named & { readonly EverySeconds: number })[]
  readonly Sends: readonly Named[]
  /** A directory keeps the records of this object, over SCIM. */
  readonly Scim: { readonly Object: string; readonly Credential: string } | null
}

export interface Integration {
  readonly Id: string
  readonly Name: string
  readonly Definition: string
  readonly State: IntegrationState
  readonly Reason: string | null
  readonly RunAs: string
  readonly BaseUrl: string | null
  readonly Settings: Readonly<Record<string, string | number | boolean>> | null
  readonly CredentialsSet:
    | readonly {
        readonly Name: string
        readonly SetAt: string
        readonly PreviousUntil: string | null
      }[]
    | null
  readonly CreatedAt: string
}

export interface InboxMessage {
  readonly Id: string
  readonly Entry: string
  readonly Source: string
  readonly State: InboxState
  readonly Reason: string | null
  readonly Subject: string | null
  readonly ReceivedAt: string
  readonly Arrivals: number
  readonly Attempts: number
  readonly NextAttemptAt: string | null
  readonly Results: readonly ChangeResult[]
}

export const INBOX_STATES: readonly InboxState[] = [
  'stored',
  'waiting',
  'applied',
  'ignored',
  'rejected',
  'conflict',
  'quarantined',
]

export const filesQuery = queryOptions({
  queryKey: ['integration-files'],
  queryFn: async () =>
    (await request<IntegrationFile[]>('integrations/definitions', { query: { pageSize: 100 } })).data,
  staleTime: Infinity,
})

export const integrationsQuery = queryOptions({
  queryKey: ['integrations'],
  queryFn: async () =>
    (await request<Integration[]>('integrations', { query: { pageSize: 100, sort: 'Name' } })).data,
})

export function integrationQuery(key: string) {
  return queryOptions({
    queryKey: ['integration', key],
    queryFn: async ({ signal }) => (await request<Integration>(`integrations/${key}`, { signal })).data,
  })
}

/** How often the inbox is asked for while something in it is to be applied, in ms. */
const SOON = 2_000

export function inboxQuery(key: string, state?: string, page?: string, pageSize = 25) {
  return queryOptions({
    queryKey: ['inbox', key, state, page, pageSize],
    queryFn: async ({ signal }) => {
      const query = { state, page, pageSize }
      const { data, pagination } = await request<InboxMessage[]>(`integrations/${key}/inbox`, {
        query,
        signal,
      })
      return { messages: data, pagination: pagination! }
    },
    refetchInterval: ({ state: { data } }) =>
      data?.messages.some(({ State }) => State === 'stored') ? SOON : false,
  })
}

/** How many messages there are in each state. */
export function inboxCountsQuery(key: string) {
  return queryOptions({
    queryKey: ['inbox', key, 'counts'],
    queryFn: async ({ signal }) => {
      const counted = INBOX_STATES.map(async (state) => {
        const query = { state, pageSize: 1 }
        const { pagination } = await request(`integrations/${key}/inbox`, { query, signal })
        return [state, (pagination as Pagination).TotalRecords] as const
      })
      return new Map(await Promise.all(counted))
    },
  })
}

const DAY_MS = 86_400_000

/** How many messages came, and how many changes were to be sent, in the last 24 hours. */
export function lastDayQuery(key: string) {
  return queryOptions({
    queryKey: ['integration', key, 'last-day'],
    queryFn: async ({ signal }) => {
      const from = new Date(Date.now() - DAY_MS).toISOString()
      const count = async (what: string) => {
        const query = { from, pageSize: 1 }
        const { pagination } = await request(`integrations/${key}/${what}`, { query, signal })
        return (pagination as Pagination).TotalRecords
      }
      const [received, sent] = await Promise.all([count('inbox'), count('sent')])
      return { received, sent }
    },
  })
}

export function messageQuery(key: string, message: string) {
  return queryOptions({
    queryKey: ['inbox', key, 'message', message],
    queryFn: async ({ signal }) =>
      (
        await request<InboxMessage & { readonly Payload: string }>(`integrations/${key}/inbox/${message}`, {
          signal,
        })
      ).data,
  })
}

/** A change of a record, on its way to another system. */
export interface Sending {
  readonly Id: string
  readonly Entry: string
  readonly Record: string
  readonly Event: string
  readonly State: SendingState
  readonly Attempts: number
  readonly Status: number | null
  readonly ExternalId: string | null
  readonly Reason: string | null
  readonly CreatedAt: string
  readonly ModifiedAt: string
}

export const SENDING_STATES: readonly SendingState[] = [
  'due',
  'attempting',
  'sent',
  'skipped',
  'refused',
  'failed',
]

/** `of`: of which state, of which record. */
export function sentQuery(
  key: string,
  of: { readonly state?: string | undefined; readonly record?: string },
  page?: string,
) {
  return queryOptions({
    queryKey: ['sent', key, of, page],
    queryFn: async ({ signal }) => {
      const query = { ...of, page, pageSize: 25 }
      const { data, pagination } = await request<Sending[]>(`integrations/${key}/sent`, { query, signal })
      return { sendings: data, pagination: pagination! }
    },
    refetchInterval: ({ state: { data } }) =>
      data?.sendings.some(({ State }) => State === 'due' || State === 'attempting') ? SOON : false,
  })
}

export async function sendAgain(key: string, sending: string): Promise<void> {
  await request(`integrations/${key}/sent/${sending}/retry`, { method: 'POST' })
}

export interface SetUp {
  readonly Definition?: string
  readonly Name?: string
  readonly RunAs?: string
  readonly BaseUrl?: string | null
  readonly Settings?: Integration['Settings']
  readonly Credentials?: Readonly<Record<string, string | null>>
}

export async function setUpIntegration(body: SetUp): Promise<Integration> {
  return (await request<Integration>('integrations', { method: 'POST', body })).data
}

export async function changeIntegration(key: string, body: SetUp): Promise<void> {
  await request(`integrations/${key}`, { method: 'PATCH', body })
}

export async function deleteIntegration(key: string): Promise<void> {
  await request(`integrations/${key}`, { method: 'DELETE' })
}

export async function moveIntegration(key: string, how: 'start' | 'pause' | 'stop'): Promise<void> {
  await request(`integrations/${key}/${how}`, { method: 'POST' })
}

export async function rotateCredential(key: string, name: string, value: string): Promise<void> {
  const body = { Credential: name, Value: value }
  await request(`integrations/${key}/rotate-secret`, { method: 'POST', body })
}

export async function markMessage(key: string, message: string, how: 'retry' | 'quarantine'): Promise<void> {
  await request(`integrations/${key}/inbox/${message}/${how}`, { method: 'POST' })
}

export interface Span {
  readonly From: string
  readonly To?: string
  readonly States?: readonly InboxState[]
}

/** How many messages are applied again. */
export async function replayMessages(key: string, body: Span): Promise<number> {
  const { data } = await request<{ readonly Messages: number }>(`integrations/${key}/replay`, {
    method: 'POST',
    body,
  })
  return data.Messages
}

export async function previewPayload(key: string, entry: string, payload: unknown): Promise<ChangeResult[]> {
  const body = { Entry: entry, Payload: payload }
  return (await request<ChangeResult[]>(`integrations/${key}/preview`, { method: 'POST', body })).data
}
