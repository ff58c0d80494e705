/** Matching all lines of an account that are still open: what is certain is done, the rest is proposed. */
import type { Caller } from '../../../commands/command.ts'
import { Conflict, Invalid, NotFound, PreconditionFailed } from '../../../domain/errors.ts'
import type { Fields } from '../../../domain/json.ts'
import { BANK_LINE } from '../bank-file.ts'
import { candidates, type MatchDecision } from '../matching.ts'
import { BANK_ACCOUNT } from '../run/accounts.ts'
import { caughtUp, recordsOf } from '../run/company-records.ts'
import type { BankLine } from '../statement.ts'
import { matchContext } from './context.ts'
import { lineOf } from './line-of.ts'
import { forService, matchesOf } from './matched.ts'
import { endLine, loadLine, matchLine } from './match-line.ts'
import type { MatchWork } from './steps.ts'

export interface Matched {
  /** Lines that were looked at. */
  readonly lines: number
  readonly matched: number
  readonly proposed: number
}

/** Lines that are written at the same time. */
const AT_ONCE = 512

interface OpenLine {
  readonly key: string
  readonly status: string
  readonly line: BankLine
  readonly id: string
  /** Whether a person has to say what it is for. */
  readonly isLeftToPeople: boolean
}

/**
 * The same lines and debts give the same matches, in whatever order they are stored. One account is matched once at a time: who comes
 * meanwhile waits, and finds what is still open.
 */
export const matchAccount = (work: MatchWork, asked: Caller, account: string): Promise<Matched> =>
  work.turns.holding([{ key: `${asked.company} ${account}`, shared: false }], () =>
    matchInTurn(work, asked, account),
  )

async function matchInTurn(work: MatchWork, asked: Caller, account: string): Promise<Matched> {
  // What is certain is matched by the service, as the bank account allows it.
  const caller: Caller = { ...asked, source: 'system', grant: undefined, reads: undefined }
  const { company } = caller
  const { status, fields } = await work.load(company, account)
  if (status !== 'live') throw new NotFound(`there is no ${BANK_ACCOUNT} ${account.slice(0, 100)}`)
  await caughtUp(work)
  const lines = await openLines(work, caller, account)
  if (lines.length === 0) return { lines: 0, matched: 0, proposed: 0 }
  const context = await matchContext(
    work,
    company,
    fields,
    lines.map(({ line }) => line),
  )
  const isAutomatic = fields['MatchAutomatically'] !== false
  const writing = inOrder()
  const turn = work.pace()
  let [matched, proposed] = [0, 0]
  for (const open of lines) {
    await turn()
    const decision = candidates(open.line, context)
    const match = isAutomatic && !open.isLeftToPeople ? decision.automatic : undefined
    if (match) {
      for (const { item, amount } of match.parts) context.items.settle(item, amount)
      const touched = [...match.parts.map(({ item }) => item), ...(match.payment ? [match.payment] : [])]
      await writing.add(touched, async () => {
        if (await isDone(() => matchLine(work, caller, open.key, match))) matched++
      })
      continue
    }
    const isProposed = hasAny(decision)
    if (isProposed) proposed++
    if (isProposed === (open.status === 'Proposed')) continue
    const Status = isProposed ? 'Proposed' : 'Unmatched'
    await writing.add([], () => isDone(() => setStatus(work, caller, open.key, Status)))
  }
  await writing.end()
  return { lines: lines.length, matched, proposed }
}

const hasAny = ({ automatic, proposals }: MatchDecision): boolean =>
  automatic !== undefined || proposals.length > 0

/** What has come to stand otherwise since it was read is left for the next time. */
async function isDone(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write()
    return true
  } catch (error) {
    const isLate = [Conflict, Invalid, NotFound, PreconditionFailed].some((kind) => error instanceof kind)
    if (!isLate) throw error
    return false
  }
}

/** By day and name: the order in which they were stored does not matter. What was begun and not ended is ended. */
async function openLines(work: MatchWork, caller: Caller, account: string): Promise<readonly OpenLine[]> {
  const found: OpenLine[] = []
  const filter = `BankAccount eq '${account}' and (Status eq 'Unmatched' or Status eq 'Proposed')`
  for await (const { key, fields } of recordsOf(work, caller.company, BANK_LINE, filter)) {
    const { State, LeftToPeople: isLeftToPeople = false } = matchesOf(fields)
    if (State === 'doing' || State === 'undoing') {
      await isDone(() => endLine(work, caller, key))
      continue
    }
    const line = lineOf(fields)
    const id = fields['TransactionId'] as string
    if (line) found.push({ key, status: fields['Status'] as string, line, id, isLeftToPeople })
  }
  return found.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
}

const sortKey = ({ line, id }: OpenLine): string => `${line.bookingDate} ${id}`

async function setStatus(work: MatchWork, caller: Caller, key: string, Status: string): Promise<void> {
  const { version } = await loadLine(work, caller, key)
  const definition = forService(work.definitions.get(BANK_LINE)!)
  const own = { ...caller, command: work.newCommand() }
  const body: Fields = { Status }
  await work.write.update(own, { definition, key, body, expected: [version], writing: 'replace' })
}

/** Some at a time; those that touch the same records one after the other. */
function inOrder() {
  const last = new Map<string, Promise<unknown>>()
  const running = new Set<Promise<unknown>>()
  let broken: { readonly error: unknown } | undefined
  const check = () => {
    if (broken) throw broken.error
  }
  return {
    async add(touched: readonly string[], run: () => Promise<unknown>): Promise<void> {
      while (running.size >= AT_ONCE) await Promise.race(running)
      check()
      const before = Promise.all(touched.map((key) => last.get(key) ?? Promise.resolve()))
      const done: Promise<unknown> = before
        .then(run)
        .catch((error: unknown) => (broken ??= { error }))
        .finally(() => {
          running.delete(done)
          for (const key of touched) if (last.get(key) === done) last.delete(key)
        })
      running.add(done)
      for (const key of touched) last.set(key, done)
    },
    async end(): Promise<void> {
      await Promise.all(running)
      check()
    },
  }
}

/** What a line may be for, as things stand now. */
export async function proposalsFor(work: MatchWork, caller: Caller, key: string): Promise<MatchDecision> {
  const { fields } = await loadLine(work, caller, key)
  const line = lineOf(fields)
  if (!line || !['Unmatched', 'Proposed'].includes(fields['Status'] as string)) return { proposals: [] }
  await caughtUp(work)
  const account = fields['BankAccount']
  const state = typeof account === 'string' ? await work.load(caller.company, account) : undefined
  const context = await matchContext(work, caller.company, state?.fields ?? {}, [line])
  return candidates(line, context)
}
