/** Statements of made-up accounts, as files of several formats. */

export interface MadeLine {
  readonly day: string
  /** Positive when it came in. */
  readonly amount: string
  readonly text: string
  readonly reference?: string
  readonly endToEndId?: string
  readonly name?: string
  readonly account?: string
  readonly structured?: string
  readonly returned?: string
}

export interface MadeStatement {
  readonly account: string
  readonly number: string
  readonly opening: string
  readonly lines: readonly MadeLine[]
  readonly from?: string
  readonly to?: string
  readonly currency?: string
}

const cents = (amount: string) => BigInt(amount.replace('.', ''))
const written = (value: bigint) => {
  const digits = String(value < 0n ? -value : value).padStart(3, '0')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Amounts have two decimals. */
export const closingOf = ({ opening, lines }: MadeStatement): string =>
  written(lines.reduce((sum, { amount }) => sum + cents(amount), cents(opening)))

const positive = (amount: string) => amount.replace('-', '')
const sign = (amount: string) => (amount.startsWith('-') ? 'DBIT' : 'CRDT')
const element = (name: string, content: string | undefined) =>
  content === undefined || content === '' ? '' : `<${name}>${content}</${name}>`

export function camt(statements: readonly MadeStatement[], kind: '053' | '054' = '053'): string {
  const [message, part] = kind === '053' ? ['BkToCstmrStmt', 'Stmt'] : ['BkToCstmrDbtCdtNtfctn', 'Ntfctn']
  const all = statements.map((statement) => {
    const { account, number, opening, lines, currency = 'EUR' } = statement
    const { from = lines[0]?.day ?? '2029-01-01', to = lines.at(-1)?.day ?? from } = statement
    const balance = (code: string, amount: string, day: string) =>
      `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="${currency}">${positive(amount)}</Amt>` +
      `<CdtDbtInd>${sign(amount)}</CdtDbtInd><Dt><Dt>${day}</Dt></Dt></Bal>`
    const balances =
      kind === '053' ? balance('OPBD', opening, from) + balance('CLBD', closingOf(statement), to) : ''
    return (
      `<${part}><Id>${number}</Id><ElctrncSeqNb>${number}</ElctrncSeqNb>` +
      `<FrToDt><FrDtTm>${from}T00:00:00</FrDtTm><ToDtTm>${to}T23:59:59</ToDtTm></FrToDt>` +
      `<Acct><Id><IBAN>${account}</IBAN></Id><Ccy>${currency}</Ccy></Acct>${balances}` +
      `${lines.map((line) => entry(line, currency)).join('')}</${part}>`
    )
  })
  return (
    `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.${kind}.001.02">` +
    `<${message}><GrpHdr><MsgId>M</MsgId></GrpHdr>${all.join('')}</${message}></Document>`
  )
}

function entry(line: MadeLine, currency: string): string {
  const party = line.amount.startsWith('-') ? 'Cdtr' : 'Dbtr'
  const parties =
    element(party, element('Nm', line.name)) +
    element(`${party}Acct`, line.account && `<Id><IBAN>${line.account}</IBAN></Id>`)
  return (
    `<Ntry><Amt Ccy="${currency}">${positive(line.amount)}</Amt><CdtDbtInd>${sign(line.amount)}</CdtDbtInd>` +
    `<Sts>BOOK</Sts><BookgDt><Dt>${line.day}</Dt></BookgDt><ValDt><Dt>${line.day}</Dt></ValDt>` +
    `${element('AcctSvcrRef', line.reference)}<NtryDtls><TxDtls>` +
    `<Refs>${element('EndToEndId', line.endToEndId)}</Refs>${element('RltdPties', parties)}` +
    `<RmtInf>${element('Ustrd', line.text)}${element('Strd', line.structured && `<CdtrRefInf><Ref>${line.structured}</Ref></CdtrRefInf>`)}</RmtInf>` +
    `${element('RtrInf', line.returned && `<Rsn><Cd>${line.returned}</Cd></Rsn>`)}</TxDtls></NtryDtls></Ntry>`
  )
}

export function mt940(statements: readonly MadeStatement[]): string {
  const day = (iso: string) => iso.slice(2).replaceAll('-', '')
  const comma = (amount: string) => positive(amount).replace('.', ',')
  const mark = (amount: string) => (amount.startsWith('-') ? 'D' : 'C')
  return statements
    .map((statement) => {
      const { account, number, opening, lines, currency = 'EUR' } = statement
      const { from = lines[0]?.day ?? '2029-01-01', to = lines.at(-1)?.day ?? from } = statement
      const closing = closingOf(statement)
      return [
        `:20:${number}`,
        `:25:${account}`,
        `:28C:${number}`,
        `:60F:${mark(opening)}${day(from)}${currency}${comma(opening)}`,
        ...lines.flatMap((line) => [
          `:61:${day(line.day)}${day(line.day).slice(2)}${mark(line.amount)}${comma(line.amount)}NTRF${line.endToEndId ?? 'NONREF'}${line.reference ? `//${line.reference}` : ''}`,
          `:86:${line.text}`,
        ]),
        `:62F:${mark(closing)}${day(to)}${currency}${comma(closing)}`,
        '-',
      ].join('\r\n')
    })
    .join('\r\n')
}
