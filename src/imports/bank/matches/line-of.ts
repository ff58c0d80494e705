/** A stored bank transaction as the line that it was read from. */
import type { Fields } from '../../../domain/json.ts'
import { isZero, plainDecimal } from '../../decimal.ts'
import { present, type BankLine } from '../statement.ts'

export interface Money {
  readonly Amount: number
  readonly Currency: string
}

export const moneyIn = (fields: Fields, name: string): Money | undefined =>
  (fields[name] ?? undefined) as unknown as Money | undefined

/** A number of JSON is exact within the decimals of its currency. */
export const decimalOf = (amount: number): string => plainDecimal(String(amount)) ?? '0'

export function lineOf(fields: Fields): BankLine | undefined {
  const amount = moneyIn(fields, 'Amount')
  if (!amount || isZero(decimalOf(amount.Amount))) return undefined
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : undefined)
  return {
    place: 0,
    bookingDate: text('BookingDate') ?? '',
    amount: decimalOf(amount.Amount),
    currency: amount.Currency,
    bankReferences: [],
    text: text('RemittanceInformation') ?? '',
    ...present<BankLine>({
      endToEndId: text('EndToEndId'),
      structuredReference: text('StructuredReference'),
      counterpartyName: text('CounterpartyName'),
      counterpartyAccount: text('CounterpartyIban'),
      returnReason: text('ReturnReason'),
      isReversal: fields['TransactionType'] === 'Reversal' || text('ReturnReason') !== undefined || undefined,
    }),
  }
}
