/**
 * Which statements of a file are new, what their records will be, and which are here already: those have nothing to add, in whatever
 * format they come again.
 */
import { createHash } from 'node:crypto'
import type { Company } from '../../../domain/events/event.ts'
import { fieldOf } from '../../../domain/definition.ts'
import type { Fields, Json } from '../../../domain/json.ts'
import { derivedId, derivedKey } from '../../../commands/support/identifiers.ts'
import type { Files } from '../../../ports/files.ts'
import { plainDecimal } from '../../decimal.ts'
import type { ImportWork } from '../../work.ts'
import type { KnownAccount, SurveyedStatement } from '../staging/bank-job.ts'

export const BANK_STATEMENT = 'bankstatement'

export interface PlannedStatement {
  readonly key: string
  readonly account: string
  readonly isNew: boolean
  /** Of the command that creates it. */
  readonly command: string
  readonly fields: Fields
}

export interface StatementPlan {
  /** In ms: Keys of new statements derive from it. */
  readonly at: number
  readonly statements: readonly PlannedStatement[]
  /** Keys of all bank accounts that the file has lines of. */
  readonly accounts: readonly string[]
}

export interface Planned {
  readonly plan: StatementPlan
  /** By the place in the file: what lines look up; null leaves them out. */
  readonly lookups: readonly (string | null | undefined)[]
  /** Statements that are here already, with all their lines. */
  readonly known: number
}

export interface PlannedFor {
  readonly company: Company
  readonly key: string
  readonly at: number
  /** The same content was imported before, and that is meant: its lines are looked at one by one. */
  readonly isAgain: boolean
}

export async function planStatements(
  { ownerOf, load, definitions }: Pick<ImportWork, 'ownerOf' | 'load' | 'definitions'>,
  whole: PlannedFor,
  statements: readonly SurveyedStatement[],
  accounts: Readonly<Record<string, KnownAccount>>,
): Promise<Planned> {
  const definition = definitions.get(BANK_STATEMENT)!
  const field = fieldOf(definition, 'StatementId')!
  const planned = new Map<string, PlannedStatement>()
  const lookups: (string | null | undefined)[] = []
  let known = 0
  for (const statement of statements) {
    if (statement.isNotification) {
      lookups.push(undefined)
      continue
    }
    const account = accounts[statement.account]!.key
    const value = statementId(account, statement)
    const owner = await ownerOf(whole.company, definition, { field, value })
    const isHere = owner !== undefined && (await isWhole({ load }, whole, owner, statement))
    if (planned.has(value) || isHere) {
      lookups.push(null)
      if (!planned.has(value)) known++
      continue
    }
    const command = derivedId(`${whole.key}/${value}`)
    const key = owner ?? derivedKey(BANK_STATEMENT, command, whole.at)
    const fields = statementFields(value, account, statement, whole.key)
    planned.set(value, { key, account, isNew: owner === undefined, command, fields })
    lookups.push(key)
  }
  const keys = [...new Set(Object.values(accounts).map(({ key }) => key))]
  return { plan: { at: whole.at, statements: [...planned.values()], accounts: keys }, lookups, known }
}

async function isWhole(
  { load }: Pick<ImportWork, 'load'>,
  { company, isAgain }: PlannedFor,
  key: string,
  { format }: SurveyedStatement,
): Promise<boolean> {
  const state = await load(company, key)
  if (state.status !== 'live' || !isComplete(state.fields)) return false
  if (isAgain && state.fields['Format'] === format) return false
  const by = await load(company, state.fields['Import'] as string)
  return by.status !== 'live' || !['Undoing', 'Undone', 'PartlyUndone'].includes(by.fields['State'] as string)
}

/** `Check` is written when all lines are. */
export const isComplete = ({ Check = null }: Fields): boolean => Check !== null && Check !== 'Incomplete'

/**
 * What a statement is, whatever its format: a bank that sends it again may give it another name, and other texts, but not other
 * balances and sums. Without balances it is known by its name and days.
 */
export function statementId(account: string, statement: SurveyedStatement): string {
  const { opening, closing, to = '', from = '', credits, debits, currency = '' } = statement
  const day = closing?.date ?? to
  const sums = [plain(credits), plain(debits)]
  const parts =
    opening && closing
      ? [account, closing.currency, day, plain(opening.amount), plain(closing.amount), ...sums]
      : [account, currency, from, day, statement.id ?? '', statement.number ?? '', ...sums]
  return `s1-${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`
}

/** `1.50` and `1.5` are one amount. */
function plain(amount: string): string {
  const text = plainDecimal(amount) ?? amount
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

function statementFields(
  StatementId: string,
  BankAccount: string,
  statement: SurveyedStatement,
  importKey: string,
): Fields {
  const { opening, closing, from, to, lines, credits, debits, format } = statement
  const currency = closing?.currency ?? opening?.currency ?? statement.currency
  const money = (amount: string, Currency: string): Json => ({ Amount: Number(amount), Currency })
  return {
    StatementId,
    BankAccount,
    Number: (statement.number ?? statement.id ?? to ?? null)?.slice(0, 100) ?? null,
    LegalNumber: statement.legalNumber?.slice(0, 50) ?? null,
    From: from ?? null,
    To: to ?? null,
    OpeningBalance: opening ? money(opening.amount, opening.currency) : null,
    ClosingBalance: closing ? money(closing.amount, closing.currency) : null,
    Lines: lines,
    Credits: currency ? money(credits, currency) : null,
    Debits: currency ? money(debits, currency) : null,
    Format: format,
    Import: importKey,
  }
}

export async function keepPlan(
  files: Pick<Files, 'put'>,
  company: Company,
  plan: StatementPlan,
): Promise<string> {
  const bytes = async function* () {
    yield Buffer.from(JSON.stringify(plan))
  }
  return (await files.put(company, bytes(), Infinity)).sha256
}

/** @throws Error when it is not kept any more */
export async function readPlan(
  files: Pick<Files, 'open'>,
  company: Company,
  sha256: string,
): Promise<StatementPlan> {
  const bytes = await files.open(company, sha256)
  if (!bytes) throw new Error('the statements of this import are not kept any more')
  const parts: Uint8Array[] = []
  for await (const part of bytes) parts.push(part)
  return JSON.parse(Buffer.concat(parts).toString('utf8')) as StatementPlan
}
