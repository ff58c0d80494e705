/** Templates of mails, what was sent by them, and addresses that get none. */
import { queryOptions } from '@tanstack/react-query'
import type { MessageState } from '../../../src/notifications/objects.ts'
import { request, type Pagination } from './request.ts'

/** What of a template is written. */
export interface TemplateTexts {
  readonly name: string
  readonly trigger: string
  readonly locale: string
  readonly subject: string
  readonly body: string
  readonly text: string | null
  /** Key of what stands around the body. */
  readonly layout: string | null
}

export interface Template extends TemplateTexts {
  readonly Id: string
  readonly area: string
  readonly version: number
  readonly tags: readonly string[]
}

export interface Warning {
  readonly Field: string
  readonly Message: string
}

export interface Stored {
  readonly template: Template
  readonly warnings: readonly Warning[]
}

export interface Trigger {
  readonly trigger: string
  readonly area: string
  /** `*`: any. */
  readonly object: string
  readonly on: Readonly<Record<string, unknown>>
  readonly category: string | null
}

const BASE = 'notifications'

export const templatesQuery = queryOptions({
  queryKey: ['templates'],
  queryFn: async () =>
    (await request<Template[]>(`${BASE}/templates`, { query: { pageSize: 100, sort: 'Name' } })).data,
})

export const triggersQuery = queryOptions({
  queryKey: ['triggers'],
  queryFn: async () => (await request<Trigger[]>(`${BASE}/triggers`)).data,
  staleTime: 5 * 60_000,
})

/** `version`: undefined: as it is now. */
export function templateQuery(key: string, version?: number) {
  const path = `${BASE}/templates/${key}${version === undefined ? '' : `/versions/${version}`}`
  return queryOptions({
    queryKey: ['template', key, version ?? 'now'],
    queryFn: async ({ signal }) =>
      (await request<{ readonly template: Template }>(path, { signal })).data.template,
  })
}

/** Without `before` a new one is made. */
export async function saveTemplate(texts: TemplateTexts, before: Template | undefined): Promise<Stored> {
  const { text, ...rest } = texts
  // What is not said is not kept.
  const area = before?.trigger === texts.trigger ? { area: before.area } : {}
  const body = { template: { ...rest, ...area, ...(text !== null && text.trim() !== '' && { text }) } }
  const sent = before
    ? ({ method: 'PUT', body, ifMatch: `"${before.version}"` } as const)
    : ({ method: 'POST', body } as const)
  return (await request<Stored>(`${BASE}/templates${before ? `/${before.Id}` : ''}`, sent)).data
}

export async function revertTemplate({ Id, version: now }: Template, version: number): Promise<Stored> {
  const sent = { method: 'POST', body: { version }, ifMatch: `"${now}"` } as const
  return (await request<Stored>(`${BASE}/templates/${Id}/revert`, sent)).data
}

export async function deleteTemplate({ Id, version }: Template): Promise<void> {
  await request(`${BASE}/templates/${Id}`, { method: 'DELETE', ifMatch: `"${version}"` })
}

export interface Rendered {
  readonly subject: string
  readonly body: string
  readonly text: string
  /** Tags without a value. */
  readonly missing: readonly string[]
}

export function previewTemplateQuery({ Id, version }: Template, record: string | undefined) {
  return queryOptions({
    queryKey: ['template-preview', Id, version, record],
    queryFn: async () =>
      (await request<Rendered>(`${BASE}/templates/${Id}/preview`, { method: 'POST', body: { record } })).data,
    enabled: record !== undefined,
  })
}

/** To oneself. */
export async function testTemplate({ Id }: Template, record: string): Promise<void> {
  await request(`${BASE}/templates/${Id}/test`, { method: 'POST', body: { record } })
}

export interface Message {
  readonly Id: string
  readonly Trigger: string
  readonly Record: string
  readonly Recipient: string
  readonly Template: string
  readonly TemplateVersion: number
  readonly State: MessageState
  readonly Attempts: number
  readonly Reply: string | null
  readonly Reason: string | null
  readonly CreatedAt: string
}

export interface Messages {
  readonly messages: readonly Message[]
  readonly pagination: Pagination
}

/** How often messages are asked for while some are on their way, in ms. */
const SOON_MS = 2_000

export function messagesQuery(filter: string | undefined, page?: string) {
  return queryOptions({
    queryKey: ['messages', filter, page],
    queryFn: async ({ signal }): Promise<Messages> => {
      const query = { filter, page, sort: '-CreatedAt', pageSize: 25 }
      const { data, pagination } = await request<Message[]>(`${BASE}/messages`, { query, signal })
      return { messages: data, pagination: pagination! }
    },
    refetchInterval: ({ state: { data } }) =>
      data?.messages.some(({ State }) => State === 'due' || State === 'attempting') ? SOON_MS : false,
  })
}

export async function resendMessage(key: string): Promise<void> {
  await request(`${BASE}/messages/${key}/resend`, { method: 'POST', body: {} })
}

export async function settleMessage(key: string, as: 'sent' | 'failed'): Promise<void> {
  await request(`${BASE}/messages/${key}/settle`, { method: 'POST', body: { as } })
}

export interface Suppression {
  readonly Id: string
  readonly Address: string
  readonly Category: string
  readonly Reason: string | null
  readonly CreatedAt: string
}

export function suppressionsQuery(page?: string) {
  return queryOptions({
    queryKey: ['suppressions', page],
    queryFn: async ({ signal }) => {
      const query = { page, sort: '-CreatedAt', pageSize: 25 }
      const { data, pagination } = await request<Suppression[]>(`${BASE}/suppressions`, { query, signal })
      return { suppressions: data, pagination: pagination! }
    },
  })
}

export async function addSuppression(body: Pick<Suppression, 'Address' | 'Category'>): Promise<void> {
  await request(`${BASE}/suppressions`, { method: 'POST', body })
}

export async function removeSuppression(key: string): Promise<void> {
  await request(`${BASE}/suppressions/${key}`, { method: 'DELETE' })
}
