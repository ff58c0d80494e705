/** CSV of banks, as they write it: each is known by its header, and read by its profile. */
import { expect } from 'chai'
import type { Invalid } from '../../../src/domain/errors.ts'
import type { Json } from '../../../src/domain/json.ts'
import { DEFAULT_LIMITS, FileRefused } from '../../../src/imports/formats/reader.ts'
import {
  bankProfiles,
  readBankProfile,
  type BankProfile,
} from '../../../src/imports/bank/profiles/profile.ts'
import { readByProfile } from '../../../src/imports/bank/profiles/read-profile.ts'
import type { BankItem } from '../../../src/imports/bank/statement.ts'

/** A header and two rows: 12.50 in and 3.00 out on 2 and 3 April 2029, in the order of the bank. */
const FILES: Readonly<Record<string, string>> = {
  'ing-nl':
    '"Datum";"Naam / Omschrijving";"Rekening";"Tegenrekening";"Code";"Af Bij";"Bedrag (EUR)";"Mutatiesoort";"Mededelingen";"Saldo na mutatie";"Tag"\n"20290403";"Shop";"NL91ABNA0417164300";"";"BA";"Af";"3,00";"Betaalautomaat";"pas";"109,50";""\n"20290402";"Ann";"NL91ABNA0417164300";"NL20INGB0001234567";"OV";"Bij";"12,50";"Overschrijving";"huur";"112,50";""\n',
  rabobank:
    '"IBAN/BBAN","Munt","BIC","Volgnr","Datum","Rentedatum","Bedrag","Saldo na trn","Tegenrekening IBAN/BBAN","Naam tegenpartij","Omschrijving-1"\n"NL91ABNA0417164300","EUR","RABONL2U","000000001","2029-04-02","2029-04-02","+12,50","+112,50","NL20INGB0001234567","Ann","huur"\n"NL91ABNA0417164300","EUR","RABONL2U","000000002","2029-04-03","2029-04-03","-3,00","+109,50","","Shop","pas"\n',
  bunq: '"Date";"Interest Date";"Amount";"Account";"Counterparty";"Name";"Description"\n"2029-04-02";"2029-04-02";"12,50";"NL91ABNA0417164300";"NL20INGB0001234567";"Ann";"huur"\n"2029-04-03";"2029-04-03";"-3,00";"NL91ABNA0417164300";"";"Shop";"pas"\n',
  n26: '"Booking Date","Value Date","Partner Name","Partner Iban",Type,"Payment Reference","Account Name","Amount (EUR)"\n2029-04-02,2029-04-02,Ann,NL20INGB0001234567,Credit Transfer,rent,Main,12.50\n2029-04-03,2029-04-03,Shop,,Presentment,,Main,-3.00\n',
  revolut:
    'Type,Product,Started Date,Completed Date,Description,Amount,Fee,Currency,State,Balance\nTOPUP,Current,2029-04-02 08:00:00,2029-04-02 08:01:00,From Ann,12.50,0.00,EUR,COMPLETED,112.50\nCARD_PAYMENT,Current,2029-04-02 09:00:00,2029-04-03 10:00:00,Shop,-2.00,1.00,EUR,COMPLETED,109.50\nCARD_PAYMENT,Current,2029-04-03 09:00:00,,Shop,-9.00,0.00,EUR,PENDING,\n',
  wise: '"TransferWise ID",Date,Amount,Currency,Description,"Payment Reference","Running Balance"\nCARD-2,03-04-2029,-3.00,EUR,Shop,,109.50\nTRANSFER-1,02-04-2029,12.50,EUR,From Ann,rent,112.50\n',
  sparkasse:
    '"Auftragskonto";"Buchungstag";"Valutadatum";"Buchungstext";"Verwendungszweck";"Kundenreferenz (End-to-End)";"Beguenstigter/Zahlungspflichtiger";"Kontonummer/IBAN";"BIC (SWIFT-Code)";"Betrag";"Waehrung";"Info"\n"DE89370400440532013000";"03.04.29";"03.04.29";"KARTENZAHLUNG";"Karte";"";"Shop";"";"";"-3,00";"EUR";"Umsatz gebucht"\n"DE89370400440532013000";"02.04.29";"02.04.29";"GUTSCHR. UEBERWEISUNG";"Miete";"E2E";"Ann";"NL20INGB0001234567";"";"12,50";"EUR";"Umsatz gebucht"\n"DE89370400440532013000";"04.04.29";"04.04.29";"KARTENZAHLUNG";"Karte";"";"Shop";"";"";"-8,00";"EUR";"Umsatz vorgemerkt"\n',
  commerzbank:
    'Buchungstag;Wertstellung;Umsatzart;Buchungstext;Betrag;Währung;IBAN Auftraggeberkonto\n02.04.2029;02.04.2029;Gutschrift;Ann Miete;12,50;EUR;DE89370400440532013000\n03.04.2029;03.04.2029;Lastschrift;Shop;-3,00;EUR;DE89370400440532013000\n',
  kbc: 'Rekeningnummer;Rubrieknaam;Naam;Munt;Afschriftnummer;Datum;Omschrijving;Valuta;Bedrag;Saldo;credit;debet;rekeningnummer tegenpartij;BIC tegenpartij;Naam tegenpartij;gestructureerde mededeling;Vrije mededeling\nBE68539007547034;;Firm;EUR;02029001;02/04/2029;OVERSCHRIJVING;02/04/2029;12,50;112,50;12,50;;NL20INGB0001234567;;Ann;+++090/9337/55493+++;\nBE68539007547034;;Firm;EUR;02029001;03/04/2029;BETALING;03/04/2029;-3,00;109,50;;-3,00;;;Shop;;\n',
  lloyds:
    "Transaction Date,Transaction Type,Sort Code,Account Number,Transaction Description,Debit Amount,Credit Amount,Balance\n03/04/2029,DEB,'11-22-33,12345678,SHOP,3.00,,109.50\n02/04/2029,FPI,'11-22-33,12345678,ANN RENT,,12.50,112.50\n",
  chase:
    'Details,Posting Date,Description,Amount,Type,Balance,Check or Slip #\nDEBIT,04/03/2029,"SHOP",-3.00,DEBIT_CARD,109.50,\nCREDIT,04/02/2029,"ANN RENT",12.50,ACH_CREDIT,112.50,\n',
  'american-express-us':
    "Date,Description,Amount,Extended Details,Appears On Your Statement As,Address,Reference,Category\n04/03/2029,SHOP,3.00,,SHOP,,'320290001',Food\n04/02/2029,REFUND,-12.50,,REFUND,,'320290002',Credit\n",
}

const itemsOf = async (
  text: string,
  profile?: string,
  own: readonly BankProfile[] = [],
): Promise<readonly BankItem[]> => {
  const bytes = (async function* () {
    yield Buffer.from(text)
  })()
  const source = { bytes, folder: '/nowhere' }
  const items: BankItem[] = []
  for await (const item of readByProfile({
    source,
    format: 'csv',
    profile,
    own,
    encoding: undefined,
    limits: DEFAULT_LIMITS,
  }))
    items.push(item)
  return items
}

describe('profiles of banks', () => {
  it('are a dozen, each with a file here', () =>
    expect(bankProfiles().map(({ id }) => id)).to.deep.equal(Object.keys(FILES).sort()))

  for (const [id, text] of Object.entries(FILES))
    it(`${id} reads its lines, with their signs`, async () => {
      const items = await itemsOf(text)
      const lines = items.flatMap((item) => (item.is === 'line' ? [item.line] : []))
      const shown = lines.map(({ bookingDate, amount }) => `${bookingDate} ${Number(amount)}`).sort()
      expect(shown, JSON.stringify(items)).to.deep.equal(['2029-04-02 12.5', '2029-04-03 -3'])
      const [statement] = items.flatMap((item) => (item.is === 'statement' ? [item.statement] : []))
      expect(statement!.profile).to.equal(id)
      const ends = items.flatMap((item) => (item.is === 'end' ? [item.end] : []))
      expect(ends).to.have.length(1)
      // With balances the whole adds up, whichever way the bank orders its lines.
      if (/alance|Sald/.test(text))
        expect([Number(statement!.opening!.amount), Number(ends[0]!.closing!.amount)]).to.deep.equal([
          100, 109.5,
        ])
    })

  it('refuse what they do not know, and choices that do not fit', async () => {
    for (const [text, profile, message] of [
      ['Name,Age\nAnn,3\n', undefined, /bank that is not known by its columns/],
      [FILES['chase']!, 'ing-nl', /has the columns Datum/],
      [FILES['chase']!, 'nobank', /The profile "nobank" is unknown\. Available profiles: .*ing-nl/],
    ] as const)
      try {
        await itemsOf(text, profile)
        expect.fail('it was taken')
      } catch (error) {
        expect(error).to.be.instanceOf(FileRefused)
        expect((error as Error).message).to.match(message)
      }
  })
})

const OWN: BankProfile = {
  id: 'importprofile-1',
  ...readBankProfile({
    Bank: 'Volksbank Overal',
    Header: ['Tag', 'Betrag', 'Zweck'],
    Date: 'DD-MM-YYYY',
    Decimal: ',',
    Preamble: { Account: 'Konto', Currency: 'Währung' },
    Columns: { BookingDate: 'Tag', Amount: 'Betrag', Balance: 'Stand', Name: 'Von', Text: ['Zweck'] },
  }),
}
const PREAMBLE = 'Konto:;DE89 3704 0044 0532 0130 00\nWährung:;eur\nUmsätze vom 01.04.2029;\n\n'
const TABLE =
  'Tag;Betrag;Zweck;Von;Stand\n02.04.2029;12,50;Miete;Ann;112,50\n03.04.2029;-3,00;Karte;Shop;109,50\n'

describe('a profile of a bank of one’s own', () => {
  it('finds the header below what stands before it, and there the account and the currency', async () => {
    const items = await itemsOf(PREAMBLE + TABLE, undefined, [OWN])
    const [statement] = items.flatMap((item) => (item.is === 'statement' ? [item.statement] : []))
    expect(statement).to.deep.include({
      profile: OWN.id,
      account: 'DE89370400440532013000',
      currency: 'EUR',
      opening: { amount: '100.00', currency: 'EUR' },
    })
    const lines = items.flatMap((item) => (item.is === 'line' ? [item.line] : []))
    expect(
      lines.map(({ bookingDate, amount, counterpartyName }) => [bookingDate, amount, counterpartyName]),
    ).to.deep.equal([
      ['2029-04-02', '12.50', 'Ann'],
      ['2029-04-03', '-3.00', 'Shop'],
    ])
  })

  it('comes before one that is shipped with the same columns', async () => {
    const header = bankProfiles().find(({ id }) => id === 'wise')!
    const items = await itemsOf(FILES['wise']!, undefined, [{ ...header, id: 'importprofile-2' }])
    const [statement] = items.flatMap((item) => (item.is === 'statement' ? [item.statement] : []))
    expect(statement!.profile).to.equal('importprofile-2')
  })

  it('is refused where a header is not among the first 100 rows, or it is another bank’s', async () => {
    const far = `${'x;y\n'.repeat(100)}${TABLE}`
    for (const [text, message] of [
      [far, /has the columns Tag, Betrag, Zweck, and this one has not/],
      ['Tag;Betrag\n02.04.2029;12,50\n', /has the columns Zweck, and this one has not/],
    ] as const)
      try {
        await itemsOf(text, OWN.id, [OWN])
        expect.fail('it was taken')
      } catch (error) {
        expect(error).to.be.instanceOf(FileRefused)
        expect((error as Error).message).to.match(message)
      }
  })

  it('must say what the amount is, and which texts stand for money that went out', () => {
    const { id: _, ...whole } = OWN
    const faultsOf = (Columns: object) => {
      try {
        readBankProfile({ ...whole, Columns } as unknown as Json)
      } catch (error) {
        return (error as Invalid).faults.map(({ Field }) => Field)
      }
      return []
    }
    expect(faultsOf({ BookingDate: 'Tag', Text: ['Zweck'] })).to.deep.equal(['Mapping.Columns.Amount'])
    expect(faultsOf({ BookingDate: 'Tag', Text: ['Zweck'], Amount: 'B', Sign: 'S' })).to.deep.equal([
      'Mapping.Debits',
    ])
    expect(faultsOf({ BookingDate: 'Tag', Text: [], Credit: 'B', More: 'x' })).to.have.members([
      'Mapping.Columns.Text',
      'Mapping.Columns.More',
    ])
  })
})
