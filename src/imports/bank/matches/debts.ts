/** What is still to be paid to the company, as items that lines are matched with. */
import type { Company } from '../../../domain/events/event.ts'
import type { Fields, Json } from '../../../domain/json.ts'
import type { OpenItem } from '../open-items.ts'
import { keyIn, recordsOf, type Reading } from '../run/company-records.ts'
import { decimalOf, moneyIn } from './line-of.ts'

export const PAYMENT = 'payment'
export const INVOICE = 'invoice'
export const OPEN_PAYMENTS = ['Expected', 'Pending']
export const OPEN_INVOICES = ['Issued', 'PartlyPaid', 'Overdue']

const oneOf = (states: readonly string[]) => states.map((state) => `Status eq '${state}'`).join(' or ')

/** A debt is given once: the payment that is expected for an invoice, else the invoice. Those of deleted contracts are not given. */
export async function openDebts(
  reading: Pick<Reading, 'readModels' | 'definitions'>,
  company: Company,
): Promise<readonly OpenItem[]> {
  const contracts = new Set<string>()
  for await (const { key } of recordsOf(reading, company, 'contract')) contracts.add(key)
  const isLive = (fields: Fields) => {
    const contract = keyIn(fields, 'Contract')
    return contract === undefined || contracts.has(contract)
  }
  const invoices = new Map<string, Fields>()
  for await (const { key, fields } of recordsOf(reading, company, INVOICE, oneOf(OPEN_INVOICES)))
    if (isLive(fields)) invoices.set(key, fields)
  const items: OpenItem[] = []
  const expected = new Set<string>()
  for await (const { key, fields } of recordsOf(reading, company, PAYMENT, oneOf(OPEN_PAYMENTS))) {
    if (!isLive(fields)) continue
    const invoice = keyIn(fields, 'Invoice')
    const of = invoice === undefined ? undefined : invoices.get(invoice)
    // The invoice is settled or written off: nothing is owed for it.
    if (invoice !== undefined && !of) continue
    if (invoice !== undefined) expected.add(invoice)
    const item = itemOf(PAYMENT, key, fields, moneyIn(fields, 'Amount'), [
      fields['PaymentNumber'],
      of?.['InvoiceNumber'],
    ])
    const reference = of?.['PaymentReference']
    if (item) items.push(typeof reference === 'string' ? { ...item, reference } : item)
  }
  for (const [key, fields] of invoices) {
    if (expected.has(key)) continue
    const item = itemOf(INVOICE, key, fields, openOf(fields), [fields['InvoiceNumber']])
    const reference = fields['PaymentReference']
    if (item) items.push(typeof reference === 'string' ? { ...item, reference } : item)
  }
  return items
}

/** What is open of an invoice; all of it, where that is not kept. */
export const openOf = (fields: Fields) => moneyIn(fields, 'OpenAmount') ?? moneyIn(fields, 'TotalAmount')

function itemOf(
  kind: OpenItem['kind'],
  key: string,
  fields: Fields,
  money: ReturnType<typeof moneyIn>,
  numbers: readonly (Json | undefined)[],
): OpenItem | undefined {
  if (!money || money.Amount === 0) return undefined
  const tenant = fields['Tenant'] as { Id?: string; Name?: string } | null | undefined
  const due = fields['DueDate']
  return {
    key,
    kind,
    amount: decimalOf(money.Amount),
    currency: money.Currency,
    numbers: numbers.filter((one) => typeof one === 'string'),
    ...(typeof due === 'string' && { dueDate: due }),
    ...(tenant?.Id && { tenant: tenant.Id }),
    ...(tenant?.Name && { tenantName: tenant.Name }),
  }
}
