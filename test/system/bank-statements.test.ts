/** Statements of a bank as they come: of accounts that must be chosen, with gaps, as notifications, wrong, again. */
import { expect } from 'chai'
import { testService, type Data, type TestService } from '../support/service.ts'
import { countsIn, imported, settled } from '../imports/import-support.ts'
import { camt, closingOf, mt940, type MadeLine, type MadeStatement } from '../imports/bank/statements.ts'

const XML = { 'Content-Type': 'application/xml' }
const TEXT = { 'Content-Type': 'application/octet-stream' }

const line = (day: string, amount: string, text: string, more: Partial<MadeLine> = {}): MadeLine => ({
  day,
  amount,
  text,
  ...more,
})

/** Statements of consecutive days that follow on each other. */
function days(account: string, opening: string, ...each: readonly (readonly MadeLine[])[]): MadeStatement[] {
  const made: MadeStatement[] = []
  for (const [i, lines] of each.entries()) {
    const before = made.at(-1)
    made.push({ account, number: String(i + 1), opening: before ? closingOf(before) : opening, lines })
  }
  return made
}

describe('bank statements', function () {
  this.timeout(60_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.discard())

  const account = async (Iban: string, more = {}): Promise<Data> =>
    service.create('bankaccount', { Name: `Account ${Iban}`, Iban, ...more })
  const lines = async (of: Data) =>
    (
      await service.list('banktransaction', {
        filter: `BankAccount eq '${of.Id}'`,
        sort: 'BookingDate',
        pageSize: '100',
      })
    ).list
  const statements = async (of: Data) =>
    (
      await service.list('bankstatement', {
        filter: `BankAccount eq '${of.Id}'`,
        sort: 'To',
        pageSize: '100',
      })
    ).list
  const send = (file: string, headers = XML, query = '?commit=true') =>
    imported(service, `bankstatement/import${query}`, file, headers)

  it('takes an account that is chosen', async () => {
    const own = await account('DE89370400440532013000')
    const file = mt940(days('37040044/0532013000', '0.00', [line('2029-01-02', '1.00', 'x')]))
    const asked = await send(file, TEXT)
    expect(asked['State'], JSON.stringify(asked)).to.equal('NeedsMapping')
    const wrong = await service.put(`imports/${asked.Id}/mapping`, {
      Accounts: { '37040044/0532013000': 'bankaccount-x' },
    })
    expect((await settled(service, wrong.data.Id))['State']).to.equal('NeedsMapping')
    expect((await service.put(`imports/${asked.Id}/mapping`, { Colour: 1 })).status).to.equal(400)
    await service.put(`imports/${asked.Id}/mapping`, { Accounts: { '37040044/0532013000': own.Id } })
    expect((await settled(service, asked.Id))['State']).to.equal('Completed')
    expect(await lines(own)).to.have.length(1)
  })

  it('says where a statement is missing, until it is there', async () => {
    const own = await account('BE68539007547034')
    const [one, two, three] = days(
      'BE68539007547034',
      '0.00',
      [line('2029-03-01', '1.00', 'a')],
      [line('2029-03-02', '2.00', 'b')],
      [line('2029-03-03', '4.00', 'c')],
    ) as [MadeStatement, MadeStatement, MadeStatement]
    await send(camt([one, three]))
    const checks = async () => (await statements(own)).map(({ Check }) => Check)
    expect(await checks()).to.deep.equal(['Ok', 'Gap'])
    const audit = await service.get('audit?object=bankstatement&event=bankstatement.gap')
    expect(audit.pagination.TotalRecords).to.equal(1)
    await send(camt([two]))
    expect(await checks()).to.deep.equal(['Ok', 'Ok', 'Ok'])
    const all = await statements(own)
    expect(all.map(({ PreviousStatement }) => (PreviousStatement as Data | null)?.Id)).to.deep.equal([
      undefined,
      all[0]!.Id,
      all[1]!.Id,
    ])
  })

  it('has the lines of a notification once, whether the statement came before it or after', async () => {
    const own = await account('NO9386011117947')
    const [one, two] = days(
      'NO9386011117947',
      '0.00',
      [line('2029-03-01', '1.00', 'a', { reference: 'N1' })],
      [line('2029-03-02', '2.00', 'b', { reference: 'N2' })],
    ) as [MadeStatement, MadeStatement]
    await send(camt([one]))
    const notified = await send(camt([one, two], '054'))
    expect(countsIn(notified)).to.include({ Created: 1, Skipped: 1 })
    await send(camt([two]))
    expect(await lines(own)).to.have.length(2)
    expect(await statements(own)).to.have.length(2)
  })

  it('refuses what does not add up, is not final, or is no statement, and says why', async () => {
    await account('FI2112345600000785')
    const [one] = days('FI2112345600000785', '0.00', [line('2029-03-01', '1.00', 'a')]) as [MadeStatement]
    const refusals: [string, RegExp][] = [
      [
        camt([one]).replace(
          '>1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts',
          '>1.50</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts',
        ),
        /closing balance is 1.00, its lines make 1.50/,
      ],
      [`{1:F01X}{2:I942X}{4:\r\n${mt940([one])}`, /MT942.*send the statement/],
      ['{"Records":[{"Number":"1"}]}', /not a bank statement/],
    ]
    for (const [file, reason] of refusals) {
      const whole = await send(file, TEXT)
      expect([whole['State'], whole['Reason']]).to.satisfy(
        ([state, said]: string[]) => state === 'Failed' && reason.test(said!),
        JSON.stringify([whole['Reason'], service.logged.slice(-3)]),
      )
    }
    const elsewhere = await imported(service, 'banktransaction/import', camt([one]), XML)
    expect(elsewhere['Reason']).to.include('/api/v1/bankstatement/import')
    expect((await service.post('bankstatement/import?mode=upsert', camt([one]), XML)).status).to.equal(400)
  })

  it('is known again by its content', async () => {
    const own = await account('ES9121000418450200051332')
    const file = camt(days('ES9121000418450200051332', '0.00', [line('2029-03-01', '1.00', 'a')]))
    await send(file)
    expect((await service.post('bankstatement/import', file, XML)).status).to.equal(409)
    const again = await send(file, XML, '?again=true&commit=true')
    expect(countsIn(again)).to.include({ Created: 0, Skipped: 1 })
    expect(await lines(own)).to.have.length(1)
  })
})
