/** Invoices at Tripletex, which knows no keys of requests: each is there once whatever gets lost, and what is paid there is paid here. */
import { expect } from 'chai'
import type { Fields } from '../../../src/domain/json.ts'
import { seededRandom } from '../../support/random.ts'
import { testService, type Data, type TestService } from '../../support/service.ts'
import { withToken } from '../../api/identity/identity-support.ts'
import { manualClock } from '../../support/write-side.ts'
import { AT_ONCE } from '../dropped-answers.ts'
import { issuedInvoice, startedIntegration } from '../support/accounting.ts'
import { LOOPBACK } from '../support/partner.ts'
import { untilPassing } from '../support/passing.ts'
import { referenceOf, tripletex, type Tripletex } from '../support/tripletex.ts'

const INVOICES = 30

describe('invoices at Tripletex', function () {
  this.timeout(90_000)
  const clock = manualClock('2030-01-01T12:00:00.000Z')
  let service: TestService
  let books: Tripletex
  let integration: string
  const issued: Data[] = []
  before(async () => {
    books = await tripletex({
      random: seededRandom(7).next,
      lostOf100: 10,
      now: clock.now,
      patienceEvery: 31,
    })
    books.accounts.push(
      { id: 1, version: 0, number: 3000, name: 'Leieinntekt', type: 'OPERATING_REVENUES', isInactive: false },
      { id: 2, version: 0, number: 3100, name: 'Gammel', type: 'OPERATING_EXPENSES', isInactive: true },
    )
    service = await testService({ settings: { ...LOOPBACK, ...AT_ONCE }, clock })
    integration = await startedIntegration(service, {
      Definition: 'tripletex',
      BaseUrl: books.partner.url,
      Credentials: { consumerToken: 'consumer', employeeToken: 'employee', webhookToken: 'a-long-text' },
    })
  })
  after(async () => {
    await service.discard()
    await books.partner.stop()
  })

  const until = untilPassing(clock, 600_000)
  const total = async (path: string) => (await service.get(path)).pagination.TotalRecords
  const settled = () =>
    until('all is sent', async () => {
      for (const state of ['due', 'attempting'])
        expect(await total(`integrations/${integration}/sent?state=${state}&pageSize=1`)).to.equal(0)
    })
  const issue = (tenant: Data, amount: number, currency = 'NOK') =>
    issuedInvoice(service, tenant.Id, amount, currency)

  it('are there once each, of customers of the same name too, though answers are lost and sessions end', async () => {
    const tenants = await Promise.all(
      ['Ola Hansen', 'Ola Hansen', 'Kari'].map((Name) => service.create('tenant', { Name })),
    )
    for (let number = 1; number <= INVOICES; number++) {
      issued.push(await issue(tenants[number % 3]!, 1_000 + number))
      if (number !== 10) continue
      await until('it has a session', async () => expect(books.counts.sessions).to.equal(1))
      books.endSessions()
    }
    const euro = await issue(tenants[0]!, 5, 'EUR')
    // Changes are followed in their order: then all before it have been.
    await until('the last is followed', async () =>
      expect(await total(`integrations/${integration}/sent?record=${euro.Id}&pageSize=1`)).to.equal(1),
    )
    await settled()
    expect(books.faults).to.deep.equal([])
    expect(books.invoices.map(referenceOf).sort()).to.deep.equal(
      issued.map((one) => one['InvoiceNumber']).sort(),
    )
    expect(books.customers.map((one) => one['name']).sort()).to.deep.equal([
      'Kari',
      'Ola Hansen',
      'Ola Hansen',
    ])
    for (const invoice of books.invoices) {
      const customer = books.customers.find(({ id }) => id === (invoice['customer'] as Fields)['id'])
      const ours = issued.find((one) => one['InvoiceNumber'] === referenceOf(invoice))
      expect(customer!['description']).to.equal((ours!['Tenant'] as { readonly Id: string }).Id)
    }
    expect(books.counts.lost).to.be.above(0)
    expect(books.counts.sessions).to.be.at.least(2)
    const { list } = await service.get(`integrations/${integration}/sent?state=skipped&record=${euro.Id}`)
    expect(list).to.have.length(1)
    expect((await service.get(`integrations/${integration}/sent?state=failed`)).list).to.deep.equal([])
  })

  it('are paid here once they are paid there, and open amounts agree', async () => {
    for (const [index, { InvoiceNumber }] of issued.entries())
      if (index < 20) books.pay(InvoiceNumber as string, 1_001 + index)
      else if (index < 25) books.pay(InvoiceNumber as string, 500)
    await until('20 are paid, and 5 in part', async () => {
      const { list } = await service.list('invoice', {
        pageSize: '100',
        filter: "TotalAmount/Currency eq 'NOK'",
      })
      expect(list.filter(({ Status }) => Status === 'Paid')).to.have.length(20)
      const open = list.map((one) => (one['OpenAmount'] as { readonly Amount: number }).Amount)
      const due = books.invoices.map((one) => one['amountOutstanding'] as number)
      const sum = (all: readonly number[]) => all.reduce((one, other) => one + other, 0)
      expect(sum(open)).to.equal(sum(due))
    })
    await until('accounts are here', async () =>
      expect((await service.list('account', { sort: 'Code' })).list).to.have.length(2),
    )
    const { list } = await service.list('account', { filter: "Code eq '3100'" })
    expect(list[0]).to.include({ Name: 'Gammel', IsActive: false, AccountType: 'Expense' })
  })

  it('are looked at when an event names them, which has to bring the token', async () => {
    const { InvoiceNumber, Id } = issued[25]!
    const id = books.pay(InvoiceNumber as string, 1_026)
    const event = { subscriptionId: 1, event: 'invoice.charged', id, value: { amountOutstanding: 9_999 } }
    const send = (token: string) => service.post(`in/${integration}/events`, event, withToken(token))
    expect((await send('another-text')).status).to.equal(401)
    const sent = await send('a-long-text')
    expect(sent.status, sent.text).to.equal(200)
    await until('it is paid', async () =>
      expect((await service.get(`invoice/${Id}`)).data).to.include({ Status: 'Paid' }),
    )
  })

  it('are credited there once where they are cancelled here', async () => {
    const last = issued.at(-1)!
    const done = await service.post(`invoice/${last.Id}/workflow/cancel`)
    expect(done.status, done.text).to.equal(200)
    await until('it is credited', async () =>
      expect(books.invoices.filter((one) => one['isCreditNote'] === true)).to.have.length(1),
    )
    await settled()
    expect((await service.get(`invoice/${last.Id}`)).data).to.include({ Status: 'Cancelled' })
    expect(books.faults).to.deep.equal([])
  })

  it('need credentials that the other system takes', async () => {
    const path = `integrations/${integration}`
    expect((await service.patch(path, { Credentials: { employeeToken: 'wrong' } })).status).to.equal(200)
    await until('it is failing', async () =>
      expect((await service.get(path)).data['Reason']).to.match(
        /refuses a session \(422\): check the credentials/,
      ),
    )
  })
})
