/** Lines that find what they are for: by themselves where that is certain, by hand where it is not, and back again. */
import { expect } from 'chai'
import { makeToken, withToken } from '../../api/identity/identity-support.ts'
import { testService, type Data, type TestService } from '../../support/service.ts'
import { imported } from '../import-support.ts'
import { camt, type MadeLine } from './statements.ts'

const XML = { 'Content-Type': 'application/xml' }
const RF = 'RF18539007547034'
const euros = (Amount: number) => ({ Amount, Currency: 'EUR' })

describe('matching bank lines', function () {
  this.timeout(60_000)
  let service: TestService
  let account: Data
  let tenant: Data
  let statement = 0
  before(async () => {
    service = await testService()
    account = await service.create('bankaccount', { Name: 'Rent', Iban: 'NL91ABNA0417164300' })
    tenant = await service.create('tenant', { Name: 'Vandersloot Holding' })
  })
  after(() => service.discard())

  const lines = async (...made: Partial<MadeLine>[]): Promise<Data[]> => {
    const number = String(++statement)
    const day = '2029-04-02'
    const all = made.map((line, i): MadeLine => ({
      day,
      amount: '10.00',
      text: `line ${number}/${i}`,
      reference: `${number}-${i}`,
      ...line,
    }))
    const file = camt([{ account: 'NL91ABNA0417164300', number, opening: `${number}000.00`, lines: all }])
    const done = await imported(service, 'bankstatement/import?commit=true', file, XML)
    expect(done['State'], JSON.stringify(done)).to.equal('Completed')
    const found = await Promise.all(
      all.map(({ reference }) =>
        service.list('banktransaction', { filter: `BankReference eq '${reference!}'` }),
      ),
    )
    return found.map(({ list }) => list[0]!)
  }
  const invoice = (amount: number, more = {}) =>
    service.create('invoice', {
      Tenant: tenant.Id,
      TotalAmount: euros(amount),
      OpenAmount: euros(amount),
      Status: 'Issued',
      ...more,
    })
  const get = async (key: string) => (await service.get(`${key.slice(0, key.indexOf('-'))}/${key}`)).data
  const matches = async (line: Data) => (await service.get(`banktransaction/${line.Id}/matches`)).data
  const received = () => service.get('audit?event=payment.received&pageSize=1')

  it('does what is certain: a reference and the amount', async () => {
    const due = await invoice(250, { PaymentReference: RF })
    const [line] = await lines({ amount: '250.00', text: 'rent', structured: RF })
    expect([line!['Status'], line!['MatchRule'], (line!['Tenant'] as Data).Id]).to.deep.equal([
      'Matched',
      'reference',
      tenant.Id,
    ])
    expect(await get(due.Id)).to.deep.include({ Status: 'Paid', OpenAmount: euros(0) })
    const [part] = (await matches(line!))['Matches'] as Data[]
    expect(part).to.deep.include({ Kind: 'made', Invoice: due.Id, Amount: 250 })
    const payment = await get(part!['Payment'] as string)
    expect(payment).to.deep.include({
      Status: 'Received',
      Amount: euros(250),
      ReceivedAt: '2029-04-02T00:00:00Z',
    })
    expect((payment['BankTransaction'] as Data).Id).to.equal(line!.Id)
  })

  it('receives the payment that is expected, once', async () => {
    const due = await invoice(80)
    const number = (await get(due.Id))['InvoiceNumber'] as string
    const expected = await service.create('payment', {
      Tenant: tenant.Id,
      Invoice: due.Id,
      Amount: euros(80),
    })
    const before = (await received()).pagination.TotalRecords
    const [line] = await lines({
      amount: '80.00',
      text: `for ${number.toLowerCase().replaceAll('-', ' ')}, thanks`,
    })
    expect([line!['Status'], line!['MatchRule']]).to.deep.equal(['Matched', 'number'])
    expect(await get(expected.Id)).to.deep.include({ Status: 'Received' })
    expect((await get(due.Id))['Status']).to.equal('Paid')
    for (let i = 0; i < 2; i++) {
      const again = await service.post(`bankaccount/${account.Id}/rematch`)
      expect(again.data['Matched'], again.text).to.equal(0)
    }
    expect((await received()).pagination.TotalRecords).to.equal(before + 1)
  })

  it('takes a match back, and everything is as it was', async () => {
    const due = await invoice(40)
    const expected = await service.create('payment', {
      Tenant: tenant.Id,
      Invoice: due.Id,
      Amount: euros(40),
      Status: 'Pending',
    })
    const [line] = await lines({ amount: '40.00', text: 'no idea' })
    const path = `banktransaction/${line!.Id}`
    const [was, wasDue] = [await get(expected.Id), await get(due.Id)]
    const headers = { 'Idempotency-Key': 'match-40' }
    const matched = await service.post(`${path}/match`, { Payments: [{ Payment: expected.Id }] }, headers)
    expect(matched.data, matched.text).to.include({ Status: 'Matched', MatchRule: 'by-hand' })
    expect(
      (await service.post(`${path}/match`, { Payments: [{ Payment: expected.Id }] }, headers)).text,
    ).to.equal(matched.text)
    // The same without a key comes to the same.
    expect((await service.post(`${path}/match`, { Payments: [{ Payment: expected.Id }] })).status).to.equal(
      200,
    )
    expect((await service.post(`${path}/match`, { Payments: [{ Invoice: due.Id }] })).status).to.equal(409)
    expect((await service.post(`${path}/ignore`)).status).to.equal(409)
    const back = await service.post(`${path}/unmatch`)
    expect(back.data, back.text).to.deep.include({ Status: 'Unmatched', Matches: [] })
    const restored = ({ ModifiedAt: _, ...fields }: Data) => fields
    expect(restored(await get(expected.Id))).to.deep.equal(restored(was))
    expect(restored(await get(due.Id))).to.deep.equal(restored(wasDue))
    expect((await service.post(`${path}/unmatch`)).data['Status']).to.equal('Unmatched')
    const again = await service.post(`${path}/match`, { Payments: [{ Payment: expected.Id }] })
    expect(again.data['Status'], again.text).to.equal('Matched')
    await service.patch(`payment/${expected.Id}`, { Status: 'Refunded' })
    const moved = await service.post(`${path}/unmatch`)
    expect([moved.status, moved.error.Message]).to.satisfy(
      ([status, said]: [number, string]) => status === 409 && said.includes('moved on'),
    )
  })

  it('leaves a line to people whose match a person has taken back', async () => {
    const due = await invoice(45, { PaymentReference: 'RF97123456' })
    const [line] = await lines({ amount: '45.00', structured: 'RF97123456' })
    expect(line!['Status']).to.equal('Matched')
    await service.post(`banktransaction/${line!.Id}/unmatch`)
    await service.post(`bankaccount/${account.Id}/rematch`)
    expect((await get(line!.Id))['Status']).to.equal('Proposed')
    expect((await get(due.Id))['Status']).to.equal('Issued')
    const { Proposals } = await matches(line!)
    expect(Proposals).to.have.length(1)
    const Payments = [{ Invoice: due.Id }]
    expect((await service.post(`banktransaction/${line!.Id}/match`, { Payments })).data['Status']).to.equal(
      'Matched',
    )
  })

  it('does not leave a line alone again after a person has taken that back', async () => {
    await service.patch(`bankaccount/${account.Id}`, { MatchRules: [{ Contains: 'package fee', As: 'Fee' }] })
    const [fee, other] = await lines(
      { amount: '-5.00', text: 'PACKAGE FEE' },
      { amount: '-6.00', text: 'other' },
    )
    expect(fee!['Status']).to.equal('Ignored')
    await service.post(`banktransaction/${fee!.Id}/unmatch`)
    await service.post(`banktransaction/${other!.Id}/ignore`)
    await service.post(`banktransaction/${other!.Id}/unmatch`)
    await service.patch(`bankaccount/${account.Id}`, {
      MatchRules: ['package fee', 'other'].map((Contains) => ({ Contains, As: 'Fee' })),
    })
    await service.post(`bankaccount/${account.Id}/rematch`)
    expect((await get(fee!.Id))['Status']).to.equal('Proposed')
    // Nobody has said what that one is.
    expect((await get(other!.Id))['Status']).to.equal('Ignored')
    await service.patch(`bankaccount/${account.Id}`, { MatchRules: null })
  })

  it('splits a line over several, and several lines over one', async () => {
    const [one, two] = [await invoice(30), await invoice(70)]
    const [both, first, rest] = await lines(
      { amount: '100.00', text: 'both' },
      { amount: '15.00', text: 'first part' },
      { amount: '5.00', text: 'second part' },
    )
    const split = await service.post(`banktransaction/${both!.Id}/match`, {
      Payments: [{ Invoice: one.Id }, { Invoice: two.Id }],
    })
    expect(
      [split.data['Status'], (split.data['Matches'] as Data[]).map(({ Amount }) => Amount)],
      split.text,
    ).to.deep.equal(['Matched', [30, 70]])
    expect([(await get(one.Id))['Status'], (await get(two.Id))['Status']]).to.deep.equal(['Paid', 'Paid'])
    const due = await invoice(20, { Status: 'Overdue' })
    await service.post(`banktransaction/${first!.Id}/match`, { Payments: [{ Invoice: due.Id }] })
    expect(await get(due.Id)).to.deep.include({ Status: 'PartlyPaid', OpenAmount: euros(5) })
    await service.post(`banktransaction/${rest!.Id}/match`, { Payments: [{ Invoice: due.Id }] })
    expect(await get(due.Id)).to.deep.include({ Status: 'Paid', OpenAmount: euros(0) })
    await service.post(`banktransaction/${rest!.Id}/unmatch`)
    await service.post(`banktransaction/${first!.Id}/unmatch`)
    expect(await get(due.Id)).to.deep.include({ Status: 'Overdue', OpenAmount: euros(20) })
    const part = await service.post(`banktransaction/${first!.Id}/match`, {
      Payments: [{ Invoice: due.Id, Amount: 4 }],
    })
    expect(part.data).to.deep.include({ Status: 'PartlyMatched', MatchedAmount: euros(4) })
  })

  it('proposes where more than one fits, and what does not fit is refused', async () => {
    const [one, two] = [await invoice(66), await invoice(66)]
    const [line] = await lines({ amount: '66.00', text: 'from me', name: 'VANDERSLOOT' })
    expect(line!['Status']).to.equal('Proposed')
    const { Proposals } = await matches(line!)
    const proposals = Proposals as unknown as { Rule: string; Payments: { Invoice: string }[] }[]
    expect(proposals.map(({ Rule, Payments }) => [Rule, Payments[0]!.Invoice])).to.have.deep.members([
      ['name', one.Id],
      ['name', two.Id],
    ])
    const path = `banktransaction/${line!.Id}/match`
    for (const [body, status] of [
      [{}, 400],
      [{ Payments: [{}] }, 400],
      [{ Payments: [{ Invoice: one.Id, Amount: 67 }] }, 400],
      [{ Payments: [{ Invoice: one.Id, Amount: -66 }] }, 400],
      [
        {
          Payments: [
            { Invoice: one.Id, Amount: 40 },
            { Invoice: two.Id, Amount: 40 },
          ],
        },
        400,
      ],
      [{ Payments: [{ Invoice: 'invoice-00000000000000000000000000' }] }, 404],
      [{ Payments: [{ Invoice: one.Id }, { Invoice: one.Id }] }, 400],
    ] as const)
      expect((await service.post(path, body)).status, JSON.stringify(body)).to.equal(status)
    expect((await get(one.Id))['Status']).to.equal('Issued')
    expect((await service.post(`banktransaction/${line!.Id}/ignore`)).data['Status']).to.equal('Ignored')
    expect((await service.post(`banktransaction/${line!.Id}/unmatch`)).data['Status']).to.equal('Unmatched')
    const again = await service.post(`bankaccount/${account.Id}/rematch`)
    expect(again.data['Proposed']).to.be.greaterThan(0)
  })

  it('fails a payment that comes back', async () => {
    const due = await invoice(33, { PaymentReference: 'RF712348231' })
    const [paid] = await lines({ amount: '33.00', structured: 'RF712348231', endToEndId: 'DD-33' })
    expect(paid!['Status']).to.equal('Matched')
    const [back] = await lines({ amount: '-33.00', text: 'returned', endToEndId: 'DD-33', returned: 'AM04' })
    expect([back!['Status'], back!['MatchRule']], JSON.stringify(back)).to.deep.equal(['Matched', 'returned'])
    expect(await get(due.Id)).to.deep.include({ Status: 'Issued', OpenAmount: euros(33) })
    const [part] = (await matches(back!))['Matches'] as Data[]
    expect(await get(part!['Payment'] as string)).to.deep.include({ Status: 'Failed', FailureReason: 'AM04' })
  })

  it('takes what it takes to receive and to pay', async () => {
    const due = await invoice(12)
    const [line] = await lines({ amount: '12.00', text: 'whoever' })
    for (const [role, statuses] of [
      ['viewer', [200, 403, 403]],
      ['editor', [200, 403, 200]],
    ] as const) {
      const { value } = await makeToken(service, [role])
      const headers = withToken(value)
      const own = [
        (await service.get(`banktransaction/${line!.Id}/matches`, headers)).status,
        (
          await service.post(
            `banktransaction/${line!.Id}/match`,
            { Payments: [{ Invoice: due.Id }] },
            headers,
          )
        ).status,
        (await service.post(`banktransaction/${line!.Id}/ignore`, undefined, headers)).status,
      ]
      expect(own, role).to.deep.equal(statuses)
    }
    expect(
      (await service.get('banktransaction/banktransaction-00000000000000000000000000/matches')).status,
    ).to.equal(404)
  })
})
