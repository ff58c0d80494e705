/**
 * What every reader of bank statements yields: statements with their lines as they are booked, one after another.
 *
 * Amounts are exact and signed from the account's side: positive came in, negative went out. Nothing is matched here, and
 * no line is dropped in silence: what cannot be read is an item of its own.
 */
import type { Decimal } from '../decimal.ts'
import type { ReadLimits } from '../formats/reader.ts'

export type StatementFormat = 'camt' | 'mt940' | 'ofx' | 'bai2' | 'profile'

export interface Balance {
  readonly amount: Decimal
  readonly currency: string
  readonly date?: string
}

export interface Statement {
  readonly format: StatementFormat
  /** Id of the profile that a table was read by. */
  readonly profile?: string
  /** IBAN or number as the file has it, without blanks; '' where it says none. */
  readonly account: string
  readonly currency?: string
  /** The bank's own name for the statement, its number, and its number of the year. */
  readonly id?: string
  readonly number?: string
  readonly legalNumber?: string
  readonly from?: string
  readonly to?: string
  readonly opening?: Balance
  /** It has single lines (camt.054) and no balances: it has no place among statements. */
  readonly isNotification?: boolean
}

/** What is known when all lines of a statement have been read. */
export interface StatementEnd {
  readonly closing?: Balance
  /** What the file says of itself. */
  readonly lines?: number
  readonly credits?: Decimal
  readonly debits?: Decimal
}

export interface BankLine {
  /** The line of the file, or the number of the entry in it: for messages. */
  readonly place: number
  readonly bookingDate: string
  readonly valueDate?: string
  readonly amount: Decimal
  readonly currency: string
  /** References that the bank has made, the most particular first. Placeholders are not among them. */
  readonly bankReferences: readonly string[]
  /** The payer's own reference. Never an identity: payers repeat themselves. */
  readonly endToEndId?: string
  readonly mandateId?: string
  readonly structuredReference?: string
  readonly counterpartyName?: string
  readonly counterpartyAccount?: string
  readonly counterpartyBic?: string
  readonly text: string
  /** `PMNT/RCDT/ESCT`, `NTRF`, a code of the bank. */
  readonly bankCode?: string
  readonly original?: { readonly amount: Decimal; readonly currency: string }
  readonly charges?: Decimal
  /** It takes back an earlier line: a returned direct debit, a reversal. */
  readonly isReversal?: boolean
  readonly returnReason?: string
  /** Of a line that is one of several booked together: the entry's reference or place, and which of them it is. */
  readonly batch?: { readonly parent: string; readonly index: number }
  readonly balanceAfter?: Decimal
}

export type BankItem =
  | { readonly is: 'statement'; readonly statement: Statement }
  | { readonly is: 'line'; readonly line: BankLine }
  | { readonly is: 'end'; readonly end: StatementEnd }
  /** Part of the file that should be a line and cannot be read as one: the statement is not to be taken. */
  | { readonly is: 'unreadable'; readonly place: number; readonly message: string }
  /** What the file says of itself is not so: it is not to be taken. */
  | { readonly is: 'wrong'; readonly message: string }
  | { readonly is: 'notice'; readonly place: number; readonly message: string }

/** Streams a file of statements; throws `FileRefused`. */
export type StatementReader = (
  bytes: AsyncIterable<Uint8Array>,
  options?: StatementOptions,
  limits?: ReadLimits,
) => AsyncGenerator<BankItem, void>

export interface StatementOptions {
  /** Whether reports of the day are taken (camt.052), whose lines are not final. */
  readonly intraday?: boolean
  /** Whether an entry of several transactions is one line each, where they add up to it. So when it is not given. */
  readonly splitBatches?: boolean
  /** Of the text formats; decided by the bytes when it is not given. */
  readonly encoding?: string
}

/** What stands where a bank has no reference: never an identity. */
const PLACEHOLDER = /^(?:not ?provided|non ?ref|none|unknown|n\/?a|0+|-+|\.+)?$/i

/** The references that say something, without blanks around them, each once. */
export const realReferences = (...references: readonly (string | undefined)[]): readonly string[] => [
  ...new Set(references.map((one) => one?.trim() ?? '').filter((one) => !PLACEHOLDER.test(one))),
]

/** The reference, when it says something. */
export const realReference = (reference: string | undefined): string | undefined =>
  realReferences(reference)[0]

/** Members of which some are not there. */
type Partly<Members> = { -readonly [Name in keyof Members]?: Members[Name] | undefined }

/** What is there of the optional members: those that are undefined or empty are left out. */
export function present<Whole>(members: Partly<Whole>): Partial<Whole> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== ''),
  ) as Partial<Whole>
}
