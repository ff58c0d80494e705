/** When a sensor gives an alarm. */
import { expect } from 'chai'
import fc from 'fast-check'
import {
  alarmFields,
  alarmOf,
  nextAlarm,
  type Alarm,
  type Limits,
} from '../../../src/integrations/sensors/next-alarm.ts'

const NORMAL: Alarm = { state: 'Normal', since: undefined }
const limits: Limits = { lower: 5, upper: 30, hysteresis: 2, afterMs: 0 }

/** What becomes of readings, a minute each. */
function statesOf(values: readonly number[], given: Limits = limits): string[] {
  let alarm = NORMAL
  return values.map((value, minute) => {
    alarm = nextAlarm(alarm, given, { at: minute * 60_000, value })
    return alarm.state
  })
}

describe('an alarm of a sensor', () => {
  it('is raised beyond a limit, and over when the value is well inside again', () => {
    expect(statesOf([30, 31, 29, 28.5, 28])).to.deep.equal(['Normal', 'Raised', 'Raised', 'Raised', 'Normal'])
    expect(statesOf([5, 4.9, 6, 7])).to.deep.equal(['Normal', 'Raised', 'Raised', 'Normal'])
  })

  it('is raised once the value has stayed beyond for as long as was asked', () => {
    const slow = { ...limits, afterMs: 120_000 }
    expect(statesOf([31, 31, 31, 31], slow)).to.deep.equal(['Pending', 'Pending', 'Raised', 'Raised'])
    expect(statesOf([31, 29, 31, 31], slow)).to.deep.equal(['Pending', 'Normal', 'Pending', 'Pending'])
  })

  it('is none where there are no limits', () => {
    const none = { lower: undefined, upper: undefined, hysteresis: 0, afterMs: 0 }
    expect(statesOf([-1e9, 1e9], none)).to.deep.equal(['Normal', 'Normal'])
  })

  it('is one however the value wavers about the limit', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 28.01, max: 35, noNaN: true }), { maxLength: 50 }), (values) => {
        const states = statesOf([31, ...values])
        expect(new Set(states)).to.deep.equal(new Set(['Raised']))
      }),
    )
  })

  it('is kept in the fields of the sensor to the second', () => {
    const alarm: Alarm = { state: 'Pending', since: 1_800_000_000_000 }
    expect(alarmFields(alarm)).to.deep.equal({ AlarmState: 'Pending', AlarmSince: '2027-01-15T08:00:00Z' })
    expect(alarmOf(alarmFields(alarm))).to.deep.equal(alarm)
    expect(alarmOf(alarmFields(NORMAL))).to.deep.equal(NORMAL)
    expect(alarmOf({})).to.deep.equal(NORMAL)
  })
})
