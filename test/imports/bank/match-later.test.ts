/** Lines that come before what they are for: an invoice, a payment, or the account of a tenant. */
import { expect } from 'chai'
import { testService, type Data, type TestService } from '../../support/service.ts'
import { eventually } from '../../system/support/eventually.ts'
import { imported } from '../import-support.ts'
import { camt } from './statements.ts'

const XML = { 'Content-Type': 'application/xml' }
const RF = 'RF18539007547034'
const OTHER = 'RF97123456'
const euros = (Amount: number) => ({ Amount, Currency: 'EUR' })

describe('bank lines that come before what they are for', function () {
  this.timeout(60_000)
  let service: TestService
  before(async () => {
    service = await testService({ matchAgainMs: 20 })
  })
  after(() => service.discard())

  const lineOf = async (reference: string): Promise<Data> => {
    const { list } = await service.list('banktransaction', { filter: `BankReference eq '${reference}'` })
    expect(list).to.have.length(1)
    return list[0]!
  }

  it('are matched once it is there, also after a start', async () => {
    await service.create('bankaccount', { Name: 'Rent', Iban: 'NL91ABNA0417164300', MatchByAccount: true })
    const tenant = await service.create('tenant', { Name: 'Ann Lee' })
    const file = camt([
      {
        account: 'NL91ABNA0417164300',
        number: '1',
        opening: '0.00',
        lines: [
          { day: '2029-04-02', amount: '950.00', text: 'first', reference: 'B1', structured: RF },
          { day: '2029-04-02', amount: '40.00', text: 'second', reference: 'B2', structured: OTHER },
        ],
      },
    ])
    const whole = await imported(service, 'bankstatement/import?commit=true', file, XML)
    expect(whole['State'], JSON.stringify(whole)).to.equal('Completed')
    expect((await lineOf('B1'))['Status']).to.equal('Unmatched')

    const invoice = await service.create('invoice', {
      Tenant: tenant.Id,
      Status: 'Issued',
      TotalAmount: euros(950),
      PaymentReference: RF,
    })
    await eventually('the first line is matched', async () =>
      expect((await lineOf('B1'))['Status']).to.equal('Matched'),
    )
    expect((await service.get(`invoice/${invoice.Id}`)).data['Status']).to.equal('Paid')
    expect((await lineOf('B2'))['Status']).to.equal('Unmatched')

    await service.create('invoice', {
      Tenant: tenant.Id,
      Status: 'Issued',
      TotalAmount: euros(40),
      PaymentReference: OTHER,
    })
    await service.restart()
    await eventually('the second line is matched', async () =>
      expect((await lineOf('B2'))['Status']).to.equal('Matched'),
    )
  })
})
