/** Files that should have come by now: a schedule that has taken nothing since its day began is overdue, until it takes something. */
import { dateIn, momentIn } from '../../domain/time/zones.ts'
import { timestampOf } from '../../domain/fields/dates.ts'
import type { ImportWork } from '../work.ts'
import { moveOn } from './change-schedule.ts'
import { SCHEDULE } from './objects.ts'
import { timersIn, type ScheduleRule } from './schedule-rule.ts'
import { nextExpectation, scheduleOf } from './schedule.ts'

type ExpectationWork = Pick<ImportWork, 'write' | 'load' | 'newCommand' | 'clock'>

export function expectations(work: ExpectationWork): ScheduleRule {
  return {
    name: 'importschedule.expect',
    shape: 'ExpectAt',
    object: SCHEDULE,
    fields: ['ExpectAt', 'IsActive'],
    backfill: true,
    plan: ({ state: { fields } }) => timersIn(fields, 'ExpectAt'),
    async fire({ company, record: key, due }) {
      await moveOn(work, { company, key, field: 'ExpectAt', due }, (fields) => {
        const schedule = scheduleOf(fields)
        const next = nextExpectation(schedule, work.clock.now())
        const since = momentIn(schedule.TimeZone, dateIn(schedule.TimeZone, due), '00:00')
        const taken = fields['LastTakenAt']
        const hasCome = typeof taken === 'string' && Date.parse(taken) >= since
        return {
          ExpectAt: next === undefined ? null : timestampOf(next),
          OverdueSince: hasCome ? null : (fields['OverdueSince'] ?? timestampOf(due)),
        }
      })
    },
  }
}
