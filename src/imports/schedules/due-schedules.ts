/**
 * Schedules in their time. The moment of the next run is a field of the schedule, so that a timer follows from it: who moves
 * it on first has that run, and a run that was missed is done once. Only one run of a schedule goes on in a process at a time.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { NotFound } from '../../domain/errors.ts'
import type { Company } from '../../domain/events/event.ts'
import type { Fields } from '../../domain/json.ts'
import { timestampOf } from '../../domain/fields/dates.ts'
import type { ImportWork } from '../work.ts'
import { changeSchedule, moveOn } from './change-schedule.ts'
import { nextRun } from './cron.ts'
import { expectations } from './expectations.ts'
import { SCHEDULE } from './objects.ts'
import { pickUp, type PickUp, type PickUpOptions, type SeenFiles } from './pick-up.ts'
import { timersIn, type ScheduleRule } from './schedule-rule.ts'
import { scheduleOf } from './schedule.ts'

export interface DueSchedulesOptions extends Omit<PickUpOptions, 'wait'> {
  readonly work: ImportWork
}

export interface DueSchedules {
  readonly rules: readonly ScheduleRule[]
  stop(): Promise<void>
}

/** A run that begins later than this was missed. */
const MISSED_MS = 15 * 60_000

export function dueSchedules(options: DueSchedulesOptions): DueSchedules {
  const { work } = options
  const stopping = new AbortController()
  const running = new Map<string, Promise<void>>()
  const seen = new Map<string, SeenFiles>()
  const wait = async (ms: number) => {
    await delay(ms, undefined, { signal: stopping.signal })
  }
  const seenBy = (key: string): SeenFiles => {
    const own = seen.get(key) ?? { taken: new Map(), first: new Map() }
    seen.set(key, own)
    return own
  }

  const run = async (company: Company, key: string): Promise<void> => {
    const began = work.clock.now()
    try {
      const { status, fields } = await work.load(company, key)
      if (status !== 'live') return
      const came = await pickUp({ ...options, wait }, company, key, fields, seenBy(key))
      if (stopping.signal.aborted) return
      await changeSchedule(work, company, key, fieldsAfter(came, began, work.clock.now()))
    } catch (error) {
      if (stopping.signal.aborted || error instanceof NotFound) return
      work.onTrouble(`${key} could not be run`, error)
    }
  }

  const due: ScheduleRule = {
    name: 'importschedule.run',
    shape: 'NextRunAt',
    object: SCHEDULE,
    fields: ['NextRunAt', 'IsActive'],
    backfill: true,
    plan: ({ state: { fields } }) => timersIn(fields, 'NextRunAt'),
    async fire({ company, record: key, due: moment }) {
      const now = work.clock.now()
      let skipped: string | undefined
      const isMoved = await moveOn(work, { company, key, field: 'NextRunAt', due: moment }, (fields) => {
        const schedule = scheduleOf(fields)
        const next = nextRun(schedule, now, moment)
        const isLate = now - moment > MISSED_MS
        skipped = running.has(key) ? 'the run before goes on' : undefined
        if (isLate && schedule.OnMissedRuns === 'none') skipped = 'it was missed'
        return {
          NextRunAt: next === undefined ? null : timestampOf(next),
          ...(isLate && { Health: 'Missed' }),
          ...(skipped !== undefined && { LastRun: { At: timestampOf(now), Skipped: skipped } }),
        }
      })
      if (!isMoved || skipped !== undefined) return
      const going = run(company, key).finally(() => running.delete(key))
      running.set(key, going)
    },
  }
  return {
    rules: [due, expectations(work)],
    async stop() {
      stopping.abort()
      await Promise.all(running.values())
    },
  }
}

/** What a run has come to. */
function fieldsAfter({ IsReached, ...came }: PickUp, began: number, now: number): Fields {
  const isFine = IsReached && came.Refused === 0
  return {
    LastRun: { At: timestampOf(began), EndedAt: timestampOf(now), Skipped: null, ...came },
    Health: isFine ? 'Ok' : 'Failed',
    ...(came.Taken.length > 0 && { LastTakenAt: timestampOf(began), OverdueSince: null }),
  }
}
