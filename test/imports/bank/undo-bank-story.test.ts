/** Undoing an import of statements: matches are taken back, lines and statements go, and all of it comes back when that is undone. */
import { expect } from 'chai'
import { testService, type Data, type TestService } from '../../support/service.ts'
import { checkIn, countsIn, imported, settled, then } from '../import-support.ts'
import { camt, closingOf, type MadeStatement } from './statements.ts'

const XML = { 'Content-Type': 'application/xml' }
const IBAN = 'NL91ABNA0417164300'
const RF = 'RF18539007547034'
const euros = (Amount: number) => ({ Amount, Currency: 'EUR' })

describe('undoing an import of bank statements', function () {
  this.timeout(60_000)
  let service: TestService

  let first: Data
  let byReference: Data
  let byHand: Data
  let expected: Data
  const get = async (key: string) => (await service.get(`${key.slice(0, key.indexOf('-'))}/${key}`)).data
  const all = async (object: string) => (await service.list(object, { sort: 'Id', pageSize: '100' })).list
  const lineOf = async (reference: string) =>
    (await service.list('banktransaction', { filter: `BankReference eq '${reference}'` })).list[0]

  const one: MadeStatement = {
    account: IBAN,
    number: '1',
    opening: '100.00',
    lines: [
      { day: '2029-04-02', amount: '250.00', text: 'rent', reference: 'L1', structured: RF },
      { day: '2029-04-02', amount: '40.00', text: 'key', reference: 'L2' },
      { day: '2029-04-02', amount: '5.00', text: 'nothing', reference: 'L3' },
    ],
  }
  const two: MadeStatement = {
    account: IBAN,
    number: '2',
    opening: closingOf(one),
    lines: [{ day: '2029-04-03', amount: '7.00', text: 'next', reference: 'L4' }],
  }
  before(async () => {
    service = await testService()
    await service.create('bankaccount', { Name: 'Rent', Iban: IBAN })
    const tenant = await service.create('tenant', { Name: 'Vandersloot Holding' })
    const invoice = (amount: number, more = {}) =>
      service.create('invoice', {
        Tenant: tenant.Id,
        TotalAmount: euros(amount),
        OpenAmount: euros(amount),
        Status: 'Issued',
        ...more,
      })
    byReference = await invoice(250, { PaymentReference: RF })
    byHand = await invoice(40)
    expected = await service.create('payment', {
      Tenant: tenant.Id,
      Invoice: byHand.Id,
      Amount: euros(40),
      Status: 'Expected',
    })
    first = await imported(service, 'bankstatement/import?commit=true', camt([one]), XML)
    await imported(service, 'bankstatement/import?commit=true', camt([two]), XML)
    const line = (await lineOf('L2'))!
    const matched = await service.post(`banktransaction/${line.Id}/match`, {
      Payments: [{ Payment: expected.Id }],
    })
    expect(matched.status, matched.text).to.equal(200)
  })
  after(() => service.discard())

  let undo: Data

  it('says first what it would do, and does nothing', async () => {
    const asked = await service.post(`imports/${first.Id}/undo`)
    expect(asked.status, asked.text).to.equal(202)
    undo = await settled(service, asked.data.Id)
    expect(checkIn(undo), JSON.stringify(undo)).to.include({ WouldUndo: 3, WouldKeep: 0, WouldFail: 0 })
    expect((await lineOf('L1'))!['Status']).to.equal('Matched')
    expect(await get(byReference.Id)).to.deep.include({ Status: 'Paid' })
  })

  it('takes matches back, and lines and statements away', async () => {
    undo = await then(service, undo, 'commit')
    expect(countsIn(undo), JSON.stringify(undo)).to.include({ Undone: 3, Kept: 0, Failed: 0 })
    expect((await settled(service, first.Id))['State']).to.equal('Undone')
    expect((await all('banktransaction')).map(({ BankReference }) => BankReference)).to.deep.equal(['L4'])
    expect(await get(byReference.Id)).to.deep.include({ Status: 'Issued', OpenAmount: euros(250) })
    expect(await get(byHand.Id)).to.deep.include({ Status: 'Issued', OpenAmount: euros(40) })
    expect(await get(expected.Id)).to.deep.include({
      Status: 'Expected',
      ReceivedAt: null,
      BankTransaction: null,
    })
    const made = (await all('payment')).filter(({ Id }) => Id !== expected.Id)
    expect(new Set(made.map(({ Status }) => Status))).to.deep.equal(new Set(['Cancelled']))
    const [left, ...more] = await all('bankstatement')
    expect(more).to.deep.equal([])
    expect([left!['Number'], left!['Check'], left!['PreviousStatement']]).to.deep.equal(['2', 'Ok', null])
  })

  it('brings all of it back when it is undone', async () => {
    const asked = await service.post(`imports/${undo.Id}/undo`, { Commit: true })
    const back = await settled(service, asked.data.Id)
    expect(countsIn(back), JSON.stringify(back)).to.include({ Undone: 3, Kept: 0, Failed: 0 })
    expect(await all('banktransaction')).to.have.length(4)
    expect((await lineOf('L1'))!['Status']).to.equal('Matched')
    expect(await get(byReference.Id)).to.deep.include({ Status: 'Paid' })
    const statements = await all('bankstatement')
    expect(statements.map(({ Number, Check }) => [Number, Check])).to.deep.equal([
      ['1', 'Ok'],
      ['2', 'Ok'],
    ])
    expect((statements[1]!['PreviousStatement'] as Data).Id).to.equal(statements[0]!.Id)
  })

  it('keeps a line whose payment has moved on, and the statement with it', async () => {
    const line = (await lineOf('L1'))!
    const [part] = (await service.get(`banktransaction/${line.Id}/matches`)).data['Matches'] as Data[]
    const payment = part!['Payment'] as string
    const refunded = await service.post(`payment/${payment}/workflow/refund`)
    expect(refunded.status, refunded.text).to.equal(200)
    const asked = await service.post(`imports/${first.Id}/undo`, { Commit: true })
    const kept = await settled(service, asked.data.Id)
    expect(countsIn(kept), JSON.stringify(kept)).to.include({ Undone: 2, Kept: 1 })
    const { list } = await service.get(`imports/${asked.data.Id}/rows?outcome=Kept`)
    expect(JSON.stringify(list)).to.include('it has moved on since it was matched')
    expect((await settled(service, first.Id))['State']).to.equal('PartlyUndone')
    expect(await all('bankstatement')).to.have.length(2)
  })
})
