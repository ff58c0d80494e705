/** Webhooks, and what was sent to them. */
import { queryOptions } from '@tanstack/react-query'
import { request, type Pagination } from './request.ts'

export interface Webhook {
  readonly Id: string
  readonly Url: string
  readonly Events: readonly string[]
  readonly Description: string | null
  readonly Filter: string | null
  readonly Ordered: boolean
  readonly IsActive: boolean
  readonly DisabledReason: string | null
  readonly DisabledAt: string | null
  readonly PreviousSecretUntil: string | null
  readonly FailingSince: string | null
  readonly Pending: number
  readonly CreatedAt: string
}

export interface Delivery {
  readonly Id: string
  readonly Event: string
  readonly Record: string
  readonly State: 'Pending' | 'Delivered' | 'Failed' | 'Cancelled'
  readonly Attempts: number
  readonly LastStatus: number | null
  readonly LastError: string | null
  readonly LastAttemptAt: string | null
  readonly NextAttemptAt: string | null
  readonly CreatedAt: string
}

export interface Attempt {
  readonly At: string
  readonly DurationMs: number
  readonly Request: { readonly Url: string; readonly Headers: Readonly<Record<string, string>> }
  readonly Response: {
    readonly Status: number
    readonly Headers: Readonly<Record<string, string>>
    readonly Body: string
  } | null
  readonly Error: string | null
}

export interface DeliveryDetail extends Delivery {
  readonly Body: string
  readonly Log: readonly Attempt[]
}

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: async () => (await request<Webhook[]>('webhooks', { query: { pageSize: 100 } })).data,
})

export const eventNamesQuery = queryOptions({
  queryKey: ['event-names'],
  queryFn: async () =>
    (await request<{ readonly Event: string }[]>('webhooks/events')).data.map(({ Event }) => Event),
  staleTime: Infinity,
})

export function webhookQuery(key: string) {
  return queryOptions({
    queryKey: ['webhook', key],
    queryFn: async () => (await request<Webhook>(`webhooks/${key}`)).data,
  })
}

/** What was sent to the webhook about one record: the latest. */
export function deliveriesAboutQuery(key: string, record: string) {
  return queryOptions({
    queryKey: ['deliveries', key, { record }],
    queryFn: async ({ signal }) => {
      const query = { record, pageSize: 25 }
      const { data, pagination } = await request<Delivery[]>(`webhooks/${key}/deliveries`, { query, signal })
      return { deliveries: data, total: pagination!.TotalRecords }
    },
  })
}

/** How often deliveries are asked for while some are on their way, in ms. */
const SOON = 2_000

export function deliveriesQuery(key: string, state: string | undefined, page: string | undefined) {
  return queryOptions({
    queryKey: ['deliveries', key, state, page],
    queryFn: async (): Promise<{ readonly deliveries: Delivery[]; readonly pagination: Pagination }> => {
      const { data, pagination } = await request<Delivery[]>(`webhooks/${key}/deliveries`, {
        query: { state, page },
      })
      return { deliveries: data, pagination: pagination! }
    },
    refetchInterval: ({ state: { data } }) =>
      data?.deliveries.some(({ State }) => State === 'Pending') ? SOON : false,
  })
}

export function deliveryQuery(key: string, delivery: string) {
  return queryOptions({
    queryKey: ['delivery', key, delivery],
    queryFn: async () => (await request<DeliveryDetail>(`webhooks/${key}/deliveries/${delivery}`)).data,
  })
}

export interface Subscription {
  readonly Url: string
  readonly Events: readonly string[]
  readonly Description: string | null
}

export type WithSecret = Webhook & { readonly Secret?: string }

export async function createWebhook(body: Subscription): Promise<WithSecret> {
  return (await request<WithSecret>('webhooks', { method: 'POST', body })).data
}

export async function changeWebhook(key: string, body: object): Promise<void> {
  await request(`webhooks/${key}`, { method: 'PATCH', body })
}

/** `what`: `ping`, `rotate-secret`, `replay` or `deliveries/{key}/redeliver`. */
export async function ask<T>(key: string, what: string, body?: object): Promise<T> {
  return (await request<T>(`webhooks/${key}/${what}`, { method: 'POST', ...(body && { body }) })).data
}

export async function deleteWebhook(key: string): Promise<void> {
  await request(`webhooks/${key}`, { method: 'DELETE' })
}
