/**
 * Books that behave like Xero as far as the shipped file uses it: OAuth 2 with refresh tokens that rotate and are good for
 * one refresh, 60 requests a minute answered 429 beyond, pages of 100, `If-Modified-Since`, idempotency keys, names of contacts and numbers of
 * invoices that are there once. It loses answers after it has done what was asked, and repeats and shuffles what it lists.
 */
import { expect } from 'chai'
import { isObject, type Fields, type Json } from '../../../src/domain/json.ts'
import { partner, type Asked, type BadAnswers, type Partner, type Reply } from './partner.ts'

export interface Xero {
  readonly partner: Partner
  readonly contacts: Fields[]
  readonly invoices: Fields[]
  readonly payments: Fields[]
  readonly creditNotes: Fields[]
  readonly faults: string[]
  readonly counts: { lost: number; refreshes: number; held: number }
  pay(number: string, amount: number): void
  endTokens(): void
}

const TENANT = 'org-1'
const dotNet = (at: number) => `/Date(${at}+0000)/`

export async function xero({ random, lostOf100, now, patienceEvery }: BadAnswers): Promise<Xero> {
  const [contacts, invoices, payments, faults]: [Fields[], Fields[], Fields[], string[]] = [[], [], [], []]
  const creditNotes: Fields[] = []
  const counts = { lost: 0, refreshes: 0, held: 0 }
  const keys = new Map<string, { readonly body: string; readonly reply: Reply }>()
  let [refresh, access, asked] = ['refresh-0', '', 0]
  const put = (list: Fields[], id: string, found: Fields | undefined, fields: Fields): Fields => {
    const made = { [id]: `${id}-${list.length + 1}`, ...found, ...fields, UpdatedDateUTC: dotNet(now()) }
    if (found) list[list.indexOf(found)] = made
    else list.push(made)
    return made
  }

  const token = (body: string): Reply => {
    const given = new URLSearchParams(body).get('refresh_token')
    if (given !== refresh) return { status: 400, json: { error: 'invalid_grant' } }
    counts.refreshes++
    refresh = `refresh-${counts.refreshes}`
    access = `access-${counts.refreshes}`
    return { json: { access_token: access, refresh_token: refresh, expires_in: 1_800 } }
  }

  const contactOf = (sent: Fields): Fields => {
    const found = contacts.find((one) =>
      ['ContactID', 'ContactNumber', 'Name'].some(
        (name) => sent[name] !== undefined && one[name] === sent[name],
      ),
    )
    return put(contacts, 'ContactID', found, sent)
  }

  const list = (items: readonly Fields[], name: string, { headers, query }: Asked): Reply => {
    const since = headers['if-modified-since']
    const from = typeof since === 'string' ? Date.parse(since) : 0
    const wanted = items.filter((one) => Number(/\d+/.exec(one['UpdatedDateUTC'] as string)![0]) >= from)
    const page = Number(query.get('page') ?? 1)
    const shown = wanted.slice((page - 1) * 100, page * 100)
    // Repeated, and in no order.
    const repeated = [...shown, ...shown.filter(() => random() < 0.1)].sort(() => random() - 0.5)
    return { json: { [name]: repeated } }
  }

  const writeCredit = (
    method: string,
    sent: Fields,
    id: string | undefined,
    isAllocation: boolean,
  ): Reply => {
    const found = creditNotes.find((one) => one['CreditNoteID'] === id)
    if (id !== undefined && !found) return { status: 404 }
    if (found && !isAllocation)
      return { json: { CreditNotes: [put(creditNotes, 'CreditNoteID', found, sent)] } }
    if (!found) {
      const [line] = sent['LineItems'] as readonly Fields[]
      const isGood =
        method === 'PUT' && sent['Type'] === 'ACCRECCREDIT' && (line!['UnitAmount'] as number) > 0
      if (!isGood) faults.push(`a credit note that Xero would not take: ${JSON.stringify(sent)}`)
      if (creditNotes.some((one) => one['CreditNoteNumber'] === sent['CreditNoteNumber']))
        return { status: 400, json: { Message: 'Credit note # must be unique.' } }
      const rest = { RemainingCredit: line!['UnitAmount']!, Contact: contactOf(sent['Contact'] as Fields) }
      return { json: { CreditNotes: [put(creditNotes, 'CreditNoteID', undefined, { ...sent, ...rest })] } }
    }
    const amount = sent['Amount'] as number
    const { InvoiceID } = sent['Invoice'] as Fields
    const invoice = invoices.find((one) => one['InvoiceID'] === InvoiceID)
    const [due, left] = [invoice?.['AmountDue'] as number, found['RemainingCredit'] as number]
    if (!invoice || amount <= 0 || amount > due || amount > left)
      return { status: 400, json: { Message: 'The amount is more than what is due or left.' } }
    const stateOf = (rest: number) => (rest === 0 ? 'PAID' : 'AUTHORISED')
    put(invoices, 'InvoiceID', invoice, { AmountDue: due - amount, Status: stateOf(due - amount) })
    const RemainingCredit = left - amount
    put(creditNotes, 'CreditNoteID', found, { RemainingCredit, Status: stateOf(RemainingCredit) })
    return { json: { Allocations: [sent] } }
  }

  const write = ({ method, path, body }: Asked): Reply => {
    const sent = JSON.parse(body) as Fields
    const credit = /^\/api\.xro\/2\.0\/CreditNotes(?:\/([^/]+)(\/Allocations)?)?$/.exec(path)
    if (credit) return writeCredit(method, sent, credit[1], credit[2] !== undefined)
    const voided = /^\/api\.xro\/2\.0\/Invoices\/(.+)$/.exec(path)?.[1]
    if (voided !== undefined) {
      const found = invoices.find((one) => one['InvoiceID'] === voided)
      return found ? { json: { Invoices: [put(invoices, 'InvoiceID', found, sent)] } } : { status: 404 }
    }
    if (path === '/api.xro/2.0/Contacts') {
      if (typeof sent['Name'] !== 'string') faults.push(`a contact without a name: ${body}`)
      return { json: { Contacts: [contactOf(sent)] } }
    }
    faults.push(...faultsOfInvoice(sent, method))
    if (invoices.some((one) => one['InvoiceNumber'] === sent['InvoiceNumber']))
      return { status: 400, json: { Message: 'Invoice # must be unique.' } }
    const [line] = sent['LineItems'] as readonly Fields[]
    const Contact = contactOf(sent['Contact'] as Fields)
    const rest = { AmountDue: line!['UnitAmount']!, AmountPaid: 0, Contact }
    return { json: { Invoices: [put(invoices, 'InvoiceID', undefined, { ...sent, ...rest })] } }
  }

  const read = (one: Asked): Reply => {
    const { path, query } = one
    const where = query.get('where')
    if (path.endsWith('/Payments')) return list(payments, 'Payments', one)
    if (path.endsWith('/CreditNotes')) {
      const number = /^CreditNoteNumber=="(.+)"$/.exec(where ?? '')?.[1]
      if (number === undefined) return list(creditNotes, 'CreditNotes', one)
      return { json: { CreditNotes: creditNotes.filter((note) => note['CreditNoteNumber'] === number) } }
    }
    if (path.endsWith('/Contacts')) {
      const number = /^ContactNumber=="(.+)"$/.exec(where ?? '')?.[1]
      return { json: { Contacts: contacts.filter((contact) => contact['ContactNumber'] === number) } }
    }
    const numbers = query.get('InvoiceNumbers')
    const named = /\/Invoices\/(.+)$/.exec(path)?.[1]
    if (named !== undefined || numbers !== null) {
      const found = invoices.filter((one) => one['InvoiceID'] === named || one['InvoiceNumber'] === numbers)
      return { json: { Invoices: found } }
    }
    if (where !== 'Type=="ACCREC"') faults.push(`it asks for invoices where ${where}`)
    return list(invoices, 'Invoices', one)
  }

  const other = await partner((one) => {
    const { method, path, headers, body } = one
    if (path === '/connect/token') return token(body)
    if (headers.authorization !== `Bearer ${access}`) return { status: 401, json: {} }
    if (headers['xero-tenant-id'] !== TENANT) return { status: 403, json: {} }
    if (++asked % patienceEvery === 0) {
      counts.held++
      return { status: 429, headers: { 'Retry-After': '1' } }
    }
    const isDropped = random() * 100 < lostOf100
    if (isDropped) counts.lost++
    if (method === 'GET') return { ...read(one), isDropped }
    const key = headers['idempotency-key'] as string
    const before = keys.get(key)
    if (before && before.body !== body) faults.push(`another body by the same key: ${body}`)
    const reply = before?.reply ?? write(one)
    keys.set(key, { body, reply })
    return { ...reply, isDropped }
  })
  return {
    partner: other,
    contacts,
    invoices,
    payments,
    creditNotes,
    faults,
    counts,
    pay(number, amount) {
      const invoice = invoices.find((one) => one['InvoiceNumber'] === number)!
      const due = (invoice['AmountDue'] as number) - amount
      const Status = due === 0 ? 'PAID' : 'AUTHORISED'
      put(invoices, 'InvoiceID', invoice, { AmountDue: due, AmountPaid: amount, Status })
      const shown = { InvoiceNumber: number, Type: 'ACCREC', CurrencyCode: invoice['CurrencyCode']! }
      const Date = dotNet(now())
      put(payments, 'PaymentID', undefined, { Amount: amount, Date, Status: 'AUTHORISED', Invoice: shown })
    },
    endTokens: () => void (access = 'ended'),
  }
}

/** What Xero would not take, by the fields that are in use. */
function faultsOfInvoice(sent: Fields, method: string): string[] {
  const { Type, Status, InvoiceNumber, Contact, LineItems, Date: date, DueDate, CurrencyCode } = sent
  const [line] = Array.isArray(LineItems) ? (LineItems as readonly Json[]) : []
  const isDay = (value: Json | undefined) => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value)
  const good = [
    method === 'PUT',
    Type === 'ACCREC',
    Status === 'AUTHORISED',
    typeof InvoiceNumber === 'string',
    isObject(Contact) && typeof Contact['Name'] === 'string',
    isDay(date),
    isDay(DueDate),
    typeof CurrencyCode === 'string' && /^[A-Z]{3}$/.test(CurrencyCode),
    isObject(line) && typeof line['UnitAmount'] === 'number' && typeof line['AccountCode'] === 'string',
  ]
  return good.flatMap((one, index) => (one ? [] : [`fault ${index} of ${JSON.stringify(sent)}`]))
}

/** That it has had nothing which Xero would refuse. */
export const hasNoFaults = ({ faults }: Xero) => expect(faults).to.deep.equal([])
