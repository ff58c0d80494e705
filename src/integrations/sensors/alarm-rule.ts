/** Raises an alarm whose time is over though no further reading has come. */
import { PreconditionFailed, Unavailable } from '../../domain/errors.ts'
import type { TimerRule } from '../../timers/rule.ts'
import { raised, SENSOR, systemCaller, type AlarmWork } from './alarm-work.ts'
import { alarmOf, limitsOf } from './next-alarm.ts'

export function alarmRule(work: AlarmWork): TimerRule {
  return {
    name: 'sensor.alarm',
    shape: 'pending since',
    object: SENSOR,
    fields: ['AlarmState', 'AlarmSince', 'AlarmAfter'],
    plan({ state: { fields } }) {
      const { state, since } = alarmOf(fields)
      if (state !== 'Pending' || since === undefined) return []
      return [{ occurrence: `alarm|${since}`, due: since + limitsOf(fields).afterMs }]
    },
    async fire({ company, record: sensor }, { state: { fields, version } }) {
      const since = alarmOf(fields).since!
      const body = await raised(work, { company, sensor, fields, since, value: undefined })
      const caller = systemCaller(company, `sensor/${company}/${sensor}/${version}`, since)
      const definition = work.definitions.get(SENSOR)!
      try {
        await work.write.update(caller, {
          definition,
          key: sensor,
          expected: [version],
          body,
          writing: 'replace',
        })
      } catch (error) {
        if (!(error instanceof PreconditionFailed)) throw error
        throw new Unavailable(`${sensor} is being changed`)
      }
    },
  }
}
