/**
 * Whether a sensor gives an alarm, reading by reading. A value has to stay beyond a limit for a while, and to come back well inside
 * before the alarm is over: values that waver about a limit make one alarm. Pure.
 */
import { timestampOf } from '../../domain/fields/dates.ts'
import type { Fields } from '../../domain/json.ts'

export const ALARM_STATES = ['Normal', 'Pending', 'Raised'] as const

export interface Alarm {
  readonly state: (typeof ALARM_STATES)[number]
  /** When the first reading beyond a limit was taken, in ms since 1970; undefined while it is normal. */
  readonly since: number | undefined
}

export interface Limits {
  readonly lower: number | undefined
  readonly upper: number | undefined
  /** How far inside a limit a value has to be again. */
  readonly hysteresis: number
  /** How long it has to be beyond. */
  readonly afterMs: number
}

export interface Measured {
  /** In ms since 1970. */
  readonly at: number
  readonly value: number
}

const NORMAL: Alarm = { state: 'Normal', since: undefined }

export function nextAlarm(alarm: Alarm, limits: Limits, { at, value }: Measured): Alarm {
  const { lower = -Infinity, upper = Infinity, hysteresis, afterMs } = limits
  const isBeyond = value > upper || value < lower
  if (alarm.state === 'Raised') {
    const isBack = value <= upper - hysteresis && value >= lower + hysteresis
    return isBack ? NORMAL : alarm
  }
  if (!isBeyond) return NORMAL
  const since = alarm.since ?? at
  return { state: at - since >= afterMs ? 'Raised' : 'Pending', since }
}

export const limitsOf = (sensor: Fields): Limits => ({
  lower: numberIn(sensor['LowerLimit']),
  upper: numberIn(sensor['UpperLimit']),
  hysteresis: numberIn(sensor['Hysteresis']) ?? 0,
  afterMs: (numberIn(sensor['AlarmAfter']) ?? 0) * 1_000,
})

export function alarmOf(sensor: Fields): Alarm {
  const state = ALARM_STATES.find((one) => one === sensor['AlarmState'])
  const at = sensor['AlarmSince']
  const since = typeof at === 'string' ? Date.parse(at) : NaN
  return state === undefined || state === 'Normal' || Number.isNaN(since) ? NORMAL : { state, since }
}

/** The fields of the sensor that keep it. */
export const alarmFields = ({ state, since }: Alarm): Fields => ({
  AlarmState: state,
  AlarmSince: since === undefined ? null : timestampOf(since),
})

const numberIn = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
