/** One small statement in each format: who paid what, when, with which references, and whether it adds up. */
import { expect } from 'chai'
import fc from 'fast-check'
import { readBai2 } from '../../../src/imports/bank/bai2.ts'
import { readCamt } from '../../../src/imports/bank/camt.ts'
import { readMt940 } from '../../../src/imports/bank/mt940.ts'
import { readOfx } from '../../../src/imports/bank/ofx.ts'
import type { StatementReader } from '../../../src/imports/bank/statement.ts'
import { refusalOf } from '../formats/reading.ts'
import { readStatements } from './reading.ts'

const balance = (code: string, amount: string, sign = 'CRDT') =>
  `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${sign}</CdtDbtInd><Dt><Dt>2029-04-03</Dt></Dt></Bal>`
const details = (amount: string, more: string) => `<TxDtls>${more}<Amt Ccy="EUR">${amount}</Amt></TxDtls>`
const entry = (amount: string, sign: string, inside = '', status = '<Sts><Cd>BOOK</Cd></Sts>') =>
  `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${sign}</CdtDbtInd>${status}<BookgDt><Dt>2029-04-03</Dt></BookgDt><ValDt><DtTm>2029-04-04T01:00:00+02:00</DtTm></ValDt>${inside}</Ntry>`
const camt = (inside: string, message = 'BkToCstmrStmt', statement = 'Stmt') =>
  `<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><${message}><GrpHdr/><${statement}><Id>S1</Id><ElctrncSeqNb>7</ElctrncSeqNb><Acct><Id><IBAN>NL91 ABNA 0417 1643 00</IBAN></Id><Ccy>EUR</Ccy></Acct>${inside}</${statement}></${message}></Document>`
const CAMT = camt(
  balance('OPBD', '100.00') +
    balance('CLBD', '70.00') +
    entry(
      '50.00',
      'CRDT',
      `<AcctSvcrRef>E1</AcctSvcrRef><NtryDtls>${details('50.00', '<Refs><EndToEndId>NOTPROVIDED</EndToEndId><TxId>T1</TxId></Refs><RltdPties><Dbtr><Pty><Nm>J. Jansen</Nm></Pty></Dbtr><DbtrAcct><Id><IBAN>NL02ABNA0123456789</IBAN></Id></DbtrAcct></RltdPties><RmtInf><Ustrd>INV-1</Ustrd><Strd><CdtrRefInf><Ref>RF18539007547034</Ref></CdtrRefInf></Strd></RmtInf>')}</NtryDtls>`,
    ) +
    entry(
      '80.00',
      'DBIT',
      `<AcctSvcrRef>E2</AcctSvcrRef><NtryDtls>${details('30.00', '<Refs><AcctSvcrRef>D1</AcctSvcrRef></Refs>')}${details('50.00', '<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>')}</NtryDtls>`,
    ) +
    entry('5.00', 'CRDT', '', '<Sts>PDNG</Sts>'),
)
const MT940 = `{1:F01ABNANL2AXXXX0000000000}{2:O9400000000000}{4:
:20:STARTUMSE
:25:NL91ABNA0417164300
:28C:7/1
:60F:C290402EUR100,00
:61:2904040403CR50,NTRFINV-1//E1
more of it
:86:166?00GUTSCHRIFT?20EREF+E2E-1?21SVWZ+Rent of?22 April?30ABNANL2A?31NL02
ABNA0123456789?32J.?33 Jansen
:62M:C290403EUR150,00
-}
:20:STARTUMSE
:25:NL91ABNA0417164300
:28C:7/2
:60M:C290403EUR150,00
:61:2812310102RC80,N028NONREF
:86:/TRTP/SEPA/IBAN/NL02ABNA0123456789/NAME/J. Jansen/REMI/USTD//Rent/EREF/NOTPROVIDED
:62F:C290403EUR70,00
-}
`
const OFX = `OFXHEADER:100
DATA:OFXSGML
ENCODING:USASCII

<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><BANKID>1<ACCTID>123 456<ACCTTYPE>CHECKING</BANKACCTFROM>
<BANKTRANLIST><DTSTART>20290401<DTEND>20290403
<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20290403120000[-5:EST]<TRNAMT>1,050.25<FITID>F1<NAME>Jansen &amp; Co<MEMO>Rent</STMTTRN>
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20290403<TRNAMT>-80,5<FITID>0<NAME>Fee
</BANKTRANLIST><LEDGERBAL><BALAMT>70.00<DTASOF>20290403</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`
const BAI2 = `01,122099999,123456789,290403,0829,001,80,1,2/
02,031001234,122099999,1,290403,,EUR,2/
03,0975312468,EUR,010,10000,,,015,7000,,/
16,165,5000,V,290403,0830,B1,C1,RENT
88,OF APRIL
16,475,8000,S,1,2,3,B2,,CHECK/49,30000,5/
98,30000,1,7/
99,30000,1,9/`

describe('a statement in camt', () => {
  it('is its booked lines, split where details add up', async () => {
    const { lines, checked, notices } = await readStatements(readCamt, CAMT)
    expect(lines).to.deep.equal([
      {
        place: 1,
        bookingDate: '2029-04-03',
        valueDate: '2029-04-04',
        amount: '50.00',
        currency: 'EUR',
        bankReferences: ['E1', 'T1'],
        structuredReference: 'RF18539007547034',
        counterpartyName: 'J. Jansen',
        counterpartyAccount: 'NL02ABNA0123456789',
        text: 'INV-1',
      },
      {
        place: 2,
        bookingDate: '2029-04-03',
        valueDate: '2029-04-04',
        amount: '-30.00',
        currency: 'EUR',
        bankReferences: ['D1', 'E2'],
        text: '',
        batch: { parent: 'E2', index: 1 },
      },
      {
        place: 2,
        bookingDate: '2029-04-03',
        valueDate: '2029-04-04',
        amount: '-50.00',
        currency: 'EUR',
        bankReferences: ['E2'],
        text: '',
        batch: { parent: 'E2', index: 2 },
        returnReason: 'AC04',
        isReversal: true,
      },
    ])
    expect(checked[0]).to.deep.include({ check: 'Ok', lines: 3 })
    expect(checked[0]!.statement).to.deep.include({ account: 'NL91ABNA0417164300', id: 'S1', number: '7' })
    expect(notices).to.deep.equal(['1 entries are not booked yet; they are left out.'])
    expect(
      (await readStatements(readCamt, CAMT, { splitBatches: false })).lines.map(({ amount }) => amount),
    ).to.deep.equal(['50.00', '-80.00'])
  })

  it('is one line where its details do not add up', async () => {
    const { lines } = await readStatements(
      readCamt,
      camt(entry('80.00', 'DBIT', `<NtryDtls>${details('30.00', '')}${details('40.00', '')}</NtryDtls>`)),
    )
    expect(lines.map(({ amount }) => amount)).to.deep.equal(['-80.00'])
  })

  it('that does not add up says so', async () => {
    const { checked } = await readStatements(
      readCamt,
      camt(balance('OPBD', '1.00') + balance('CLBD', '5.00') + entry('3.00', 'CRDT')),
    )
    expect(checked[0]).to.include({ check: 'WrongSum' })
    expect(checked[0]!.message).to.contain('closing balance is 5.00, its lines make 4.00')
  })

  it('of the day so far is refused unless it is asked for', async () => {
    const report = camt(entry('1.00', 'CRDT'), 'BkToCstmrAcctRpt', 'Rpt')
    expect((await refusalOf(() => readStatements(readCamt, report))).message).to.contain('camt.052')
    expect((await readStatements(readCamt, report, { intraday: true })).lines).to.have.length(1)
  })

  it('is refused with a DOCTYPE, or when it is something else', async () => {
    expect((await refusalOf(() => readStatements(readCamt, '<!DOCTYPE x><x/>'))).code).to.equal('doctype')
    expect((await refusalOf(() => readStatements(readCamt, '<note/>'))).code).to.equal('other-format')
    expect(
      (await readStatements(readCamt, camt('<Ntry><Amt Ccy="EUR">x</Amt></Ntry>'))).unreadable,
    ).to.have.length(1)
  })
})

describe('a statement in MT940', () => {
  it('is one over its pages, with what banks write in :86:', async () => {
    const { lines, checked } = await readStatements(readMt940, MT940)
    expect(lines).to.deep.equal([
      {
        place: 6,
        bookingDate: '2029-04-03',
        valueDate: '2029-04-04',
        amount: '50',
        currency: 'EUR',
        bankReferences: ['E1'],
        bankCode: 'NTRF',
        endToEndId: 'E2E-1',
        counterpartyName: 'J. Jansen',
        counterpartyAccount: 'NL02ABNA0123456789',
        counterpartyBic: 'ABNANL2A',
        text: 'Rent of April\nmore of it',
      },
      {
        place: 16,
        bookingDate: '2029-01-02',
        valueDate: '2028-12-31',
        amount: '-80',
        currency: 'EUR',
        bankReferences: [],
        bankCode: 'N028',
        isReversal: true,
        counterpartyName: 'J. Jansen',
        counterpartyAccount: 'NL02ABNA0123456789',
        text: 'Rent',
      },
    ])
    expect(checked).to.have.length(1)
    expect(checked[0]).to.include({ check: 'Ok', lines: 2 })
    expect(checked[0]!.statement).to.deep.include({
      account: 'NL91ABNA0417164300',
      number: '7/1',
      currency: 'EUR',
    })
  })

  it('takes the last of the month for a day that does not exist, and says so', async () => {
    const { lines, notices } = await readStatements(
      readMt940,
      ':20:x\n:60F:C290228EUR0,\n:61:2902300230C1,00NTRFx\n',
    )
    expect(lines[0]).to.include({ bookingDate: '2029-02-28', valueDate: '2029-02-28' })
    expect(notices[0]).to.contain('does not exist')
  })

  it('of the day so far is refused, and a line that cannot be read is not lost', async () => {
    for (const text of ['{1:F01X}{2:O9420000}{4:\n:20:x\n', ':20:x\n:34F:EURD0,\n'])
      expect((await refusalOf(() => readStatements(readMt940, text))).message).to.contain('MT942')
    expect((await readStatements(readMt940, ':20:x\n:61:nonsense\n')).unreadable).to.deep.equal([
      'Line 2: the field :61: cannot be read.',
    ])
  })
})

describe('a statement in OFX', () => {
  it('is its transactions, closed or not', async () => {
    const { lines, checked } = await readStatements(readOfx, OFX)
    expect(lines).to.deep.equal([
      {
        place: 1,
        bookingDate: '2029-04-03',
        amount: '1050.25',
        currency: 'EUR',
        bankReferences: ['F1'],
        counterpartyName: 'Jansen & Co',
        bankCode: 'CREDIT',
        text: 'Rent',
      },
      {
        place: 2,
        bookingDate: '2029-04-03',
        amount: '-80.5',
        currency: 'EUR',
        bankReferences: [],
        counterpartyName: 'Fee',
        bankCode: 'DEBIT',
        text: 'Fee',
      },
    ])
    expect(checked[0]!.statement).to.deep.equal({
      format: 'ofx',
      account: '123456',
      currency: 'EUR',
      from: '2029-04-01',
      to: '2029-04-03',
    })
    expect(checked[0]!.end).to.deep.equal({
      closing: { amount: '70.00', currency: 'EUR', date: '2029-04-03' },
    })
  })

  it('is the same as XML', async () => {
    const closed = OFX.slice(OFX.indexOf('<OFX>'))
      .replaceAll(
        /<(\w+)>([^<\s][^<]*)/g,
        (_, name: string, text: string) => `<${name}>${text.trim()}</${name}>`,
      )
      .replace('</BANKTRANLIST>', '</STMTTRN></BANKTRANLIST>')
    const xml = `<?xml version="1.0"?><?OFX OFXHEADER="200"?>${closed}`
    expect((await readStatements(readOfx, xml)).lines).to.deep.equal(
      (await readStatements(readOfx, OFX)).lines,
    )
  })

  it('without days or amounts is not lost, and without OFX refused', async () => {
    expect(
      (await readStatements(readOfx, '<OFX><STMTRS><STMTTRN><TRNAMT>x<DTPOSTED>20290101</STMTTRN>'))
        .unreadable,
    ).to.have.length(1)
    expect((await refusalOf(() => readStatements(readOfx, 'hello'))).code).to.equal('other-format')
    expect((await refusalOf(() => readStatements(readOfx, '<!DOCTYPE x><OFX>'))).code).to.equal('doctype')
  })
})

describe('a statement in BAI2', () => {
  it('is its records 16, in the smallest unit of their currency', async () => {
    const { lines, checked } = await readStatements(readBai2, BAI2)
    expect(lines).to.deep.equal([
      {
        place: 4,
        bookingDate: '2029-04-03',
        amount: '50.00',
        currency: 'EUR',
        bankReferences: ['B1'],
        text: 'RENT\nOF APRIL',
        bankCode: '165',
        endToEndId: 'C1',
      },
      {
        place: 6,
        bookingDate: '2029-04-03',
        amount: '-80.00',
        currency: 'EUR',
        bankReferences: ['B2'],
        text: 'CHECK',
        bankCode: '475',
      },
    ])
    expect(checked[0]!.statement).to.deep.include({
      account: '0975312468',
      opening: { amount: '100.00', currency: 'EUR', date: '2029-04-03' },
    })
    expect(checked[0]!.end.closing!.amount).to.equal('70.00')
  })

  it('is wrong where it does not come to what it says of itself', async () => {
    expect((await readStatements(readBai2, BAI2)).wrong).to.deep.equal([])
    const changes: readonly (readonly [string, string, readonly RegExp[]])[] = [
      ['49,30000,5', '49,30001,5', [/^Line 6: .* 30001 for a control total of the account, and 30000/]],
      ['49,30000,5', '49,30000,4', [/ 4 for records of the account, and 5 are/]],
      ['98,30000,1,7', '98,30000,2,7', [/ 2 for accounts of the group, and 1 /]],
      ['99,30000,1,9', '99,29999,2,8', [/29999 for a control total/, /2 for groups/, /8 for records/]],
      ['16,165,5000', '16,165,4000', [/49 says 30000/, /98 says 30000/, /99 says 30000/]],
      ['88,OF APRIL\n', '', [/49 says/, /98 says/, /99 says/]],
      ['\n99,30000,1,9/', '', [/ends before the record 99/]],
      ['49,30000,5/\n', '\n', [/where it cannot be; the account before it has to end with 49/]],
    ]
    for (const [from, to, messages] of changes) {
      const { wrong } = await readStatements(readBai2, BAI2.replace(from, to))
      for (const [i, message] of messages.entries()) expect(wrong[i], to).to.match(message)
    }
  })

  it('is refused when it is something else', async () => {
    for (const text of ['', 'hello', '16,165,5000,Z,B1,C1,RENT', '01,x/\nnonsense/'])
      expect((await refusalOf(() => readStatements(readBai2, text))).code).to.equal('damaged')
  })
})

describe('statements of every format', () => {
  const formats: readonly (readonly [string, StatementReader, string])[] = [
    ['camt', readCamt, CAMT],
    ['MT940', readMt940, MT940],
    ['OFX', readOfx, OFX],
    ['BAI2', readBai2, BAI2],
  ]
  for (const [name, reader, text] of formats) {
    it(`${name} is the same in pieces of any size`, async () => {
      const whole = await readStatements(reader, text)
      for (const piece of [1, 2, 3, 7, 50])
        expect(await readStatements(reader, text, { piece })).to.deep.equal(whole)
    })

    it(`${name} that is cut, swapped, doubled or changed is read or refused`, () =>
      fc.assert(
        fc.asyncProperty(
          fc.nat(),
          fc.nat(),
          fc.constantFrom('cut', 'swap', 'double', 'change', 'remove'),
          async (a, b, how) => {
            const lines = text.split(/(?<=[\n>/])/)
            const [i, j] = [a % lines.length, b % lines.length]
            if (how === 'cut') lines.length = i
            else if (how === 'swap') [lines[i], lines[j]] = [lines[j]!, lines[i]!]
            else if (how === 'double') lines.splice(i, 0, lines[i]!)
            else if (how === 'remove') lines.splice(i, 1)
            else
              lines[i] =
                lines[i]!.slice(0, b % (lines[i]!.length + 1)) +
                String.fromCharCode(b % 300) +
                lines[i]!.slice(1)
            await readStatements(reader, lines.join('')).catch((error: unknown) =>
              expect(error).to.have.property('name', 'FileRefused'),
            )
          },
        ),
        { numRuns: 300 },
      ))
  }
})
