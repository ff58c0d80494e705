/** How the service changes a schedule itself. */
import type { Caller } from '../../commands/command.ts'
import { NotFound, PreconditionFailed } from '../../domain/errors.ts'
import type { Company } from '../../domain/events/event.ts'
import type { Fields } from '../../domain/json.ts'
import type { ImportWork } from '../work.ts'
import { scheduleDefinition } from './objects.ts'

export type ScheduleWork = Pick<ImportWork, 'write' | 'load' | 'newCommand'>

export async function changeSchedule(
  { write, newCommand }: ScheduleWork,
  company: Company,
  key: string,
  body: Fields,
  expected?: readonly number[],
): Promise<void> {
  const command = newCommand()
  const caller: Caller = { company, actor: key, correlation: command, command, source: 'system' }
  const by = { definition: scheduleDefinition, key, body, writing: 'replace' as const }
  await write.update(caller, { ...by, ...(expected && { expected }) })
}

const MOST_TRIES = 10

/** A moment of a schedule that has come. */
export interface DueMoment {
  readonly company: Company
  readonly key: string
  /** Holds the moment. */
  readonly field: string
  readonly due: number
}

/**
 * Moves a timer's field on, at the version in which it still is what was due. What else is changed meanwhile, such as the
 * end of a run, does not keep it from being moved.
 * @returns whether it was moved on here; else another process has done it, or somebody has changed the schedule
 */
export async function moveOn(
  work: ScheduleWork,
  { company, key, field, due }: DueMoment,
  bodyOf: (fields: Fields) => Fields,
): Promise<boolean> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const { status, fields, version } = await work.load(company, key)
    const at = fields[field]
    if (status !== 'live' || typeof at !== 'string' || Date.parse(at) !== due) return false
    try {
      await changeSchedule(work, company, key, bodyOf(fields), [version])
      return true
    } catch (error) {
      if (error instanceof NotFound) return false
      if (!(error instanceof PreconditionFailed)) throw error
    }
  }
  throw new Error(`${key} is changed again and again`)
}
