/** Many invoices go to Xero, which does what is asked and then loses one answer of ten: each is there once. */
import { expect } from 'chai'
import { seededRandom } from '../../support/random.ts'
import { testService, type TestService } from '../../support/service.ts'
import { manualClock } from '../../support/write-side.ts'
import { AT_ONCE } from '../dropped-answers.ts'
import { issuedInvoice, startedIntegration } from '../support/accounting.ts'
import { LOOPBACK } from '../support/partner.ts'
import { untilPassing } from '../support/passing.ts'
import { hasNoFaults, xero, type Xero } from '../support/xero.ts'
import { rounds } from '../../support/rounds.ts'

const INVOICES = rounds(200, 1_000)
const AT_ONCE_HERE = 10

describe(`${INVOICES} invoices at Xero`, function () {
  this.timeout(300_000)
  const clock = manualClock('2030-01-01T12:00:00.000Z')
  let service: TestService
  let books: Xero
  let integration: string
  before(async () => {
    books = await xero({ random: seededRandom(18).next, lostOf100: 10, now: clock.now, patienceEvery: 97 })
    service = await testService({ settings: { ...LOOPBACK, ...AT_ONCE }, clock })
    integration = await startedIntegration(service, {
      Definition: 'xero',
      BaseUrl: books.partner.url,
      TokenUrl: `${books.partner.url}/connect/token`,
      Settings: { tenant: 'org-1' },
      Credentials: { clientId: 'id', clientSecret: 'secret', refreshToken: 'refresh-0' },
    })
  })
  after(async () => {
    await service.discard()
    await books.partner.stop()
  })

  const until = untilPassing(clock, 120_000)
  const sent = async (state: string) =>
    (await service.get(`integrations/${integration}/sent?state=${state}&pageSize=1`)).pagination.TotalRecords

  it('are there once each, and none is given up', async () => {
    const { Id: Tenant } = await service.create('tenant', { Name: 'Ann', BillingEmail: 'ann@example.com' })
    const numbers: unknown[] = []
    const bill = async (number: number) => {
      const invoice = await issuedInvoice(service, Tenant, number)
      numbers.push(invoice['InvoiceNumber'])
    }
    for (let from = 1; from <= INVOICES; from += AT_ONCE_HERE)
      await Promise.all(Array.from({ length: AT_ONCE_HERE }, (_, place) => bill(from + place)))
    await until(
      'all is sent',
      async () => {
        expect(await sent('due')).to.equal(0)
        expect(await sent('attempting')).to.equal(0)
        expect(await sent('sent')).to.equal(INVOICES + 1)
      },
      240_000,
    )
    hasNoFaults(books)
    expect(books.invoices.map((one) => one['InvoiceNumber']).sort()).to.deep.equal(numbers.sort())
    const sum = books.invoices.reduce((all, one) => all + (one['AmountDue'] as number), 0)
    expect(sum).to.equal((INVOICES * (INVOICES + 1)) / 2)
    expect(books.contacts).to.have.length(1)
    expect(books.counts.lost).to.be.above(INVOICES * 0.06)
    expect(await sent('failed')).to.equal(0)
  })
})
