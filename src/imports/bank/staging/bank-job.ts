/** What is asked of the thread that reads a bank file, and what it answers beside rows. */
import type { Decimal } from '../../decimal.ts'
import type { BankProfile } from '../profiles/profile.ts'
import type { Balance, StatementFormat } from '../statement.ts'

/** What is known of an account before its lines are named. */
export interface KnownAccount {
  /** Key of the bankaccount. */
  readonly key: string
  readonly trustsReferences: boolean
  readonly splitsBatches: boolean
}

export interface BankJob {
  /** By the account as the file has it. None: the file is surveyed, and no row is written. */
  readonly accounts?: Readonly<Record<string, KnownAccount>>
  /** By the place of the statement in the file: the Key that its lines look up, if any; null leaves its lines out. */
  readonly statements?: readonly (string | null | undefined)[]
  /** Whether lines that are not final are taken. */
  readonly intraday?: boolean
  /** Id of a profile for CSV and workbooks, or the Key of an own one; found by the header when it is not given. */
  readonly profile?: string
  /** The company's own. */
  readonly profiles?: readonly BankProfile[]
  readonly encoding?: string
}

/** A statement as the file has it, without its lines. */
export interface SurveyedStatement {
  readonly format: StatementFormat
  readonly profile?: string
  readonly account: string
  readonly currency?: string
  readonly id?: string
  readonly number?: string
  readonly legalNumber?: string
  readonly from?: string
  readonly to?: string
  readonly opening?: Balance
  readonly closing?: Balance
  readonly lines: number
  readonly credits: Decimal
  readonly debits: Decimal
  /** Unknown: it has no balances to check by. */
  readonly check: 'Ok' | 'Unknown'
  /** It has single lines (camt.054), and neither balances nor gaps. */
  readonly isNotification: boolean
}

export interface BankSurvey {
  readonly format: StatementFormat
  readonly profile?: string
  readonly statements: readonly SurveyedStatement[]
}
