/** Which bank account of the company a statement is of. */
import type { Company } from '../../../domain/events/event.ts'
import type { Question } from '../../import.ts'
import type { KnownAccount } from '../staging/bank-job.ts'
import { recordsOf, type Reading } from './company-records.ts'

export const BANK_ACCOUNT = 'bankaccount'

export interface FoundAccounts {
  /** By the account as the file has it. */
  readonly accounts: Readonly<Record<string, KnownAccount>>
  readonly questions: readonly Question[]
}

/** @param chosen Keys of bank accounts by what the file says, where people have chosen */
export async function findAccounts(
  reading: Pick<Reading, 'readModels' | 'definitions'>,
  company: Company,
  texts: readonly string[],
  chosen: Readonly<Record<string, string>>,
): Promise<FoundAccounts> {
  const byKey = new Map<string, KnownAccount>()
  const byNumber = new Map<string, Set<string>>()
  for await (const { key, fields } of recordsOf(reading, company, BANK_ACCOUNT)) {
    byKey.set(key, {
      key,
      trustsReferences: fields['TrustsReferences'] !== false,
      splitsBatches: fields['SplitsBatches'] !== false,
    })
    for (const name of ['Iban', 'AccountNumber']) {
      const number = plainNumber(fields[name])
      if (number !== '') byNumber.set(number, (byNumber.get(number) ?? new Set()).add(key))
    }
  }
  const accounts: Record<string, KnownAccount> = {}
  const questions: Question[] = []
  for (const text of new Set(texts)) {
    const own = Object.hasOwn(chosen, text) ? chosen[text] : undefined
    const keys = own === undefined ? [...keysOf(byNumber, plainNumber(text))] : [own]
    const known = keys.length === 1 ? byKey.get(keys[0]!) : undefined
    if (known) accounts[text] = known
    else questions.push({ Field: 'BankAccount', Column: text, Question: questionOf(text, keys, own) })
  }
  return { accounts, questions }
}

/** Some banks write the currency behind the number, and a bank code with a stroke before it. */
function keysOf(byNumber: ReadonlyMap<string, ReadonlySet<string>>, number: string): ReadonlySet<string> {
  const forms = [number, number.replace(/[A-Z]{3}$/, '')]
  for (const form of forms) {
    const found = byNumber.get(form)
    if (found) return found
  }
  return new Set()
}

const plainNumber = (value: unknown): string =>
  typeof value === 'string' ? value.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase() : ''

function questionOf(text: string, keys: readonly string[], chosen: string | undefined): string {
  const said = text === '' ? 'the file does not say of which account it is' : `the statement is of ${text}`
  if (chosen !== undefined) return `${said}, and there is no bankaccount ${chosen.slice(0, 60)}`
  if (keys.length > 1) return `${said}, which is the number of ${keys.slice(0, 3).join(', ')}: choose one`
  const create = text === '' ? '' : `create a bankaccount with it, or `
  return `${said}: ${create}choose one by Accounts: {${JSON.stringify(text)}: "bankaccount-…"}`
}
