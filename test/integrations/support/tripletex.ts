/**
 * Books that behave like Tripletex as far as the shipped file uses it: sessions that end, no keys of requests and no numbers that
 * are there once, invoices only by a range of days, `count` and `from`, 429 beyond a rate. It loses answers after it has done what
 * was asked, and repeats and shuffles what it lists.
 */
import type { Fields, Json } from '../../../src/domain/json.ts'
import { partner, type Asked, type BadAnswers, type Partner, type Reply } from './partner.ts'

export interface Tripletex {
  readonly partner: Partner
  readonly customers: Fields[]
  readonly invoices: Fields[]
  readonly accounts: Fields[]
  readonly faults: string[]
  readonly counts: { lost: number; sessions: number; atOnce: number }
  pay(reference: string, amount: number): number
  endSessions(): void
}

const DAY_MS = 86_400_000
const isDay = (text: unknown): text is string => typeof text === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(text)
export const referenceOf = (invoice: Fields): Json =>
  ((invoice['orders'] as readonly Fields[] | undefined)?.[0]?.['reference'] as string | undefined) ?? null

export async function tripletex(options: BadAnswers): Promise<Tripletex> {
  const { random, now, patienceEvery } = options
  const [customers, invoices, accounts, faults]: [Fields[], Fields[], Fields[], string[]] = [[], [], [], []]
  const counts = { lost: 0, sessions: 0, atOnce: 0 }
  let [asked, made] = [0, 1_000]
  const sessions = new Map<string, string>()
  const change = (list: Fields[], before: Fields | undefined, fields: Fields): Fields => {
    const version = before === undefined ? 0 : (before['version'] as number) + 1
    const after = { id: before?.['id'] ?? ++made, ...before, ...fields, version }
    if (before) list[list.indexOf(before)] = after
    else list.push(after)
    return after
  }
  const need = (holds: boolean, fault: string) => {
    if (!holds) faults.push(fault)
  }

  const session = async (query: URLSearchParams): Promise<Reply> => {
    counts.atOnce++
    await new Promise((resolve) => setTimeout(resolve, 20))
    need(counts.atOnce === 1, 'two sessions are asked for at once')
    counts.atOnce--
    if (query.get('consumerToken') !== 'consumer' || query.get('employeeToken') !== 'employee')
      return { status: 422, json: { message: 'Invalid token' } }
    const expirationDate = query.get('expirationDate')
    need(isDay(expirationDate), `a session until ${expirationDate}`)
    const token = `session-${++counts.sessions}`
    sessions.set(token, expirationDate ?? '')
    return { status: 201, json: { value: { id: counts.sessions, token, expirationDate } } }
  }
  const isKnown = (authorization = '') => {
    const [user, token = ''] = Buffer.from(authorization.slice(6), 'base64').toString().split(':')
    // A day is over there an hour before it is over in Greenwich.
    return user === '0' && now() < Date.parse(sessions.get(token) ?? '') - 3_600_000
  }

  const listed = (items: readonly Fields[], query: URLSearchParams): Reply => {
    const [from, count] = [Number(query.get('from') ?? 0), Number(query.get('count') ?? 1_000)]
    const values = items.slice(from, from + Math.min(count, 10)).sort(() => random() - 0.5)
    return { json: { fullResultSize: items.length, from, count: values.length, values } }
  }
  const read = ({ path, query }: Asked): Reply => {
    const id = /^\/invoice\/(\d+)$/.exec(path)?.[1]
    if (id !== undefined) {
      const found = invoices.find((one) => String(one['id'] as number) === id)
      return found ? { json: { value: found } } : { status: 404, json: {} }
    }
    if (path === '/ledger/account') return listed(accounts, query)
    if (path === '/customer')
      return listed(
        customers.filter((one) => one['name'] === query.get('customerName')),
        query,
      )
    if (path !== '/invoice') return { status: 404, json: {} }
    const [first, last] = [query.get('invoiceDateFrom'), query.get('invoiceDateTo')]
    if (!isDay(first) || !isDay(last))
      return { status: 422, json: { message: 'invoiceDateFrom may not be null' } }
    const customer = query.get('customerId')
    const wanted = invoices.filter(
      (one) =>
        (one['invoiceDate'] as string) >= first &&
        (one['invoiceDate'] as string) < last &&
        (customer === null || String((one['customer'] as Fields)['id'] as number) === customer),
    )
    return customer === null ? listed(wanted, query) : { json: { values: wanted } }
  }

  const write = ({ method, path, query, body }: Asked): Reply => {
    const credited = /^\/invoice\/(\d+)\/:createCreditNote$/.exec(path)?.[1]
    if (credited !== undefined) {
      need(method === 'PUT' && isDay(query.get('date')), `a credit note of ${query.toString()}`)
      const invoice = invoices.find((one) => String(one['id'] as number) === credited)
      if (!invoice) return { status: 404, json: {} }
      if (invoice['isCredited'] === true)
        return { status: 422, json: { message: 'The invoice is credited.' } }
      change(invoices, invoice, { isCredited: true, amountOutstanding: 0 })
      const note = {
        ...invoice,
        id: ++made,
        version: 0,
        isCreditNote: true,
        orders: [],
        amountOutstanding: 0,
      }
      invoices.push(note)
      return { json: { value: note } }
    }
    const sent = JSON.parse(body) as Fields
    if (path.startsWith('/customer')) {
      need(typeof sent['name'] === 'string', `a customer without a name: ${body}`)
      const before = customers.find((one) => path === `/customer/${one['id'] as number}`)
      need(before ? method === 'PUT' : method === 'POST' && path === '/customer', `${method} ${path}`)
      return { status: before ? 200 : 201, json: { value: change(customers, before, sent) } }
    }
    const customer = (sent['customer'] as Fields | undefined)?.['id']
    if (!customers.some(({ id }) => id === customer))
      return { status: 422, json: { message: 'Object not found' } }
    const [order] = sent['orders'] as readonly Fields[]
    const [line] = order!['orderLines'] as readonly Fields[]
    const price = line!['unitPriceIncludingVatCurrency']
    need(
      isDay(sent['invoiceDate']) && isDay(sent['invoiceDueDate']) && typeof price === 'number',
      `an invoice that it would not take: ${body}`,
    )
    const more = {
      amountOutstanding: price!,
      currency: { code: 'NOK' },
      isCredited: false,
      isCreditNote: false,
    }
    return { status: 201, json: { value: change(invoices, undefined, { ...sent, ...more }) } }
  }

  const other = await partner(async (one) => {
    if (one.path === '/token/session/:create') return session(one.query)
    if (!isKnown(one.headers.authorization)) return { status: 401, json: {} }
    if (++asked % patienceEvery === 0)
      return { status: 429, headers: { 'X-Rate-Limit-Reset': '1', 'Retry-After': '1' } }
    const isDropped = random() * 100 < options.lostOf100
    if (isDropped) counts.lost++
    return { ...(one.method === 'GET' ? read(one) : write(one)), isDropped }
  })
  return {
    partner: other,
    customers,
    invoices,
    accounts,
    faults,
    counts,
    pay(reference, amount) {
      const invoice = invoices.find((one) => referenceOf(one) === reference)!
      const amountOutstanding = (invoice['amountOutstanding'] as number) - amount
      return change(invoices, invoice, { amountOutstanding })['id'] as number
    },
    endSessions() {
      for (const token of sessions.keys())
        sessions.set(token, new Date(now() - DAY_MS).toISOString().slice(0, 10))
    },
  }
}
