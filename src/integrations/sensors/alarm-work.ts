/**
 * What an alarm leads to: one work order. Its command follows from the sensor and the moment of the first reading beyond a limit, so that
 * an alarm that is raised again by a process that died meanwhile makes no second one.
 */
import type { Caller } from '../../commands/command.ts'
import { derivedId } from '../../commands/support/identifiers.ts'
import type { RecordStates } from '../../commands/support/record-states.ts'
import type { WriteRecords } from '../../commands/write-records.ts'
import type { Definitions, ObjectDefinition } from '../../domain/definition.ts'
import { Refused, Unavailable } from '../../domain/errors.ts'
import { SYSTEM, type Company } from '../../domain/events/event.ts'
import { timestampOf } from '../../domain/fields/dates.ts'
import type { Fields } from '../../domain/json.ts'
import type { Clock } from '../../ports/clock.ts'
import { alarmFields } from './next-alarm.ts'

export const [SENSOR, READING, WORK_ORDER] = ['sensor', 'sensorreading', 'workorder'] as const

const NEEDED = {
  [SENSOR]: ['LowerLimit', 'UpperLimit', 'AlarmState', 'AlarmSince', 'AlarmWorkOrder', 'LastSeenAt'],
  [READING]: ['Sensor', 'MeasuredAt', 'Value'],
  [WORK_ORDER]: ['Title', 'Status'],
}
/** Work orders in other states are still open. */
const OVER = ['Completed', 'Cancelled']

export interface AlarmWork {
  readonly definitions: Definitions
  readonly states: Pick<RecordStates, 'load'>
  readonly write: Pick<WriteRecords, 'create' | 'update'>
  readonly clock: Pick<Clock, 'now'>
  readonly onTrouble: (message: string, error: unknown) => void
}

/** Whether the definitions have what alarms are made of. */
export function knowsAlarms(definitions: Definitions): boolean {
  return Object.entries(NEEDED).every(([object, names]) => {
    const fields = definitions.get(object)?.fields ?? []
    return names.every((name) => fields.some((field) => field.name === name))
  })
}

export interface Raising {
  readonly company: Company
  /** Key of the sensor. */
  readonly sensor: string
  readonly fields: Fields
  /** When the first reading beyond a limit was taken, in ms since 1970. */
  readonly since: number
  /** What was measured, where that is known. */
  readonly value: number | undefined
}

/** The fields of a sensor that has raised an alarm; its work order is there. @throws Unavailable */
export async function raised(work: AlarmWork, raising: Raising): Promise<Fields> {
  const order = (await openOrder(work, raising)) ?? (await newOrder(work, raising))
  return {
    ...alarmFields({ state: 'Raised', since: raising.since }),
    ...(order !== undefined && { AlarmWorkOrder: order }),
  }
}

/** That of the alarm before, where its work is not done yet. */
async function openOrder({ states }: AlarmWork, { company, fields }: Raising): Promise<string | undefined> {
  const key = fields['AlarmWorkOrder']
  if (typeof key !== 'string') return undefined
  const order = await states.load(company, key)
  return order.status === 'live' && !OVER.includes(order.fields['Status'] as string) ? key : undefined
}

async function newOrder(work: AlarmWork, raising: Raising): Promise<string | undefined> {
  const definition = work.definitions.get(WORK_ORDER)!
  const { company, sensor, fields, since } = raising
  const caller = systemCaller(company, `alarm/${company}/${sensor}/${since}`, since)
  const given: Fields = {
    Title: titleOf(raising).slice(0, 200),
    Description: `Sensor ${fields['Name'] as string} (${sensor}), beyond its limit since ${timestampOf(since)}.`,
    Building: fields['Building'] ?? null,
    Unit: fields['Unit'] ?? null,
    Priority: 'High',
    WorkType: 'Corrective',
  }
  try {
    return (await work.write.create(caller, { definition, body: ofDefinition(given, definition) })).key
  } catch (error) {
    // Definitions of the operator may want more of a work order: the alarm is shown all the same.
    if (!(error instanceof Refused) || error instanceof Unavailable) throw error
    work.onTrouble(`the alarm of ${sensor} cannot have a work order`, error)
    return undefined
  }
}

const ofDefinition = (given: Fields, { fields }: ObjectDefinition): Fields =>
  Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) => value !== null && fields.some((field) => field.name === name),
    ),
  )

function titleOf({ fields, value }: Raising): string {
  const { Name, LowerLimit, UpperLimit, MeasurementUnit } = fields
  const unit = typeof MeasurementUnit === 'string' ? ` ${MeasurementUnit}` : ''
  if (value === undefined) return `${Name as string} is beyond its limit`
  const isAbove = typeof UpperLimit === 'number' && value > UpperLimit
  const [word, limit] = isAbove ? ['above', UpperLimit] : ['below', LowerLimit as number]
  return `${Name as string}: ${value}${unit} is ${word} ${limit}${unit}`
}

/** @param of what makes the command that of this change alone */
export function systemCaller(company: Company, of: string, repeatedFrom: number): Caller {
  const id = derivedId(of)
  return { company, actor: SYSTEM, correlation: id, command: id, source: 'timer:sensor.alarm', repeatedFrom }
}
