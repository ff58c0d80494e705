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

/** What is kept of a record that something may be owed for. There may be very many. */
interface Debt {
  /** Undefined: nothing is open of it. */
  readonly item: OpenItem | undefined
  readonly contract: string | undefined
  readonly invoice: string | undefined
  readonly number: string | undefined
  readonly reference: string | undefined
}

/** A debt is given once: the payment that is expected for an invoice, else the invoice. Those of deleted contracts are not given. */
export async function* openDebts(
  reading: Pick<Reading, 'readModels' | 'definitions'>,
  company: Company,
): AsyncGenerator<OpenItem> {
  const invoices = await debtsIn(reading, company, INVOICE)
  const payments = await debtsIn(reading, company, PAYMENT)
  const contracts = await liveContracts(reading, company, [invoices, payments])
  const isLive = ({ contract }: Debt) => contract === undefined || contracts.has(contract)
  const expected = new Set<string>()
  for (const payment of payments.values()) {
    const of = payment.invoice === undefined ? undefined : invoices.get(payment.invoice)
    // The invoice is settled or written off, or its contract is deleted: nothing is owed for it.
    if (!isLive(payment) || (payment.invoice !== undefined && !(of && isLive(of)))) continue
    if (payment.invoice !== undefined) expected.add(payment.invoice)
    if (payment.item) yield asWritten(payment.item, [payment.number, of?.number], of?.reference)
  }
  for (const [key, invoice] of invoices)
    if (!expected.has(key) && invoice.item && isLive(invoice))
      yield asWritten(invoice.item, [invoice.number], invoice.reference)
}

async function debtsIn(
  reading: Pick<Reading, 'readModels' | 'definitions'>,
  company: Company,
  object: OpenItem['kind'],
): Promise<ReadonlyMap<string, Debt>> {
  const isPayment = object === PAYMENT
  const found = new Map<string, Debt>()
  const text = (value: Json | undefined) => (typeof value === 'string' ? value : undefined)
  const states = oneOf(isPayment ? OPEN_PAYMENTS : OPEN_INVOICES)
  for await (const { key, fields } of recordsOf(reading, company, object, states))
    found.set(key, {
      item: itemOf(object, key, fields, isPayment ? moneyIn(fields, 'Amount') : openOf(fields)),
      contract: keyIn(fields, 'Contract'),
      invoice: keyIn(fields, 'Invoice'),
      number: text(fields[isPayment ? 'PaymentNumber' : 'InvoiceNumber']),
      reference: text(fields['PaymentReference']),
    })
  return found
}

const ASKED_AT_ONCE = 100

async function liveContracts(
  reading: Pick<Reading, 'readModels' | 'definitions'>,
  company: Company,
  debts: readonly ReadonlyMap<string, Debt>[],
): Promise<ReadonlySet<string>> {
  const wanted = new Set(
    debts.flatMap((some) => [...some.values()].flatMap(({ contract }) => contract ?? [])),
  )
  const asked = [...wanted]
  const live = new Set<string>()
  for (let at = 0; at < asked.length; at += ASKED_AT_ONCE) {
    const some = asked.slice(at, at + ASKED_AT_ONCE).map((key) => `'${key}'`)
    for await (const { key } of recordsOf(reading, company, 'contract', `Id in (${some.join(', ')})`))
      live.add(key)
  }
  return live
}

const asWritten = (
  item: OpenItem,
  numbers: readonly (string | undefined)[],
  reference: string | undefined,
): OpenItem => ({
  ...item,
  numbers: numbers.flatMap((one) => one ?? []),
  ...(reference !== undefined && { reference }),
})

/** What is open of an invoice; all of it, where that is not kept. */
export const openOf = (fields: Fields) => moneyIn(fields, 'OpenAmount') ?? moneyIn(fields, 'TotalAmount')

function itemOf(
  kind: OpenItem['kind'],
  key: string,
  fields: Fields,
  money: ReturnType<typeof moneyIn>,
): OpenItem | undefined {
  if (!money || money.Amount === 0) return undefined
  const tenant = fields['Tenant'] as { Id?: string; Name?: string } | null | undefined
  const due = fields['DueDate']
  return {
    key,
    kind,
    amount: decimalOf(money.Amount),
    currency: money.Currency,
    numbers: [],
    ...(typeof due === 'string' && { dueDate: due }),
    ...(tenant?.Id && { tenant: tenant.Id }),
    ...(tenant?.Name && { tenantName: tenant.Name }),
  }
}
