/** Statements of an account as banks send them: MT940, and camt.053 of the standard ISO 20022. Amounts are in cents. */

export interface Line {
  readonly day: string
  /** Negative: it went out. */
  readonly cents: number
  readonly text: string
  readonly name: string
  /** Of the bank. */
  readonly reference: string
}

export interface Statement {
  readonly iban: string
  readonly number: number
  readonly currency: string
  readonly from: string
  readonly to: string
  readonly opening: number
  /** In the order of their days. */
  readonly lines: readonly Line[]
}

export function closingOf({ opening, lines }: Pick<Statement, 'opening' | 'lines'>): number {
  return lines.reduce((sum, { cents }) => sum + cents, opening)
}

const amount = (cents: number, point: string) => {
  const digits = String(Math.abs(cents)).padStart(3, '0')
  return `${digits.slice(0, -2)}${point}${digits.slice(-2)}`
}

export function mt940(statement: Statement): string {
  const { iban, number, currency, from, to, opening, lines } = statement
  const short = (day: string) => day.slice(2).replaceAll('-', '')
  const balance = (cents: number, day: string) =>
    `${cents < 0 ? 'D' : 'C'}${short(day)}${currency}${amount(cents, ',')}`
  const written = lines.flatMap(({ day, cents, text, name, reference }) => [
    `:61:${short(day)}${short(day).slice(2)}${cents < 0 ? 'D' : 'C'}${amount(cents, ',')}NTRFNONREF//${reference}`,
    `:86:${name} ${text}`,
  ])
  const head = [`:20:STMT${number}`, `:25:${iban}`, `:28C:${number}`, `:60F:${balance(opening, from)}`]
  return [...head, ...written, `:62F:${balance(closingOf(statement), to)}`, '-', ''].join('\r\n')
}

export function camt053(statement: Statement): string {
  const { iban, number, currency, from, to, opening, lines } = statement
  const money = (cents: number) =>
    `<Amt Ccy="${currency}">${amount(cents, '.')}</Amt><CdtDbtInd>${cents < 0 ? 'DBIT' : 'CRDT'}</CdtDbtInd>`
  const balance = (code: string, cents: number, day: string) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${money(cents)}<Dt><Dt>${day}</Dt></Dt></Bal>`
  const entries = lines.map(({ day, cents, text, name, reference }) => {
    const party = cents < 0 ? 'Cdtr' : 'Dbtr'
    return (
      `<Ntry>${money(cents)}<Sts>BOOK</Sts><BookgDt><Dt>${day}</Dt></BookgDt><ValDt><Dt>${day}</Dt></ValDt>` +
      `<AcctSvcrRef>${reference}</AcctSvcrRef><NtryDtls><TxDtls>` +
      `<RltdPties><${party}><Nm>${escaped(name)}</Nm></${party}></RltdPties>` +
      `<RmtInf><Ustrd>${escaped(text)}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`
    )
  })
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">' +
    `<BkToCstmrStmt><GrpHdr><MsgId>M${number}</MsgId></GrpHdr><Stmt><Id>${number}</Id><ElctrncSeqNb>${number}</ElctrncSeqNb>` +
    `<FrToDt><FrDtTm>${from}T00:00:00</FrDtTm><ToDtTm>${to}T23:59:59</ToDtTm></FrToDt>` +
    `<Acct><Id><IBAN>${iban}</IBAN></Id><Ccy>${currency}</Ccy></Acct>` +
    `${balance('OPBD', opening, from)}${balance('CLBD', closingOf(statement), to)}${entries.join('\n')}` +
    '</Stmt></BkToCstmrStmt></Document>\n'
  )
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

/** A creditor reference (ISO 11649) of these digits. */
export function rfReference(digits: string): string {
  // R is 27 and F is 15, as in IBANs.
  const check = 98n - (BigInt(`${digits}271500`) % 97n)
  return `RF${String(check).padStart(2, '0')}${digits}`
}
