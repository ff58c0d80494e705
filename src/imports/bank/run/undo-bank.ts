/** What undoing an import of a bank file does beside its lines: matches before them, statements after them, and both again when that is undone. */
import type { Caller } from '../../../commands/command.ts'
import { Conflict, NotFound } from '../../../domain/errors.ts'
import type { RecordedEvent } from '../../../domain/events/event.ts'
import type { ImportWork } from '../../work.ts'
import { BANK_LINE } from '../bank-file.ts'
import { matchAccount } from '../matches/match-account.ts'
import { mayUnmatchLine, unmatchLine } from '../matches/match-line.ts'
import { matchesOf } from '../matches/matched.ts'
import { caughtUp, keyIn, recordsOf } from './company-records.ts'
import { followUp } from './follow-up.ts'
import { BANK_STATEMENT } from './statement-plan.ts'

/** What matching writes into a line: taken back, it leaves nothing behind. */
const MATCH_FIELDS = new Set([
  'Status',
  'MatchRule',
  'MatchScore',
  'MatchedAmount',
  'Matches',
  'Tenant',
  'TransactionType',
])

/** Whether an event of a line is of its matching alone. */
export const isOfMatching = ({ data, type }: RecordedEvent): boolean =>
  type === `${BANK_LINE}.updated` &&
  ('Status' in data || 'Matches' in data) &&
  Object.keys(data).every((name) => MATCH_FIELDS.has(name))

/** As the service: the right to import statements is the right to say that money came in, and to take that back. */
const asService = (caller: Caller): Caller => ({
  ...caller,
  source: 'system',
  grant: undefined,
  reads: undefined,
})

/**
 * Payments and invoices become what they were. In a dry run it is only asked whether they can.
 * @returns whether the line is matched
 * @throws Conflict where one has moved on
 */
export async function unmatchFirst(work: ImportWork, caller: Caller, key: string): Promise<boolean> {
  const { status, fields } = await work.load(caller.company, key)
  if (status !== 'live') return false
  if (caller.dryRun) return mayUnmatchLine(work, caller, key)
  if (matchesOf(fields).State === 'none' && fields['Status'] !== 'Ignored') return false
  await unmatchLine(work, asService(caller), key, 'service')
  return true
}

/** Statements of the import without any line left are deleted; the others stand as they now follow on each other. */
export async function undoStatements(work: ImportWork, caller: Caller, importKey: string): Promise<void> {
  await caughtUp(work)
  const { company } = caller
  const gone = new Map<string, string>()
  const accounts = new Set<string>()
  for await (const { key, fields } of recordsOf(work, company, BANK_STATEMENT, `Import eq '${importKey}'`)) {
    const account = keyIn(fields, 'BankAccount')
    if (account !== undefined) accounts.add(account)
    if (!(await hasLines(work, company, key))) gone.set(key, account ?? '')
  }
  const by = asService(caller)
  for (const account of accounts)
    await followUp(work, {
      caller: by,
      account,
      own: new Set(),
      isComplete: true,
      gone: new Set(gone.keys()),
    })
  const definition = work.definitions.get(BANK_STATEMENT)!
  const own = () => ({ ...by, command: work.newCommand() })
  for (const key of gone.keys())
    await work.write.update(own(), { definition, key, body: { PreviousStatement: null }, writing: 'replace' })
  for (const key of gone.keys())
    await work.write.remove(own(), { definition, key }).catch((error: unknown) => {
      // Somebody refers to it, or was faster.
      if (!(error instanceof Conflict || error instanceof NotFound)) throw error
    })
  for (const account of accounts) await matchAccount(work, caller, account)
}

async function hasLines(work: ImportWork, company: string, statement: string): Promise<boolean> {
  for await (const _ of recordsOf(work, company, BANK_LINE, `Statement eq '${statement}'`)) return true
  return false
}

/** Before lines come back: the statements that they are of. */
export async function restoreStatements(
  work: ImportWork,
  caller: Caller,
  lines: readonly string[],
): Promise<void> {
  const definition = work.definitions.get(BANK_STATEMENT)!
  const keys = new Set<string>()
  for (const line of lines) {
    const { Statement } = (await work.load(caller.company, line)).fields
    if (typeof Statement === 'string') keys.add(Statement)
  }
  for (const key of keys) {
    const { status } = await work.load(caller.company, key)
    if (status === 'deleted')
      await work.write.restore({ ...asService(caller), command: work.newCommand() }, { definition, key })
  }
}

/** After lines came back: how their statements stand, and what the lines are for. */
export async function standAgain(work: ImportWork, caller: Caller, importKey: string): Promise<void> {
  await caughtUp(work)
  const accounts = new Set<string>()
  const filter = `Import eq '${importKey}'`
  for await (const { fields } of recordsOf(work, caller.company, BANK_STATEMENT, filter)) {
    const account = keyIn(fields, 'BankAccount')
    if (account !== undefined) accounts.add(account)
  }
  for (const account of accounts) {
    await followUp(work, { caller: asService(caller), account, own: new Set(), isComplete: true })
    await matchAccount(work, caller, account)
  }
}
