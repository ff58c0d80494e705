/** A line of a statement as cells: columns have the names of the fields that they are for. */
import type { SourceCell } from '../../formats/reader.ts'
import type { Decimal } from '../../decimal.ts'
import type { BankLine } from '../statement.ts'

export const LINE_COLUMNS = [
  'TransactionId',
  'BankAccount',
  'Statement',
  'StatementNumber',
  'BookingDate',
  'ValueDate',
  'Amount',
  'BalanceAfter',
  'OriginalAmount',
  'Charges',
  'CounterpartyName',
  'CounterpartyIban',
  'CounterpartyBic',
  'RemittanceInformation',
  'EndToEndId',
  'StructuredReference',
  'MandateId',
  'BankReference',
  'BankCode',
  'Batch',
  'TransactionType',
  'ReturnReason',
] as const

/** What a line gets from the statement that it is in. */
export interface LineOwner {
  readonly account: string
  readonly statement: string | undefined
  readonly statementNumber: string | undefined
  readonly currency: string
}

export function lineCells(line: BankLine, transactionId: string, owner: LineOwner): readonly SourceCell[] {
  const currency = line.currency || owner.currency
  const cells: Record<(typeof LINE_COLUMNS)[number], SourceCell> = {
    TransactionId: transactionId,
    BankAccount: owner.account,
    Statement: owner.statement ?? null,
    StatementNumber: text(owner.statementNumber, 50),
    BookingDate: { kind: 'date', text: line.bookingDate },
    ValueDate: line.valueDate ? { kind: 'date', text: line.valueDate } : null,
    Amount: money(line.amount, currency),
    BalanceAfter: line.balanceAfter === undefined ? null : money(line.balanceAfter, currency),
    OriginalAmount: line.original ? money(line.original.amount, line.original.currency) : null,
    Charges: line.charges === undefined ? null : money(line.charges, currency),
    CounterpartyName: text(line.counterpartyName, 200),
    CounterpartyIban: text(line.counterpartyAccount, 34),
    CounterpartyBic: text(line.counterpartyBic, 11),
    RemittanceInformation: text(line.text, MOST_TEXT),
    EndToEndId: text(line.endToEndId, 100),
    StructuredReference: text(line.structuredReference, 50),
    MandateId: text(line.mandateId, 50),
    BankReference: text(line.bankReferences[0], 100),
    BankCode: text(line.bankCode, 50),
    Batch: text(line.batch?.parent, 100),
    TransactionType: typeOf(line),
    ReturnReason: text(line.returnReason, 100),
  }
  return LINE_COLUMNS.map((name) => cells[name])
}

const MOST_TEXT = 10_000

/** Cut to what the field takes: a bank's text is never a reason to lose its line. */
function text(value: string | undefined, most: number): SourceCell {
  const plain = (value ?? '').replace(/[\u0000-\u0009\u000b-\u001f\u007f]/g, ' ').trim()
  return plain === '' ? null : [...plain].slice(0, most).join('').toWellFormed()
}

/** The decimal is JSON as it stands. */
const money = (amount: Decimal, currency: string): SourceCell => ({
  kind: 'json',
  text: `{"Amount":${amount},"Currency":${JSON.stringify(currency)}}`,
})

const TYPES: readonly (readonly [RegExp, string])[] = [
  [/^PMNT\/[RI]DDT|^NDDT|^DIRECTDEBIT$/i, 'DirectDebit'],
  [/^PMNT\/[CM]CRD|^POS$|^NPOS/i, 'Card'],
  [/CASH|^ATM$|CWDL|CDPT/i, 'Cash'],
  [/CHRG|COMM|FEES|^NCHG|^SRVCHG$|^FEE$/i, 'Fee'],
  [/INTR|^NINT|^INT$/i, 'Interest'],
  [/^PMNT|^NTRF|^XFER$|^NMSC$/i, 'Transfer'],
]

const typeOf = ({ isReversal, bankCode = '' }: BankLine): string | null =>
  isReversal ? 'Reversal' : (TYPES.find(([pattern]) => pattern.test(bankCode))?.[1] ?? null)
