/** Takes over imports that a process has left, and removes files that are old: at the start, and from time to time. */
import type { ImportRunner } from './runner.ts'
import { companiesIn, leftImports } from './left-imports.ts'
import { removeOldFiles } from './old-files.ts'
import type { ImportWork } from './work.ts'

export interface ImportUpkeepOptions {
  readonly work: ImportWork
  readonly runner: ImportRunner
  /** No other process can work on imports. */
  readonly isAlone: boolean
  /** How many days files are kept. */
  readonly keepDays: number
}

export interface ImportUpkeep {
  start(): void
  /** No look begins any more. */
  stop(): void
}

const LOOK_AGAIN_MS = 30_000
const DAY_MS = 86_400_000
const CLEAN_MS = DAY_MS / 4

export function importUpkeep({ work, runner, isAlone, keepDays }: ImportUpkeepOptions): ImportUpkeep {
  const { clock, onTrouble } = work
  const left = leftImports({ work, runner, isAlone })
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let cleaned = -Infinity

  const removeOld = async () => {
    if (clock.elapsed() - cleaned < CLEAN_MS) return
    cleaned = clock.elapsed()
    const before = clock.now() - keepDays * DAY_MS
    for await (const company of companiesIn(work)) await removeOldFiles(work, company, before)
  }
  const look = async () => {
    await left
      .look()
      .catch((error: unknown) => onTrouble('imports that were left cannot be looked for', error))
    await removeOld().catch((error: unknown) => onTrouble('old files of imports cannot be removed', error))
    if (!isStopped) timer = setTimeout(() => void look(), LOOK_AGAIN_MS).unref()
  }
  return {
    start: () => void look(),
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
