/** What Mollie and PayPal say of a payment that a message names. */
import type { Parts } from './partners.ts'

export function paymentProviders(now: () => number): Parts {
  const iso = () => new Date(now()).toISOString()
  return {
    mollie({ path }) {
      const id = /^\/v2\/payments\/(\w+)$/.exec(path)?.[1]
      if (id === undefined) return undefined
      return {
        json: {
          id,
          status: 'paid',
          amount: { value: '45.00', currency: 'EUR' },
          paidAt: iso(),
          description: 'Key of the bicycle cellar',
          details: { consumerName: 'T. Jansen' },
          metadata: {},
        },
      }
    },
    paypal({ path }) {
      if (path === '/token') return { json: { access_token: 'access', expires_in: 32_400 } }
      const id = /^\/v2\/payments\/captures\/(\w+)$/.exec(path)?.[1]
      if (id === undefined) return undefined
      const amount = { value: '80.00', currency_code: 'GBP' }
      return {
        json: {
          id,
          status: 'COMPLETED',
          amount,
          create_time: iso(),
          update_time: iso(),
          invoice_id: 'Parking space',
        },
      }
    },
  }
}
