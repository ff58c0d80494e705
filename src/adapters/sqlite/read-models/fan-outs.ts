/**
 * Display fields that changed, and the records that still show the old ones.
 *
 * Each task is a row with a place in the walk over those who show the record; a step brings a few of them up to date
 * and moves the place, in one transaction. A record renamed again starts its walk again. The outcome depends only on
 * the present state, so that crashes and repeats do no harm. Where few records show the old one they are brought up to date
 * at once, so that who renames something reads it. Between two steps the thread and the disk are left to others
 * for as long as the step took: without a rest, what steps write fills the disk's queue, and every commit stands in it.
 */
import type { DatabaseSync } from 'node:sqlite'
import { lookupsTo, type Definitions } from '../../../domain/definition.ts'
import { isDiskTrouble, prepareWrite, transaction } from '../files/open.ts'
import type { RecordRow } from './record-table.ts'

type ShowingRow = RecordRow & { readonly key: string }

export interface FanOuts {
  /** Within the caller's transaction: remember that the display field of this record changed. */
  add(company: number, object: string, key: string): void
  /** After that transaction: tasks of few records are done when this returns, others are worked off in the background. */
  workOff(): void
  settled(): Promise<void>
  stop(): void
}

export interface FanOutsOptions {
  readonly db: DatabaseSync
  readonly definitions: Definitions
  readonly showing: (
    object: string,
    lookup: string,
    company: number,
    key: string,
    n: number,
    limit: number,
  ) => readonly ShowingRow[]
  /** Brings one record up to date. */
  readonly refresh: (object: string, company: number, row: ShowingRow) => void
  readonly onStep: () => void
}

/** Records of one step: a few milliseconds, the longest that another write waits for it. */
const STEP = 100
/** Numbers of rows of packs are below zero where their definition is no longer append-only. */
const BEFORE_ALL = Number.MIN_SAFE_INTEGER
/** Records of all tasks of a transaction that are brought up to date at once. */
const AT_ONCE = 50

export function fanOuts({ db, definitions, showing, refresh, onStep }: FanOutsOptions): FanOuts {
  db.exec(`CREATE TABLE IF NOT EXISTS fan_outs (
    key TEXT PRIMARY KEY, company INTEGER NOT NULL, object TEXT NOT NULL, lookup INTEGER NOT NULL, n INTEGER NOT NULL)`)
  const add = prepareWrite(db, `INSERT OR REPLACE INTO fan_outs VALUES (?, ?, ?, 0, ${BEFORE_ALL})`)
  const first = db.prepare('SELECT * FROM fan_outs ORDER BY rowid LIMIT 1')
  const move = prepareWrite(db, 'UPDATE fan_outs SET lookup = ?, n = ? WHERE key = ?')
  const done = prepareWrite(db, 'DELETE FROM fan_outs WHERE key = ?')
  const lookups = new Map([...definitions.keys()].map((object) => [object, lookupsTo(definitions, object)]))
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let waiting: (() => void)[] = []
  let pending = first.get() !== undefined
  /** What was added since tasks were last worked off. */
  const added = new Map<string, { readonly company: number; readonly object: string }>()

  /** One step; false when there was nothing to do. */
  const step = (): boolean =>
    transaction(db, () => {
      const task = first.get() as
        { key: string; company: number; object: string; lookup: number; n: number } | undefined
      if (!task) return false
      const by = lookups.get(task.object)?.[task.lookup]
      if (!by) {
        done.run(task.key)
        return true
      }
      const rows = showing(by.definition.object, by.field.name, task.company, task.key, task.n, STEP)
      for (const row of rows) refresh(by.definition.object, task.company, row)
      const last = rows.at(-1)
      if (last && rows.length === STEP) move.run(task.lookup, last.n, task.key)
      else move.run(task.lookup + 1, BEFORE_ALL, task.key)
      return true
    })

  /** Those who show a record; one more than `most` when there are more. */
  const allShowing = (company: number, object: string, key: string, most: number) => {
    const all: { readonly object: string; readonly row: ShowingRow }[] = []
    for (const { definition, field } of lookups.get(object) ?? []) {
      const rows = showing(definition.object, field.name, company, key, BEFORE_ALL, most + 1 - all.length)
      for (const row of rows) all.push({ object: definition.object, row })
      if (all.length > most) break
    }
    return all
  }

  const workAtOnce = () => {
    const fresh = [...added]
    added.clear()
    let left = AT_ONCE
    try {
      transaction(db, () => {
        for (const [key, { company, object }] of fresh) {
          const all = allShowing(company, object, key, left)
          if (all.length > left) return
          for (const one of all) refresh(one.object, company, one.row)
          done.run(key)
          left -= all.length
        }
      })
      pending = first.get() !== undefined
    } catch (error) {
      if (!isDiskTrouble(error)) throw error
    }
  }

  const run = () => {
    timer = undefined
    const begun = performance.now()
    try {
      pending = step()
    } catch (error) {
      // The disk is full or busy: the task is still there, and the next write tries again.
      if (isDiskTrouble(error)) return
      throw error
    }
    if (pending) {
      onStep()
      schedule(performance.now() - begun)
    } else {
      for (const resolve of waiting) resolve()
      waiting = []
    }
  }

  /** Rests before the next step, for so many ms. */
  const schedule = (rest = 0) => {
    if (!stopped) timer ??= setTimeout(run, rest)
  }

  return {
    add(company, object, key) {
      if ((lookups.get(object)?.length ?? 0) === 0) return
      add.run(key, company, object)
      if (added.size < AT_ONCE) added.set(key, { company, object })
      pending = true
    },
    workOff: () => {
      if (added.size > 0 && !stopped) workAtOnce()
      if (pending) schedule()
    },
    settled: () => {
      if (!pending) return Promise.resolve()
      schedule()
      return new Promise((resolve) => waiting.push(resolve))
    },
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
