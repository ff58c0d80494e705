/**
 * Schedules in their time. The moment of the next run is a field of the schedule, so that a timer follows from it: who moves
 * it on first has that run, and a run that was missed is done once. Only one run of a schedule goes on in a process at a time.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Caller } from '../../commands/command.ts'
import { NotFound, PreconditionFailed } from '../../domain/errors.ts'
import type { Company } from '../../domain/events/event.ts'
import type { Fields } from '../../domain/json.ts'
import { timestampOf, type ImportWork } from '../work.ts'
import type { Timer } from '../../ports/timers.ts'
import { nextRun } from './cron.ts'
import { SCHEDULE, scheduleDefinition } from './objects.ts'
import { pickUp, type PickUpOptions, type SeenFiles } from './pick-up.ts'
import { scheduleOf } from './schedule.ts'

export interface DueSchedulesOptions extends Omit<PickUpOptions, 'wait'> {
  readonly work: ImportWork
}

/** A rule of timers, as `timers/rule.ts` has it. */
export interface ScheduleRule {
  readonly name: string
  readonly shape: string
  readonly object: string
  readonly fields: readonly string[]
  readonly backfill: true
  plan(record: { readonly state: { readonly fields: Fields } }): { occurrence: string; due: number }[]
  fire(
    timer: Timer,
    record: { readonly state: { readonly fields: Fields; readonly version: number } },
  ): Promise<void>
}

export interface DueSchedules {
  readonly rule: ScheduleRule
  stop(): Promise<void>
}

/** A run that begins later than this was missed. */
const MISSED_MS = 15 * 60_000

export function dueSchedules(options: DueSchedulesOptions): DueSchedules {
  const { work } = options
  const stopping = new AbortController()
  const running = new Map<string, Promise<void>>()
  const seen: SeenFiles = new Map()
  const wait = async (ms: number) => {
    await delay(ms, undefined, { signal: stopping.signal })
  }

  const change = async (company: Company, key: string, body: Fields, expected?: readonly number[]) => {
    const command = work.newCommand()
    const caller: Caller = { company, actor: key, correlation: command, command, source: 'system' }
    const by = { definition: scheduleDefinition, key, body, writing: 'replace' as const }
    await work.write.update(caller, { ...by, ...(expected && { expected }) })
  }

  const run = async (company: Company, key: string): Promise<void> => {
    const began = work.clock.now()
    try {
      const { status, fields } = await work.load(company, key)
      if (status !== 'live') return
      const came = await pickUp({ ...options, wait }, company, key, scheduleOf(fields), seen)
      if (stopping.signal.aborted) return
      const At = timestampOf(began)
      const LastRun = { At, EndedAt: timestampOf(work.clock.now()), Skipped: null, ...came }
      await change(company, key, { LastRun: LastRun })
    } catch (error) {
      if (stopping.signal.aborted || error instanceof NotFound) return
      work.onTrouble(`${key} could not be run`, error)
    }
  }

  return {
    rule: {
      name: 'importschedule.run',
      shape: 'NextRunAt',
      object: SCHEDULE,
      fields: ['NextRunAt', 'IsActive'],
      backfill: true,
      plan({ state: { fields } }) {
        const next = fields['NextRunAt']
        if (fields['IsActive'] !== true || typeof next !== 'string') return []
        return [{ occurrence: `NextRunAt|${next}`, due: Date.parse(next) }]
      },
      async fire({ company, record: key, due }, { state: { fields, version } }) {
        const { Cron, TimeZone, OnMissedRuns } = scheduleOf(fields)
        const now = work.clock.now()
        const next = nextRun(Cron, TimeZone, now)
        const isMissed = OnMissedRuns === 'none' && now - due > MISSED_MS
        const isRunning = running.has(key)
        const Skipped = isMissed ? 'it was missed' : isRunning ? 'the run before goes on' : null
        const LastRun = { At: timestampOf(now), Skipped }
        const body = {
          NextRunAt: next === undefined ? null : timestampOf(next),
          ...(Skipped !== null && { LastRun }),
        }
        try {
          await change(company, key, body, [version])
        } catch (error) {
          // Another process has it, or somebody has changed the schedule: a timer follows from that.
          if (error instanceof PreconditionFailed || error instanceof NotFound) return
          throw error
        }
        if (Skipped !== null) return
        const going = run(company, key).finally(() => running.delete(key))
        running.set(key, going)
      },
    },
    async stop() {
      stopping.abort()
      await Promise.all(running.values())
    },
  }
}
