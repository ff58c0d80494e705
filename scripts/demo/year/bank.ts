/**
 * A building whose tenants pay by bank transfer: 25 invoices a month with RF references, and the bank's statement of each month,
 * imported as people do it. Most lines are matched by the service, a few wait for the accountant; the statement of one month
 * is forgotten, and the gap is closed later.
 */
import type { ApiClient } from '../api-client.ts'
import { listAll } from '../api-client.ts'
import { monthsAfter, type Money } from '../company.ts'
import { randomOf } from '../random.ts'
import { daysAfter, moment, workday } from './agenda.ts'
import { waitAfter } from './midnights.ts'
import { camt053, closingOf, mt940, rfReference, type Line, type Statement } from './statements.ts'
import { create, type Story } from './story.ts'

const IBAN = 'NL91ABNA0417164300'
const INVOICES = 25
const MONTHS = 12
/** From this month on the bank sends camt.053. */
const CAMT_FROM = 6
/** Its statement is imported after that of the next month. */
const FORGOTTEN = 4

interface Contract {
  readonly Id: string
  readonly Tenant: { readonly Id: string; readonly Name: string }
  readonly MonthlyRent: Money
}

interface Invoice {
  readonly key: string
  readonly cents: number
  readonly reference: string
  readonly payer: string
}

/** @param building Key of the building, in which rents are in euros */
export function planBank(story: Story, building: string): void {
  const { agenda, as, company } = story
  let account = ''
  agenda.at(moment(workday(company.today), 13), async () => {
    account = await create(as.piotr, 'bankaccount', {
      Name: 'Rent Amsterdam',
      Iban: IBAN,
      Currency: 'EUR',
      BankName: 'ABN AMRO',
      Purpose: 'Rent',
      MatchRules: [{ Contains: 'account fee', As: 'Fee' }],
    })
  })
  /** What the bank has: the statement of each month, as it ends. */
  const statements: Statement[] = []
  let late: Invoice[] = []
  for (let month = 0; month < MONTHS; month++) {
    const first = monthsAfter(company.today, month)
    const next = monthsAfter(company.today, month + 1)
    waitAfter(story, dueDay(first))
    let invoices: Invoice[] = []
    agenda.at(moment(workday(first), 15), async () => {
      invoices = await invoice(story, building, first)
    })
    agenda.at(moment(next, 5), async () => {
      const before = statements.at(-1)
      const { lines, unpaid } = linesOf(invoices, late, first)
      late = unpaid
      const opening = before ? closingOf(before) : 1_250_000
      const from = first
      const to = daysAfter(next, -1)
      statements.push({ iban: IBAN, number: month + 1, currency: 'EUR', from, to, opening, lines })
    })
    const day = workday(daysAfter(next, month === FORGOTTEN ? 35 : 1))
    agenda.at(moment(day, 9, 30), () => importStatement(as.piotr, statements[month]!, month))
    // The last statement's open lines are left, to be decided by whoever tries the demo.
    if (month < MONTHS - 1) agenda.at(moment(workday(day, 1), 11), () => decide(as.piotr, account))
  }
}

/** When invoices of the month are due: after its statement has come, as a rule. */
function dueDay(first: string): string {
  return daysAfter(monthsAfter(first, 1), 6)
}

async function invoice({ as }: Story, building: string, first: string): Promise<Invoice[]> {
  const filter = `Status eq 'Active' and StartDate le ${first} and EndDate ge ${first} and Building eq '${building}'`
  const contracts = await listAll<Contract>(as.piotr, 'contract', { filter, sort: 'ContractNumber' })
  const wanted = Array.from({ length: INVOICES }, (_, i) => {
    const { Id, Tenant, MonthlyRent } = contracts[i % contracts.length]!
    const isRent = i < contracts.length
    // Services are billed where a month has fewer leases than invoices.
    const cents = isRent ? Math.round(MonthlyRent.Amount * 100) : 4_500 + 325 * i
    const reference = rfReference(`${first.slice(0, 7).replace('-', '')}${String(i + 1).padStart(3, '0')}`)
    return { Id, Tenant, cents, reference, InvoiceType: isRent ? 'Rent' : 'ServiceCharge' }
  })
  const Records = wanted.map(({ Id, Tenant, cents, reference, InvoiceType }) => ({
    InvoiceType,
    Contract: Id,
    Tenant: Tenant.Id,
    TotalAmount: { Amount: cents / 100, Currency: 'EUR' },
    IssueDate: first,
    DueDate: dueDay(first),
    PeriodStart: first,
    PeriodEnd: daysAfter(monthsAfter(first, 1), -1),
    PaymentReference: reference,
    Status: 'Issued',
  }))
  const { data } = await as.piotr.call<{ Id?: string; Error?: unknown }[]>('POST', 'invoice/batch', {
    body: { Records },
    reason: `Invoices of ${first.slice(0, 7)}`,
  })
  return data.map(({ Id, Error: refused }, i) => {
    if (Id === undefined) throw new Error(`invoice ${i}: ${JSON.stringify(refused)}`)
    const { cents, reference, Tenant } = wanted[i]!
    return { key: Id, cents, reference, payer: Tenant.Name }
  })
}

/** What the tenants did about the invoices of a month, and of the month before. */
function linesOf(
  invoices: readonly Invoice[],
  late: readonly Invoice[],
  first: string,
): { readonly lines: Line[]; readonly unpaid: Invoice[] } {
  const month = Number(first.slice(5, 7))
  const random = randomOf(`bank ${month}`)
  const days = daysAfter(monthsAfter(first, 1), -1).slice(8)
  const lines: Omit<Line, 'reference'>[] = []
  const unpaid: Invoice[] = []
  const pays = (invoice: Invoice, text: string, less = 0) =>
    lines.push({
      day: `${first.slice(0, 8)}${String(random.between(2, Number(days) - 1)).padStart(2, '0')}`,
      cents: invoice.cents - less,
      text,
      name: invoice.payer,
    })
  for (const invoice of late) pays(invoice, `Sorry for the delay ${invoice.reference}`)
  for (const [i, invoice] of invoices.entries()) {
    if (i === 3) pays(invoice, `${invoice.reference} minus repair of the tap`, 5_000)
    else if (i === 7) pays(invoice, 'rent as every month')
    else if (i === 11 && month % 3 === 1) unpaid.push(invoice)
    else
      pays(
        invoice,
        random.pick([`Rent ${invoice.reference}`, invoice.reference, `/RF/ ${invoice.reference}`]),
      )
  }
  const last = `${first.slice(0, 8)}${days}`
  lines.push({ day: last, cents: -1_295, text: 'Account fee of the month', name: 'ABN AMRO' })
  lines.push({
    day: last,
    cents: -31_000,
    text: 'Invoice 2216, gutters',
    name: 'Loodgietersbedrijf De Kraan',
  })
  const sorted = lines.sort((one, other) => (one.day < other.day ? -1 : one.day > other.day ? 1 : 0))
  const named = sorted.map((line, i) => ({ ...line, reference: `${first.slice(0, 7)}-${i + 1}` }))
  return { lines: named, unpaid }
}

const DONE = new Set(['Completed', 'CompletedWithErrors'])

async function importStatement(api: ApiClient, statement: Statement, month: number): Promise<void> {
  const isCamt = month >= CAMT_FROM
  const name = `statement-${statement.from.slice(0, 7)}.${isCamt ? 'xml' : 'sta'}`
  const file = isCamt
    ? { type: 'application/xml', text: camt053(statement) }
    : { type: 'application/octet-stream', text: mt940(statement) }
  const reason = month === FORGOTTEN ? 'Forgotten last month; closes the gap' : 'Monthly statement'
  const path = `bankstatement/import?commit=true&fileName=${name}`
  const { data } = await api.call<{ Id: string }>('POST', path, { file, reason })
  for (;;) {
    const { data: now } = await api.call<{ State: string; Reason?: string }>(
      'GET',
      `imports/${data.Id}?wait=10`,
    )
    if (DONE.has(now.State)) return
    if (['Failed', 'NeedsMapping', 'Cancelled'].includes(now.State))
      throw new Error(`${name} is ${now.State}: ${now.Reason}`)
  }
}

interface Standing {
  readonly Proposals: readonly { readonly Payments: readonly object[] }[]
}

/** The accountant takes the first proposal there is; what is for no invoice is set aside. */
async function decide(api: ApiClient, account: string): Promise<void> {
  const filter = `BankAccount eq '${account}' and Status in ('Unmatched', 'Proposed')`
  const open = await listAll<{ Id: string; Amount: Money }>(api, 'banktransaction', {
    filter,
    sort: 'BookingDate',
  })
  for (const { Id, Amount } of open) {
    const path = `banktransaction/${Id}`
    if (Amount.Amount < 0) {
      await api.call('POST', `${path}/ignore`, { reason: 'Paid to a firm; it is in the books of the owner' })
      continue
    }
    const { data } = await api.call<Standing>('GET', `${path}/matches`)
    const [proposal] = data.Proposals
    if (!proposal) continue
    const reason = 'Compared with the tenant’s letter'
    await api.call('POST', `${path}/match`, { body: { Payments: proposal.Payments }, reason })
  }
}
