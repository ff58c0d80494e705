/** What an import of a bank file does beside its lines: statements before them, and what they come to after them. */
import { Conflict, Forbidden } from '../../../domain/errors.ts'
import type { Caller } from '../../../commands/command.ts'
import type { Import } from '../../import.ts'
import { allResults } from '../../run/results.ts'
import { matchAccount } from '../matches/match-account.ts'
import { callerOf, type ImportWork } from '../../work.ts'
import { caughtUp } from './company-records.ts'
import { followUp } from './follow-up.ts'
import { BANK_STATEMENT, readPlan, type StatementPlan } from './statement-plan.ts'

/** Statements are made once, however often the commit is run. @throws Forbidden when that is not granted any more */
export async function createStatements(work: ImportWork, whole: Import): Promise<void> {
  const plan = await planOf(work, whole)
  const { company, by } = whole
  const grant = (await work.accessOf(company, by))?.grant(BANK_STATEMENT, 'import')
  if (!grant) throw new Forbidden(`import ${BANK_STATEMENT} is not granted any more to ${by}`)
  const definition = work.definitions.get(BANK_STATEMENT)!
  for (const { isNew, command, fields } of plan.statements) {
    if (!isNew) continue
    const caller: Caller = {
      ...callerOf(work, whole),
      command,
      repeatedFrom: plan.at,
      source: `import:${whole.key}#0`,
    }
    try {
      await work.write.create(caller, { definition, body: fields, importing: true })
    } catch (error) {
      // Another import has made it since this one was read: its lines are recognized one by one.
      if (!(error instanceof Conflict)) throw error
    }
  }
  await caughtUp(work)
}

/** @param isWhole whether all rows were run */
export async function completeStatements(work: ImportWork, whole: Import, isWhole: boolean): Promise<void> {
  const plan = await planOf(work, whole)
  let isComplete = isWhole
  for await (const { outcome } of allResults(work.chunks, whole)) if (outcome === 'Failed') isComplete = false
  await caughtUp(work)
  const accounts = new Set(plan.statements.map(({ account }) => account))
  const own = new Set(plan.statements.map(({ key }) => key))
  for (const account of accounts)
    await followUp(work, { caller: callerOf(work, whole), account, own, isComplete })
  for (const account of plan.accounts) await matchAccount(work, callerOf(work, whole), account)
}

const planOf = (work: ImportWork, { company, bank }: Import): Promise<StatementPlan> =>
  readPlan(work.files, company, bank?.Plan ?? '')
