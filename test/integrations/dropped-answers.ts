/**
 * Invoices that go to a partner which does what is asked and then loses some of its answers. Each has to be there once: by the key of
 * the request, where the partner knows those, or by asking whether it is there.
 */
import { expect } from 'chai'
import type { Fields } from '../../src/domain/json.ts'
import type { TestService } from '../support/service.ts'
import { partner, type Partner } from './support/partner.ts'

export interface Dropping {
  readonly invoices: number
  /** Of a hundred answers so many are lost. */
  readonly lostOf100: number
  /** From 0 to below 1; repeatable. */
  readonly random: () => number
}

const books = (integration: string, more: object) => ({
  integration,
  scenario: 'accounting',
  title: 'Books',
  description: 'Invoices go to the books.',
  send: [
    {
      name: 'invoices',
      object: 'invoice',
      on: ['invoice.created'],
      request: {
        method: 'POST',
        path: '/invoices',
        body: { object: { number: 'InvoiceNumber', total: 'TotalAmount.Amount', tenant: 'Tenant.Name' } },
      },
      answer: { link: 'id' },
      ...more,
    },
  ],
})

export const BY_KEY = books('books-by-key', { idempotency: { header: 'Idempotency-Key' } })
export const BY_FIND = books('books-by-find', {
  find: {
    request: { method: 'GET', path: '/invoices', query: { number: 'InvoiceNumber' } },
    items: 'invoices',
    id: 'id',
  },
})

/** As fast as it goes: what waits in between is not what is asked. */
export const AT_ONCE = { WEBHOOK_SCHEDULE: Array(20).fill('0s').join(',') }

export interface Books {
  readonly partner: Partner
  /** What is in them. */
  readonly kept: { readonly id: string; readonly body: Fields }[]
  readonly lost: () => number
}

export async function lossyBooks({ lostOf100, random }: Dropping, knowsKeys: boolean): Promise<Books> {
  const kept: { id: string; body: Fields }[] = []
  const keys = new Map<string, string>()
  let lost = 0
  const other = await partner(({ method, query, headers, body }) => {
    const isDropped = random() * 100 < lostOf100
    if (isDropped) lost++
    if (method === 'GET') {
      const found = kept.filter((one) => one.body['number'] === query.get('number'))
      return { json: { invoices: found.map(({ id }) => ({ id })) }, isDropped }
    }
    const key = headers['idempotency-key'] as string | undefined
    const before = knowsKeys && key !== undefined ? keys.get(key) : undefined
    const id = before ?? `inv-${kept.length + 1}`
    if (before === undefined) kept.push({ id, body: JSON.parse(body) as Fields })
    if (key !== undefined) keys.set(key, id)
    return { status: 201, json: { id }, isDropped }
  })
  return { partner: other, kept, lost: () => lost }
}

/** Sets it up, writes invoices, and waits until each is there. */
export async function sendInvoices(
  service: TestService,
  definition: string,
  books: Books,
  { invoices }: Dropping,
): Promise<void> {
  const { data } = await service.post('integrations', { Definition: definition, BaseUrl: books.partner.url })
  await service.post(`integrations/${data.Id}/start`)
  const tenant = await service.create('tenant', { Name: 'Ann' })
  for (let at = 0; at < invoices; at += 100) {
    const items = Array.from({ length: Math.min(100, invoices - at) }, (_, index) => ({
      Tenant: tenant.Id,
      TotalAmount: { Amount: at + index + 1, Currency: 'EUR' },
    }))
    await Promise.all(items.map((item) => service.create('invoice', item)))
  }
  const settled = async () => {
    for (const state of ['due', 'attempting']) {
      const { pagination } = await service.get(`integrations/${data.Id}/sent?state=${state}&pageSize=1`)
      if (pagination.TotalRecords > 0) return false
    }
    const sent = await service.get(`integrations/${data.Id}/sent?pageSize=1`)
    return sent.pagination.TotalRecords >= invoices
  }
  while (!(await settled())) await new Promise((resolve) => setTimeout(resolve, 100))
  const totals = books.kept.map(({ body }) => body['total'] as number).sort((one, other) => one - other)
  expect(totals).to.deep.equal(Array.from({ length: invoices }, (_, index) => index + 1))
  const sent = await service.get(`integrations/${data.Id}/sent?state=sent&pageSize=1`)
  expect(sent.pagination.TotalRecords).to.equal(invoices)
}
