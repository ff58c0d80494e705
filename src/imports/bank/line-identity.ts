/**
 * What a line of a bank account is called, so that a statement that comes again or overlaps another adds nothing twice
 * (docs/decisions/identity-of-bank-lines.md). Names of an account never change their form: it is stored with the account.
 */
import { createHash } from 'node:crypto'
import type { BankLine } from './statement.ts'

/** The form of the names that are made here. */
export const IDENTITY_FORMAT = 1

export interface LineIdentities {
  /**
   * The TransactionId of the next line. Lines are to come in the order of their file, all of a booking day before
   * `TransactionId`s of that day are relied on.
   */
  of(line: BankLine): string
}

/** `account` as it is stored: IBAN or number. `trusted`: whether references of this bank name one line each. */
export function lineIdentities(account: string, trusted: boolean): LineIdentities {
  const ordinals = new Map<string, number>()
  const numbered = (name: string): number => {
    const ordinal = (ordinals.get(name) ?? 0) + 1
    ordinals.set(name, ordinal)
    return ordinal
  }
  /** Some banks give one reference to several lines: equal ones of a day are counted as those without a reference are. */
  const referenced = (reference: string, line: BankLine): string => {
    const index = String(line.batch?.index ?? '')
    const content = [account, reference, ...money(line), line.bookingDate, index]
    const ordinal = numbered(content.join('\n'))
    return digest('r', ordinal === 1 ? content : [...content, String(ordinal)])
  }
  return {
    of(line) {
      const [reference] = line.bankReferences
      if (trusted && reference !== undefined) return referenced(reference, line)
      const content = [
        account,
        line.bookingDate,
        line.valueDate ?? '',
        ...money(line),
        line.counterpartyAccount ?? '',
        collapsed(line.text),
      ]
      // Two coffees on one day are equal: the first is 1 and the second is 2 in every export that has the day.
      return digest('c', [...content, String(numbered(content.join('\n')))])
    },
  }
}

/** Trailing zeros are the file's way of writing, not another amount. */
const money = ({ amount, currency }: BankLine): readonly [string, string] => [
  amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount,
  currency,
]

const collapsed = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

const digest = (kind: 'r' | 'c', parts: readonly string[]): string =>
  `${kind}${IDENTITY_FORMAT}-${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`
