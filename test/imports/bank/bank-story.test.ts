/** A bank file on its way to lines: accounts found or asked for, statements checked, nothing twice. */
import { expect } from 'chai'
import { testService, type Data, type TestService } from '../../support/service.ts'
import { checkIn, countsIn, CSV, imported, settled, then } from '../import-support.ts'
import { camt, closingOf, mt940, type MadeLine, type MadeStatement } from './statements.ts'

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

describe('an import of bank statements', function () {
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

  it('asks for an account that is not there, and goes on when it is', async () => {
    const file = camt(
      days('NL91ABNA0417164300', '100.00', [line('2029-01-02', '50.00', 'rent', { reference: 'R1' })]),
    )
    const asked = await send(file, XML, '')
    expect([asked['State'], asked['Kind'], asked['Object']], JSON.stringify(asked)).to.deep.equal([
      'NeedsMapping',
      'bank',
      'banktransaction',
    ])
    expect(JSON.stringify(asked['Questions'])).to.include('NL91ABNA0417164300')
    const own = await account('NL91ABNA0417164300')
    const answered = await service.put(`imports/${asked.Id}/mapping`, {})
    const checked = await settled(service, answered.data.Id)
    expect([checked['State'], checkIn(checked)['WouldCreate']], JSON.stringify(checked)).to.deep.equal([
      'Checked',
      1,
    ])
    expect(await lines(own)).to.deep.equal([])
    expect(await statements(own)).to.deep.equal([])
    const done = await then(service, checked, 'commit')
    expect([done['State'], countsIn(done)['Created']], JSON.stringify(done)).to.deep.equal(['Completed', 1])
    const [statement] = await statements(own)
    expect(statement).to.deep.include({
      Number: '1',
      OpeningBalance: { Amount: 100, Currency: 'EUR' },
      ClosingBalance: { Amount: 150, Currency: 'EUR' },
      Lines: 1,
      Check: 'Ok',
      Format: 'camt',
    })
    const [found] = await lines(own)
    expect(found).to.deep.include({
      BookingDate: '2029-01-02',
      Amount: { Amount: 50, Currency: 'EUR' },
      RemittanceInformation: 'rent',
      BankReference: 'R1',
      Status: 'Unmatched',
    })
    expect((found!['Statement'] as Data).Id).to.equal(statement!.Id)
    const [entry] = (await service.get(`banktransaction/${found!.Id}/history`)).list
    expect(entry!['Import']).to.deep.equal({ Id: done.Id, Row: 1 })
  })

  it('keeps two equal lines, and nothing twice when statements come again or overlap', async () => {
    const own = await account('FR7630006000011234567890189')
    const coffee = line('2029-02-01', '-3.50', 'coffee')
    const [one, two, three] = days(
      'FR7630006000011234567890189',
      '10.00',
      [coffee, coffee],
      [line('2029-02-02', '7.00', 'a', { reference: 'A' })],
      [line('2029-02-03', '8.00', 'b'), line('2029-02-03', '8.00', 'b')],
    ) as [MadeStatement, MadeStatement, MadeStatement]
    expect(countsIn(await send(camt([one, two])))['Created']).to.equal(3)
    const both: MadeStatement = { ...two, number: '9', lines: [...two.lines, ...three.lines] }
    const overlap = await send(camt([both]))
    expect(countsIn(overlap)).to.include({ Created: 2, Skipped: 1, Failed: 0 })
    const again = await send(camt([three, one]) + ' ')
    expect(countsIn(again)).to.include({ Created: 0, Failed: 0 })
    expect((await lines(own)).map(({ Amount }) => (Amount as { Amount: number }).Amount)).to.deep.equal([
      -3.5, -3.5, 7, 8, 8,
    ])
    // The same days in another format.
    const other = await send(mt940([one, two, three]), TEXT)
    expect([other['State'], countsIn(other)['Created']], JSON.stringify(other)).to.deep.equal([
      'Completed',
      0,
    ])
    expect(JSON.stringify(other['Notices'])).to.include('here already')
  })

  it('says which profile a table was read by', async () => {
    await account('NL20INGB0001234567')
    const file =
      'IBAN/BBAN,Munt,BIC,Volgnr,Datum,Rentedatum,Bedrag,Saldo na trn,Tegenrekening IBAN/BBAN,Naam tegenpartij,Omschrijving-1\n' +
      'NL20INGB0001234567,EUR,INGBNL2A,1,2029-04-02,2029-04-02,"+12,50","+112,50",,Ann,rent\n'
    const whole = await send(file, { 'Content-Type': 'text/csv' })
    expect(whole['State'], JSON.stringify(whole)).to.equal('Completed')
    expect(whole['Bank']).to.deep.include({ Format: 'profile', Profile: 'rabobank', Statements: 1 })
  })

  it('reads the table of any bank by a profile of one’s own, also below other lines', async () => {
    const own = await account('AT611904300234573201')
    const Mapping = {
      Bank: 'Volksbank Overal',
      Header: ['Tag', 'Betrag', 'Zweck'],
      Date: 'DD-MM-YYYY',
      Decimal: ',',
      Currency: 'EUR',
      Preamble: { Account: 'Konto' },
      Columns: { BookingDate: 'Tag', Amount: 'Betrag', Text: ['Zweck'] },
    }
    const file = (day: string) =>
      `Konto:;AT61 1904 3002 3457 3201\nUmsätze;\n\nTag;Betrag;Zweck;Rest\n${day};12,50;Miete;x\n${day};-3,00;Karte;y\n`
    const unknown = await send(file('01.04.2029'), CSV)
    expect(JSON.stringify(unknown)).to.include('not known by its columns')

    const wrong = await service.post('import-profiles', {
      Name: 'Wrong',
      Object: 'bankstatement',
      Mapping: { ...Mapping, Date: 'sometimes' },
    })
    expect([wrong.status, wrong.error.Details[0]!.Field], wrong.text).to.deep.equal([400, 'Mapping.Date'])
    const made = await service.post('import-profiles', { Name: 'Overal', Object: 'bankstatement', Mapping })
    expect(made.status, made.text).to.equal(201)
    const columns = ['Tag', 'Betrag', 'Zweck', 'Rest']
    const fitting = await service.post('import-profiles/suggest', {
      Object: 'bankstatement',
      Columns: columns,
    })
    expect(fitting.list.map(({ Profile, Name }) => [Profile, Name])).to.deep.equal([
      [made.data.Id, 'Volksbank Overal'],
    ])

    const whole = await send(file('02.04.2029'), CSV)
    expect(whole['State'], JSON.stringify(whole)).to.equal('Completed')
    expect(whole['Bank']).to.deep.include({ Profile: made.data.Id })
    const chosen = await send(file('03.04.2029'), CSV, `?commit=true&profile=${made.data.Id}`)
    expect(countsIn(chosen)['Created'], JSON.stringify(chosen)).to.equal(2)
    const found = await lines(own)
    const amounts = found.map(({ Amount }) => (Amount as { Amount: number }).Amount)
    expect(amounts.sort((a, b) => a - b)).to.deep.equal([-3, -3, 12.5, 12.5])
    const gone = `importprofile-${made.data.Id.slice(-26, -1)}0`
    const missing = await service.post(`bankstatement/import?profile=${gone}`, file('04.04.2029'), CSV)
    expect(missing.status, missing.text).to.equal(404)
  })
})
