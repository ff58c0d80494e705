/** What stands around the bodies of templates, and where reports of mails that came back are sent. */
import { queryOptions } from '@tanstack/react-query'
import { request } from './request.ts'
import type { Warning } from './templates.ts'

export interface Layout {
  readonly Id: string
  readonly name: string
  readonly body: string
  readonly version: number
}

export interface StoredLayout {
  readonly layout: Layout
  readonly warnings: readonly Warning[]
}

const PATH = 'notifications/layouts'

export const layoutsQuery = queryOptions({
  queryKey: ['layouts'],
  queryFn: async () => (await request<Layout[]>(PATH, { query: { pageSize: 100, sort: 'Name' } })).data,
})

/** Without `before` a new one is made. */
export async function saveLayout(
  layout: Pick<Layout, 'name' | 'body'>,
  before: Layout | undefined,
): Promise<StoredLayout> {
  const sent = before
    ? ({ method: 'PUT', body: { layout }, ifMatch: `"${before.version}"` } as const)
    : ({ method: 'POST', body: { layout } } as const)
  return (await request<StoredLayout>(`${PATH}${before ? `/${before.Id}` : ''}`, sent)).data
}

export async function deleteLayout({ Id, version }: Layout): Promise<void> {
  await request(`${PATH}/${Id}`, { method: 'DELETE', ifMatch: `"${version}"` })
}

export interface BouncePlace {
  readonly path: string
  /** Null where the service does not know how it is reached. */
  readonly url: string | null
}

export const bouncePlaceQuery = queryOptions({
  queryKey: ['bounce-place'],
  queryFn: async () => (await request<BouncePlace>('notifications/bounces')).data,
  enabled: false,
})
