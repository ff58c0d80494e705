/**
 * Timers in a file of their own, `timers.db`. A commit does not wait for the disk: what a power cut takes goes together with the
 * positions, so it is planned again.
 */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Position } from '../../../domain/events/event.ts'
import type { Occurrence } from '../../../domain/time/date-rule.ts'
import type { LastEvent } from '../../../ports/projection-store.ts'
import type { Timer, TimerChange, Timers } from '../../../ports/timers.ts'
import { asUnavailable, transaction } from '../files/open.ts'
import { horizonIn, namesIn, openTimersFile, type Horizon, type IsNear, type Names } from './timers-file.ts'

/** A timer as it is kept. */
interface Planned extends Occurrence {
  readonly look: number
}

/** Whether the record has exactly these timers, and none is postponed. */
const isSame = (planned: readonly Planned[], timers: readonly Occurrence[]) =>
  planned.length === timers.length &&
  timers.every(({ occurrence, due }) =>
    planned.some((one) => one.occurrence === occurrence && one.due === due && one.look === due),
  )

/** One file is written by one process, which plans events in their order: one position a rule is enough to know repeats. */
export function sqliteTimers(path: string): Timers {
  const db = openTimersFile(path)
  const statements = statementsOf(db)
  const { numberOf, forget } = namesIn(db)
  const horizon = horizonIn(db)
  const makeAll = changing(statements, numberOf, horizon)
  const asking = <T>(ask: () => T): T => {
    try {
      return ask()
    } catch (error) {
      forget()
      throw asUnavailable(error)
    }
  }

  return {
    position: async (rule) => asking(() => positionOf(statements, rule)),
    async last() {
      const text = asking(() => statements.last.get()?.['last'] as string | undefined)
      return text === undefined ? undefined : (JSON.parse(text) as LastEvent)
    },
    store: async (changes, reached = new Map(), last = undefined) =>
      asking(() => {
        transaction(db, () => {
          makeAll(changes)
          for (const [rule, at] of reached) statements.reach.run(rule, at)
          if (last) statements.keep.run(last.position, JSON.stringify(last))
        })
        // Nothing would say again that a rule is gone: a checkpoint brings the log to the disk.
        if (changes.some(({ op }) => op === 'drop')) db.exec('PRAGMA wal_checkpoint(PASSIVE)')
      }),
    due: async (until, limit) =>
      asking(() => {
        horizon.moveBeyond(until)
        return statements.due.all(until, limit) as unknown as Timer[]
      }),
    records: async (company, { rule, after = '', limit }) =>
      asking(() =>
        statements.records
          .all(numberOf(rule), numberOf(company), after, limit)
          .map((row) => row['record'] as string),
      ),
    async close() {
      if (db.isOpen) db.close()
    },
  }
}

/** Makes changes within a transaction. */
function changing(statements: Statements, numberOf: Names['numberOf'], { reader }: Horizon) {
  const nameOf = ({ rule, company, record, occurrence, due }: Timer): SQLInputValue[] => [
    numberOf(rule),
    numberOf(company),
    record,
    occurrence,
    due,
  ]
  const plan = ({ record, timers, ...names }: TimerChange & { readonly op: 'plan' }, isNear: IsNear) => {
    const [rule, company] = [numberOf(names.rule), numberOf(names.company)]
    const planned = statements.planned.all(rule, company, record) as unknown as Planned[]
    // Most changes of a record move nothing, and reading costs less than writing the same again.
    if (isSame(planned, timers)) return
    if (planned.length > 0) statements.clear.run(rule, company, record)
    for (const { occurrence, due } of timers)
      statements.plan.run(rule, company, record, occurrence, due, due, isNear(due))
  }
  const make = (change: TimerChange, positions: Map<string, Position>, isNear: IsNear) => {
    switch (change.op) {
      case 'plan': {
        const { rule } = change
        let reached = positions.get(rule)
        if (reached === undefined) positions.set(rule, (reached = positionOf(statements, rule)))
        return change.position > reached ? plan(change, isNear) : undefined
      }
      case 'done':
        return void statements.done.run(...nameOf(change.timer))
      case 'postpone':
        return void statements.postpone.run(change.until, isNear(change.until), ...nameOf(change.timer))
      case 'drop':
        positions.delete(change.rule)
        statements.drop.run(numberOf(change.rule))
        statements.forget.run()
        return void statements.dropPosition.run(change.rule)
    }
  }
  return (changes: readonly TimerChange[]) => {
    const positions = new Map<string, Position>()
    const isNear = reader()
    for (const change of changes) make(change, positions, isNear)
  }
}

type Statements = ReturnType<typeof statementsOf>

const positionOf = ({ position }: Statements, rule: string): Position =>
  (position.get(rule)?.['position'] as number | undefined) ?? 0

function statementsOf(db: DatabaseSync) {
  return {
    position: db.prepare('SELECT position FROM reached WHERE rule = ?'),
    reach: db.prepare(
      'INSERT INTO reached VALUES (?, ?) ON CONFLICT DO UPDATE SET position = max(position, excluded.position)',
    ),
    planned: db.prepare(
      'SELECT occurrence, due, look FROM kept WHERE rule = ? AND company = ? AND record = ?',
    ),
    clear: db.prepare('DELETE FROM kept WHERE rule = ? AND company = ? AND record = ?'),
    plan: db.prepare('INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?, ?, ?, ?)'),
    done: db.prepare(
      'DELETE FROM kept WHERE rule = ? AND company = ? AND record = ? AND occurrence = ? AND due = ?',
    ),
    postpone: db.prepare(
      'UPDATE kept SET look = ?, near = ? WHERE rule = ? AND company = ? AND record = ? AND occurrence = ? AND due = ?',
    ),
    drop: db.prepare('DELETE FROM kept WHERE rule = ?'),
    last: db.prepare('SELECT last FROM followed'),
    keep: db.prepare(
      `INSERT INTO followed VALUES (1, ?, ?) ON CONFLICT DO UPDATE
       SET position = excluded.position, last = excluded.last WHERE position <= excluded.position`,
    ),
    forget: db.prepare('DELETE FROM followed'),
    dropPosition: db.prepare('DELETE FROM reached WHERE rule = ?'),
    due: db.prepare(
      `SELECT rules.name AS rule, companies.name AS company, record, occurrence, due
       FROM kept JOIN names AS rules ON rules.id = rule JOIN names AS companies ON companies.id = company
       WHERE near = 1 AND look <= ? ORDER BY look, kept.rule, kept.company, record, occurrence LIMIT ? + 0`,
    ),
    records: db.prepare(
      'SELECT DISTINCT record FROM kept WHERE rule = ? AND company = ? AND record > ? ORDER BY record LIMIT ? + 0',
    ),
  }
}
