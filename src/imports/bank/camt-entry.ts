/** An entry of a camt message as lines: one for each of its transactions where they add up to it, else one. */
import { isEqual, isNegative, negated, plainDecimal, sum, type Decimal } from '../decimal.ts'
import { present, realReference, realReferences, type BankLine, type StatementOptions } from './statement.ts'
import { nodeAt, nodesAt, textAt, type XmlNode } from './xml-tree.ts'

/** The lines of the entry, or why it cannot be read. */
export function entryLines(
  entry: XmlNode,
  details: readonly XmlNode[],
  place: number,
  { splitBatches = true }: StatementOptions,
): readonly BankLine[] | string {
  const amount = signedAmount(nodeAt(entry, 'Amt'), textAt(entry, ['CdtDbtInd']))
  if (!amount) return 'has no amount that can be read'
  const booked = dayAt(entry, 'BookgDt') ?? dayAt(entry, 'ValDt')
  if (!booked) return 'has neither a booking day nor a value day'
  const reference = textAt(entry, ['AcctSvcrRef'])
  const whole = {
    place,
    bookingDate: booked,
    ...present<BankLine>({
      valueDate: dayAt(entry, 'ValDt'),
      bankCode: bankCode(nodeAt(entry, 'BkTxCd')),
      charges: chargesOf(entry),
    }),
    ...(textAt(entry, ['RvslInd']) === 'true' && { isReversal: true }),
    currency: amount.currency,
  }
  const information = textAt(entry, ['AddtlNtryInf']) ?? ''
  const amounts = details.map((detail) => detailAmount(detail, amount.value, amount.currency))
  const addUp =
    details.length > 1 && amounts.every((one) => one !== undefined) && isEqual(sum(amounts), amount.value)
  if (!splitBatches || !addUp) {
    const only = details.length === 1 ? details[0] : undefined
    const parts = only ? detailParts(only, amount.value) : {}
    return [
      {
        ...whole,
        ...parts,
        amount: amount.value,
        bankReferences: realReferences(reference, ...detailReferences(only)),
        text: only ? detailText(only, information) : information,
      },
    ]
  }
  return details.map((detail, i) => ({
    ...whole,
    ...detailParts(detail, amounts[i]!),
    amount: amounts[i]!,
    bankReferences: realReferences(...detailReferences(detail), reference),
    text: detailText(detail, information),
    batch: { parent: realReference(reference) ?? `entry ${place}`, index: i + 1 },
  }))
}

interface Money {
  readonly value: Decimal
  readonly currency: string
}

/** Banks have been seen to write negative amounts beside the indicator: then both count. */
export function signedAmount(node: XmlNode | undefined, indicator: string | undefined): Money | undefined {
  const value = plainDecimal(node?.text.trim() ?? '')
  if (value === undefined) return undefined
  return { value: indicator === 'DBIT' ? negated(value) : value, currency: node!.attributes['Ccy'] ?? '' }
}

/** In the entry's currency; undefined: the transaction says none. */
function detailAmount(detail: XmlNode, entry: Decimal, currency: string): Decimal | undefined {
  const own = nodeAt(detail, 'Amt') ?? nodeAt(detail, 'AmtDtls', 'TxAmt', 'Amt')
  const indicator = textAt(detail, ['CdtDbtInd']) ?? (isNegative(entry) ? 'DBIT' : 'CRDT')
  const found = signedAmount(own, indicator)
  return found && found.currency === currency ? found.value : undefined
}

const detailReferences = (detail: XmlNode | undefined) => [
  textAt(detail, ['Refs', 'AcctSvcrRef']),
  textAt(detail, ['Refs', 'TxId']),
]

/** What a transaction says beyond its amount. The other side pays what comes in and receives what goes out. */
function detailParts(detail: XmlNode, amount: Decimal): Partial<BankLine> {
  const other = isNegative(amount) ? 'Cdtr' : 'Dbtr'
  const parties = nodeAt(detail, 'RltdPties')
  const original = nodeAt(detail, 'AmtDtls', 'InstdAmt', 'Amt')
  const originalValue = plainDecimal(original?.text.trim() ?? '')
  const currency = original?.attributes['Ccy']
  return present<BankLine>({
    endToEndId: realReference(textAt(detail, ['Refs', 'EndToEndId'])),
    mandateId: realReference(textAt(detail, ['Refs', 'MndtId'])),
    structuredReference: textAt(
      detail,
      ['RmtInf', 'Strd', 'CdtrRefInf', 'Ref'],
      ['RmtInf', 'Strd', 'CdtrRefInf', 'CdtrRef'],
    ),
    counterpartyName: textAt(
      parties,
      [other, 'Nm'],
      [other, 'Pty', 'Nm'],
      [`Ultmt${other}`, 'Nm'],
      [`Ultmt${other}`, 'Pty', 'Nm'],
    ),
    counterpartyAccount: textAt(
      parties,
      [`${other}Acct`, 'Id', 'IBAN'],
      [`${other}Acct`, 'Id', 'Othr', 'Id'],
    )?.replaceAll(/\s/g, ''),
    counterpartyBic: textAt(
      detail,
      ['RltdAgts', `${other}Agt`, 'FinInstnId', 'BICFI'],
      ['RltdAgts', `${other}Agt`, 'FinInstnId', 'BIC'],
    ),
    bankCode: bankCode(nodeAt(detail, 'BkTxCd')),
    returnReason: textAt(detail, ['RtrInf', 'Rsn', 'Cd'], ['RtrInf', 'Rsn', 'Prtry']),
    isReversal: nodeAt(detail, 'RtrInf') ? true : undefined,
    original: originalValue !== undefined && currency ? { amount: originalValue, currency } : undefined,
  })
}

const detailText = (detail: XmlNode, information: string): string =>
  [
    ...nodesAt(nodeAt(detail, 'RmtInf'), 'Ustrd').map(({ text }) => text.trim()),
    textAt(detail, ['AddtlTxInf']) ?? '',
  ]
    .filter((text) => text !== '')
    .join('\n') || information

function bankCode(code: XmlNode | undefined): string | undefined {
  const parts = [
    textAt(code, ['Domn', 'Cd']),
    textAt(code, ['Domn', 'Fmly', 'Cd']),
    textAt(code, ['Domn', 'Fmly', 'SubFmlyCd']),
  ]
  return parts[0] ? parts.filter(Boolean).join('/') : textAt(code, ['Prtry', 'Cd'])
}

function chargesOf(entry: XmlNode): Decimal | undefined {
  return plainDecimal(textAt(entry, ['Chrgs', 'TtlChrgsAndTaxAmt']) ?? '')
}

/** `Dt`, or the day of `DtTm` as it is written: the bank's day, whatever the zone. */
export function dayAt(node: XmlNode | undefined, name: string): string | undefined {
  const day = textAt(node, [name, 'Dt'], [name, 'DtTm'])?.slice(0, 10)
  return day !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(day) ? day : undefined
}
