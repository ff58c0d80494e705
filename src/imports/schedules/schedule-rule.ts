/** Rules of timers that follow from a field of a schedule. */
import type { Fields } from '../../domain/json.ts'
import type { Timer } from '../../ports/timers.ts'

/** A rule of timers, as `timers/rule.ts` has it. */
export interface ScheduleRule {
  readonly name: string
  readonly shape: string
  readonly object: string
  readonly fields: readonly string[]
  readonly backfill: true
  plan(record: { readonly state: { readonly fields: Fields } }): { occurrence: string; due: number }[]
  fire(timer: Timer): Promise<void>
}

/** Timers of an active schedule by a field that holds a moment. */
export function timersIn(fields: Fields, name: string): { occurrence: string; due: number }[] {
  const at = fields[name]
  if (fields['IsActive'] !== true || typeof at !== 'string') return []
  return [{ occurrence: `${name}|${at}`, due: Date.parse(at) }]
}
