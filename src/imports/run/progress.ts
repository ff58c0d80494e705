/** How far the imports of this process are: for those who look, not for the work. */
import { EventEmitter } from 'node:events'
import { NO_COUNTS, type Counts } from '../import.ts'
import { addCounts, totalOf } from './outcomes.ts'

export interface Standing {
  readonly phase: 'read' | 'check' | 'commit' | 'undo'
  readonly counts: Counts
  readonly done: number
  readonly rows: number
  readonly rowsPerSecond: number
  readonly secondsLeft: number | null
  /** What it waits for. */
  readonly waiting: string | null
}

interface Progressing {
  phase: Standing['phase']
  counts: Counts
  rows: number
  /** Rows that were done before this process began. */
  before: number
  began: number
  waiting: string | null
}

export interface Progress {
  begin(key: string, phase: Standing['phase'], rows: number): void
  /** `before`: they were done by an earlier run. */
  add(key: string, counts: Counts, before?: boolean): void
  wait(key: string, what: string | null): void
  end(key: string): void
  of(key: string): Standing | undefined
  /** Resolves when something has changed, or after so long. */
  changed(key: string, ms: number): Promise<void>
}

export function importProgress(elapsed: () => number): Progress {
  const all = new Map<string, Progressing>()
  const changes = new EventEmitter().setMaxListeners(0)
  const change = (key: string, how: (one: Progressing) => void) => {
    const one = all.get(key)
    if (one) how(one)
    changes.emit(key)
  }
  return {
    begin(key, phase, rows) {
      all.set(key, { phase, counts: NO_COUNTS, rows, before: 0, began: elapsed(), waiting: null })
      changes.emit(key)
    },
    add: (key, counts, before = false) =>
      change(key, (one) => {
        one.counts = addCounts(one.counts, counts)
        if (before) one.before += totalOf(counts)
      }),
    wait: (key, what) => change(key, (one) => (one.waiting = what)),
    end(key) {
      all.delete(key)
      changes.emit(key)
    },
    of(key) {
      const one = all.get(key)
      if (!one) return undefined
      const done = totalOf(one.counts)
      const seconds = Math.max(0.001, (elapsed() - one.began) / 1_000)
      const rowsPerSecond = Math.round((done - one.before) / seconds)
      const secondsLeft = rowsPerSecond > 0 ? Math.ceil((one.rows - done) / rowsPerSecond) : null
      const { phase, counts, rows, waiting } = one
      return { phase, counts, done, rows, rowsPerSecond, secondsLeft, waiting }
    },
    changed: (key, ms) =>
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer)
          changes.off(key, done)
          resolve()
        }
        const timer = setTimeout(done, ms)
        changes.on(key, done)
      }),
  }
}
