/** Invoices at Xero: each is there once whatever gets lost, and what is paid there is paid here once. */
import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { seededRandom } from '../../support/random.ts'
import { testService, type Data, type TestService } from '../../support/service.ts'
import { manualClock } from '../../support/write-side.ts'
import { AT_ONCE } from '../dropped-answers.ts'
import { issuedInvoice, startedIntegration } from '../support/accounting.ts'
import { LOOPBACK } from '../support/partner.ts'
import { untilPassing } from '../support/passing.ts'
import { hasNoFaults, xero, type Xero } from '../support/xero.ts'

const INVOICES = 30

describe('invoices at Xero', function () {
  this.timeout(60_000)
  const clock = manualClock('2030-01-01T12:00:00.000Z')
  let service: TestService
  let books: Xero
  let integration: string
  const issued: Data[] = []
  before(async () => {
    const { next: random } = seededRandom(11)
    books = await xero({ random, lostOf100: 10, now: clock.now, patienceEvery: 29 })
    service = await testService({ settings: { ...LOOPBACK, ...AT_ONCE }, clock })
    integration = await startedIntegration(service, {
      Definition: 'xero',
      BaseUrl: books.partner.url,
      TokenUrl: `${books.partner.url}/connect/token`,
      Settings: { tenant: 'org-1' },
      Credentials: {
        clientId: 'id',
        clientSecret: 'secret',
        refreshToken: 'refresh-0',
        webhookKey: 'key of the webhook',
      },
    })
  })
  after(async () => {
    await service.discard()
    await books.partner.stop()
  })

  const until = untilPassing(clock, 120_000)
  const total = async (path: string) => (await service.get(path)).pagination.TotalRecords
  const settled = () =>
    until('all is sent', async () => {
      for (const state of ['due', 'attempting'])
        expect(await total(`integrations/${integration}/sent?state=${state}&pageSize=1`)).to.equal(0)
      expect(books.invoices).to.have.length(issued.length)
    })

  it('are there once each, with their contacts, though answers are lost and tokens end', async () => {
    const tenants = await Promise.all(
      ['Ann', 'Bo', 'Cy'].map((Name) =>
        service.create('tenant', { Name, BillingEmail: `${Name}@example.com` }),
      ),
    )
    for (let number = 1; number <= INVOICES; number++) {
      issued.push(await issuedInvoice(service, tenants[number % 3]!.Id, 100 + number))
      if (number !== 10) continue
      await until('it has a token', async () => expect(books.counts.refreshes).to.equal(1))
      books.endTokens()
    }
    await settled()
    hasNoFaults(books)
    expect(books.invoices.map((one) => one['InvoiceNumber']).sort()).to.deep.equal(
      issued.map((one) => one['InvoiceNumber']).sort(),
    )
    expect(books.contacts.map((one) => one['Name']).sort()).to.deep.equal(['Ann', 'Bo', 'Cy'])
    expect(books.counts.lost).to.be.above(0)
    expect(books.counts.refreshes).to.be.at.least(2)
    const failed = await service.get(`integrations/${integration}/sent?state=failed`)
    expect(failed.list.map(({ Reason }) => Reason)).to.deep.equal([])
  })

  it('are paid here once they are paid there, each by one payment, and open amounts agree', async () => {
    clock.pass(60_000)
    for (const [index, { InvoiceNumber }] of issued.entries())
      if (index < 20) books.pay(InvoiceNumber as string, 101 + index)
      else if (index < 25) books.pay(InvoiceNumber as string, 50)
    await until('20 are paid', async () => {
      expect(
        (await service.list('invoice', { filter: "Status eq 'Paid'" })).pagination.TotalRecords,
      ).to.equal(20)
      expect((await service.list('payment')).pagination.TotalRecords).to.equal(25)
    })
    const asked = await service.post(`integrations/${integration}/sync`)
    expect(asked.status).to.equal(202)
    await until('all is compared once more', async () => {
      expect((await service.get(`integrations/${integration}/sync`)).data).to.include({ State: 'done' })
      expect(await total(`integrations/${integration}/inbox?state=stored&pageSize=1`)).to.equal(0)
    })
    const { list } = await service.list('invoice', { pageSize: '100' })
    const open = list.map((one) => (one['OpenAmount'] as { readonly Amount: number }).Amount)
    const due = books.invoices.map((one) => one['AmountDue'] as number)
    const sum = (all: readonly number[]) => all.reduce((one, other) => one + other, 0)
    expect(sum(open)).to.equal(sum(due))
    const { list: payments, pagination } = await service.list('payment', { pageSize: '100' })
    expect(pagination.TotalRecords).to.equal(25)
    expect(payments.every(({ Status, Invoice }) => Status === 'Received' && Invoice !== null)).to.equal(true)
    await settled()
    expect(books.invoices).to.have.length(INVOICES)
    expect(books.contacts).to.have.length(3)
    hasNoFaults(books)
  })

  it('are looked at when a signed event names them, and Xero can check that signatures are', async () => {
    const { InvoiceNumber, Id } = issued[25]!
    books.pay(InvoiceNumber as string, 126)
    const { InvoiceID } = books.invoices.find((one) => one['InvoiceNumber'] === InvoiceNumber)!
    const send = (events: readonly object[], key = 'key of the webhook') => {
      const body = JSON.stringify({
        events,
        firstEventSequence: 1,
        lastEventSequence: 1,
        entropy: 'S0m3r4nd0m',
      })
      const signature = createHmac('sha256', key).update(body).digest('base64')
      const headers = { 'x-xero-signature': signature, Authorization: '' }
      return service.post(`in/${integration}/events`, body, headers)
    }
    expect((await send([])).status).to.equal(200)
    expect((await send([], 'another key')).status).to.equal(401)
    const event = { resourceId: InvoiceID, eventCategory: 'INVOICE', eventType: 'UPDATE', tenantId: 'org-1' }
    expect((await send([event], 'another key')).status).to.equal(401)
    const sent = await send([event])
    expect(sent.status, sent.text).to.equal(200)
    const state = async () => (await service.get(`invoice/${Id}`)).data
    await until('it is paid', async () => expect(await state()).to.include({ Status: 'Paid' }))
  })

  it('are credited there once, and what that leaves open is open here', async () => {
    clock.pass(60_000)
    const credit = async (invoice: Data, amount: number) => {
      const note = await service.create('invoice', {
        Tenant: (invoice['Tenant'] as { readonly Id: string }).Id,
        InvoiceType: 'CreditNote',
        CreditedInvoice: invoice.Id,
        IssueDate: '2030-01-02',
        TotalAmount: { Amount: -amount, Currency: 'EUR' },
        OpenAmount: { Amount: -amount, Currency: 'EUR' },
      })
      expect((await service.post(`invoice/${note.Id}/workflow/issue`)).status).to.equal(200)
      return note
    }
    const [whole, part, over] = [issued[26]!, issued[27]!, issued[0]!]
    const notes = [await credit(whole, 127), await credit(part, 28.5), await credit(over, 10)]
    const shown = async ({ Id }: Data) => (await service.get(`invoice/${Id}`)).data
    await until('all is known here', async () => {
      expect(await shown(whole)).to.deep.include({
        Status: 'Paid',
        OpenAmount: { Amount: 0, Currency: 'EUR' },
      })
      expect(await shown(part)).to.deep.include({ OpenAmount: { Amount: 99.5, Currency: 'EUR' } })
      for (const note of notes.slice(0, 2)) expect(await shown(note)).to.include({ Status: 'Paid' })
    })
    expect(books.creditNotes.map((one) => one['CreditNoteNumber']).sort()).to.deep.equal(
      notes.map((one) => one['InvoiceNumber']).sort(),
    )
    // One that was paid already: the credit is left to be paid back.
    await until('it was asked for', async () => {
      const { list } = await service.get(`integrations/${integration}/sent?state=refused`)
      expect(list.map(({ Record, Entry }) => [Record, Entry])).to.deep.equal([[notes[2]!.Id, 'allocations']])
    })
    expect(await shown(notes[2]!)).to.deep.include({ OpenAmount: { Amount: -10, Currency: 'EUR' } })
    expect((await service.post(`invoice/${notes[2]!.Id}/workflow/cancel`)).status).to.equal(200)
    await until('it is voided', async () =>
      expect(books.creditNotes.map((one) => one['Status']).sort()).to.deep.equal(['PAID', 'PAID', 'VOIDED']),
    )
    hasNoFaults(books)
  })

  it('are voided there where they are cancelled here', async () => {
    const last = issued.at(-1)!
    const done = await service.post(`invoice/${last.Id}/workflow/cancel`)
    expect(done.status, done.text).to.equal(200)
    await until('it is voided', async () =>
      expect(books.invoices.find((one) => one['InvoiceNumber'] === last['InvoiceNumber'])).to.include({
        Status: 'VOIDED',
      }),
    )
    // Answers that are lost to polls for a quarter of an hour make it fail until one comes.
    await until('it is running', async () =>
      expect((await service.get(`integrations/${integration}`)).data).to.include({ State: 'running' }),
    )
  })
})
