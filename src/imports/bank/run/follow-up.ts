/** Whether the statements of an account follow on each other: `Check` and `PreviousStatement` of each. */
import type { Caller } from '../../../commands/command.ts'
import type { Fields } from '../../../domain/json.ts'
import type { ImportWork } from '../../work.ts'
import { keyIn, recordsOf } from './company-records.ts'
import { BANK_STATEMENT, isComplete as isDone } from './statement-plan.ts'

export interface StatementSpan {
  readonly key: string
  readonly from: string
  readonly to: string
  /** Currency and amount; undefined where the statement says none. */
  readonly opening: string | undefined
  readonly closing: string | undefined
}

export interface Standing {
  readonly check: 'Ok' | 'Gap' | 'Unknown'
  readonly previous: string | undefined
}

/**
 * A statement follows on the latest one before it when that closes with what it opens with. Statements of one day may stand in any
 * order; one that begins within another has nothing before it that could be missing.
 */
export function standings(spans: readonly StatementSpan[]): ReadonlyMap<string, Standing> {
  const sorted = [...spans].sort((a, b) => compareText(a.to, b.to) || compareText(a.key, b.key))
  const result = new Map<string, Standing>()
  for (const [at, span] of sorted.entries()) result.set(span.key, standingOf(sorted, at, span))
  return result
}

function standingOf(sorted: readonly StatementSpan[], at: number, span: StatementSpan): Standing {
  if (span.opening === undefined) return { check: 'Unknown', previous: undefined }
  let day: string | undefined
  let latest: StatementSpan | undefined
  for (const other of around(sorted, at, span.to)) {
    if (other === span || other.closing === undefined) continue
    const isSameDay = other.to === span.to
    if (!isSameDay && day !== undefined && other.to !== day) break
    if (other.closing === span.opening && other.from <= span.from && !isEmptyLoop(span, other))
      return { check: 'Ok', previous: other.key }
    if (isSameDay) continue
    day = other.to
    latest ??= other
  }
  if (!latest) return { check: 'Ok', previous: undefined }
  const isWithin = sorted.some((other) => other !== span && other.from <= span.from && other.to >= span.from)
  return isWithin ? { check: 'Ok', previous: undefined } : { check: 'Gap', previous: latest.key }
}

/** Those of the same last day, then earlier ones, the latest first. */
function* around(sorted: readonly StatementSpan[], at: number, to: string): Generator<StatementSpan> {
  for (let after = at + 1; after < sorted.length && sorted[after]!.to === to; after++) yield sorted[after]!
  for (let before = at - 1; before >= 0; before--) yield sorted[before]!
}

/** Two statements of a day that both move nothing follow on each other in one order only. */
const isEmptyLoop = (span: StatementSpan, other: StatementSpan): boolean =>
  other.to === span.to && other.opening === span.closing && other.key > span.key

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export interface FollowUp {
  readonly caller: Caller
  readonly account: string
  /** Statements whose lines have just been written. */
  readonly own: ReadonlySet<string>
  /** Whether none of the lines was refused. */
  readonly isComplete: boolean
  /** Statements that are about to be deleted: none follows on them any more. */
  readonly gone?: ReadonlySet<string>
}

/** Says of all statements of the account how they stand; what is so already is not written again. */
export async function followUp(
  work: ImportWork,
  { caller, account, own, isComplete, gone }: FollowUp,
): Promise<void> {
  const definition = work.definitions.get(BANK_STATEMENT)!
  const all = []
  for await (const record of recordsOf(work, caller.company, BANK_STATEMENT, `BankAccount eq '${account}'`))
    if (gone?.has(record.key) !== true) all.push(record)
  const found = standings(all.map(({ key, fields }) => spanOf(key, fields)))
  for (const { key, fields } of all) {
    // Another import that is under way says it of its own.
    if (!own.has(key) && !isDone(fields)) continue
    const { check, previous = null } = found.get(key)!
    const body: Fields = {
      Check: own.has(key) && !isComplete ? 'Incomplete' : check,
      PreviousStatement: previous,
    }
    if (body['Check'] === fields['Check'] && previous === (keyIn(fields, 'PreviousStatement') ?? null))
      continue
    await work.write.update(
      { ...caller, command: work.newCommand() },
      { definition, key, body, writing: 'replace' },
    )
  }
}

function spanOf(key: string, fields: Fields): StatementSpan {
  const to = (fields['To'] as string | null) ?? ''
  const balance = (name: string) => {
    const value = fields[name] as { Amount: number; Currency: string } | null
    return value ? `${value.Currency} ${value.Amount}` : undefined
  }
  return {
    key,
    from: (fields['From'] as string | null) ?? to,
    to,
    opening: balance('OpeningBalance'),
    closing: balance('ClosingBalance'),
  }
}
