/**
 * Works on imports: one of a company at a time, a few in all, each from where it stands. What another process left is taken over
 * (`left-imports.ts`); two that work on one do no harm, for every step has a fence of its own.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Conflict, Forbidden, PreconditionFailed, Unavailable } from '../domain/errors.ts'
import { fairTurns } from '../domain/fair-turns.ts'
import type { Company } from '../domain/events/event.ts'
import { timestampOf } from '../domain/fields/dates.ts'
import { readBankStep } from './bank/run/read-bank-step.ts'
import { FileRefused } from './formats/reader.ts'
import { commitsItself, type Import } from './import.ts'
import { checkStep } from './run/check-step.ts'
import { commitStep } from './run/commit-step.ts'
import { importProgress, type Progress } from './run/progress.ts'
import { readStep } from './run/read-step.ts'
import { settleOriginal } from './undo/original.ts'
import { checkUndoStep, undoStep } from './undo/undo-step.ts'
import { callerOf, changeImport, loadImport, releaseContent, type ImportWork } from './work.ts'

export interface ImportRunner {
  readonly progress: Progress
  /** Goes on with the import, here and now, or when its turn comes. */
  wake(company: Company, key: string): void
  /** Those that it works on, or will. */
  isKnown(key: string): boolean
  stop(): Promise<void>
}

const WAITING = { own: 10_000, all: 100_000 }

/** When the stores were away. */
const AGAIN_MS = 2_000

/** @param atOnce imports of all companies that are worked on at the same time */
export function importRunner(work: ImportWork, atOnce: number): ImportRunner {
  const progress = importProgress(() => work.clock.elapsed())
  const turns = fairTurns({ atOnce, waiting: WAITING, full: 'too many imports wait' })
  const lines = new Map<Company, Promise<unknown>>()
  const known = new Set<string>()
  const stopping = new AbortController()
  const { signal } = stopping

  const goOn = async (company: Company, key: string): Promise<void> => {
    let whole = await loadImport(work, company, key)
    while (whole && !signal.aborted) {
      const next: Import | undefined = await step(work, whole, progress, signal)
      progress.end(key)
      if (!next || next.version === whole.version) return
      whole = next
    }
  }

  const takeTurn = async (company: Company, key: string): Promise<void> => {
    try {
      await turns.run(company, () => work.signs.during(company, key, () => goOn(company, key)))
    } catch (error) {
      if (error instanceof Unavailable) void again(company, key)
      else await failed(work, company, key, error)
    } finally {
      progress.end(key)
      known.delete(key)
    }
  }

  const again = async (company: Company, key: string) => {
    await delay(AGAIN_MS, undefined, { signal, ref: false }).catch(() => {})
    wake(company, key)
  }

  const wake: ImportRunner['wake'] = (company, key) => {
    if (signal.aborted || known.has(key)) return
    known.add(key)
    // In the order in which they came, one after the other.
    const before = lines.get(company) ?? Promise.resolve()
    const line = before
      .then(() => takeTurn(company, key))
      .finally(() => {
        if (lines.get(company) === line) lines.delete(company)
      })
    lines.set(company, line)
  }

  return {
    progress,
    wake,
    isKnown: (key) => known.has(key),
    async stop() {
      stopping.abort()
      await Promise.all(lines.values())
    },
  }
}

/** The next thing that the import's state asks for; undefined: nothing, or nothing here. */
async function step(
  work: ImportWork,
  whole: Import,
  progress: Progress,
  signal: AbortSignal,
): Promise<Import | undefined> {
  switch (whole.state) {
    case 'Reading': {
      if (whole.isCancelling) return cancelled(work, whole)
      if (!whole.read && whole.kind !== 'undo') {
        progress.begin(whole.key, 'read', 0)
        return whole.kind === 'bank' ? readBankStep(work, whole) : readStep(work, whole)
      }
      const isStopped = async () => {
        const now = await loadImport(work, whole.company, whole.key)
        return signal.aborted || now?.version !== whole.version
      }
      const check = whole.kind === 'undo' ? checkUndoStep : checkStep
      return (await check(work, whole, progress, isStopped)) ?? loadImport(work, whole.company, whole.key)
    }
    case 'Checked':
      return committedUnasked(work, whole)
    case 'Running':
      return whole.kind === 'undo'
        ? undoStep(work, whole, progress, signal)
        : commitStep(work, whole, progress, signal)
    case 'Undoing':
      return undoLeft(work, whole)
    default:
      return undefined
  }
}

/** A process has died between the end of an undo and what that means for its import. */
async function undoLeft(work: ImportWork, whole: Import): Promise<undefined> {
  const undo = await loadImport(work, whole.company, whole.fields['UndoneBy'] as string)
  if (undo) await settleOriginal(work, undo)
}

/** `commit=true`: as soon as it is checked, unless a row would fail and none may. */
async function committedUnasked(work: ImportWork, whole: Import): Promise<Import | undefined> {
  return commitsItself(whole) ? begun(work, whole) : undefined
}

/** The import, committed. */
export function begun(work: ImportWork, whole: Import, caller = callerOf(work, whole)): Promise<Import> {
  const CommittedAt = timestampOf(work.clock.now())
  return changeImport(work, whole, { State: 'Running', Runs: 1, CommittedAt }, caller)
}

async function cancelled(work: ImportWork, whole: Import): Promise<undefined> {
  await changeImport(work, whole, { State: 'Cancelled', IsCancelling: null, Reason: 'it was cancelled' })
  await releaseContent(work, whole)
}

/** What cannot go on says why; what another process has changed meanwhile goes on there. */
async function failed(work: ImportWork, company: Company, key: string, error: unknown): Promise<void> {
  if (error instanceof PreconditionFailed) return
  const isExpected = error instanceof FileRefused || error instanceof Forbidden || error instanceof Conflict
  if (!isExpected) work.onTrouble(`${key} failed`, error)
  const Reason = isExpected ? error.message : 'something is wrong in the service; its log says what'
  try {
    const whole = await loadImport(work, company, key)
    if (!whole) return
    const changed = await changeImport(work, whole, { State: 'Failed', Reason, IsCancelling: null })
    if (whole.kind === 'undo') await settleOriginal(work, changed)
    if (whole.runs === 0) await releaseContent(work, whole)
  } catch (again) {
    work.onTrouble(`${key} cannot be marked as failed`, again)
  }
}
