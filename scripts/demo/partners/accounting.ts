/** The books of the demo's company at Xero and at Tripletex. */
import type { Asked, Parts, Reply } from './partners.ts'

type Fields = Record<string, unknown>

export interface Accounting {
  readonly parts: Parts
  pay(): void
}

export function accounting(now: () => number): Accounting {
  const [xero, tripletex] = [xeroBooks(now), tripletexBooks(now)]
  return {
    parts: { xero: xero.answer, tripletex: tripletex.answer },
    pay() {
      xero.pay()
      tripletex.pay()
    },
  }
}

interface Books {
  answer(asked: Asked): Reply
  pay(): void
}

function xeroBooks(now: () => number): Books {
  const [invoices, payments]: [Fields[], Fields[]] = [[], []]
  const stamp = () => ({ UpdatedDateUTC: `/Date(${Math.floor(now())}+0000)/` })
  const page = (name: string, items: readonly Fields[], query: URLSearchParams) => ({
    json: { [name]: query.get('page') === '1' ? items : [] },
  })
  return {
    answer({ method, path, query, body }) {
      if (path === '/connect/token')
        return { json: { access_token: 'access', refresh_token: 'next', expires_in: 1_800 } }
      if (method === 'GET' && path.endsWith('/Payments')) return page('Payments', payments, query)
      if (method === 'GET') return page('Invoices', invoices, query)
      const sent = JSON.parse(body) as Fields
      if (path.endsWith('/Contacts'))
        return { json: { Contacts: [{ ContactID: `contact-${String(sent['ContactNumber'])}`, ...sent }] } }
      const [line] = sent['LineItems'] as readonly Fields[]
      const InvoiceID = `xero-${invoices.length + 1}`
      const made = { InvoiceID, ...sent, AmountDue: line!['UnitAmount'], ...stamp() }
      invoices.push(made)
      return { json: { Invoices: [made] } }
    },
    pay() {
      // The last one takes its time.
      for (const invoice of invoices.slice(0, -1)) {
        const { InvoiceNumber, CurrencyCode, AmountDue } = invoice
        Object.assign(invoice, { AmountDue: 0, Status: 'PAID', ...stamp() })
        payments.push({
          PaymentID: `xero-payment-${payments.length + 1}`,
          Amount: AmountDue,
          Date: new Date(now()).toISOString().slice(0, 10),
          Status: 'AUTHORISED',
          Invoice: { InvoiceNumber, CurrencyCode, Type: 'ACCREC' },
          ...stamp(),
        })
      }
    },
  }
}

const ACCOUNTS = [
  {
    id: 31,
    version: 0,
    number: 3610,
    name: 'Leieinntekt fast eiendom',
    type: 'OPERATING_REVENUES',
    isInactive: false,
  },
  {
    id: 32,
    version: 0,
    number: 7500,
    name: 'Forsikringspremie',
    type: 'OPERATING_EXPENSES',
    isInactive: false,
  },
]

function tripletexBooks(now: () => number): Books {
  const invoices: Fields[] = []
  let made = 100
  const list = (items: readonly Fields[], query: URLSearchParams) => ({
    json: { values: query.get('from') === '0' ? items : [] },
  })
  return {
    answer({ method, path, query, body }) {
      if (path === '/token/session/:create') {
        const expirationDate = new Date(now() + 2 * 86_400_000).toISOString().slice(0, 10)
        return { json: { value: { token: 'session', expirationDate } } }
      }
      if (method === 'GET') return list(path === '/ledger/account' ? ACCOUNTS : invoices, query)
      const sent = JSON.parse(body) as Fields
      const value: Fields = { id: ++made, version: 0 }
      if (path === '/invoice') {
        const [order] = sent['orders'] as readonly { readonly orderLines: readonly Fields[] }[]
        const amountOutstanding = order!.orderLines[0]!['unitPriceIncludingVatCurrency']
        Object.assign(value, {
          amountOutstanding,
          currency: { code: 'NOK' },
          isCredited: false,
          isCreditNote: false,
        })
        invoices.push(value)
      }
      return { status: 201, json: { value } }
    },
    pay() {
      for (const invoice of invoices)
        Object.assign(invoice, { amountOutstanding: 0, version: (invoice['version'] as number) + 1 })
    },
  }
}
