/** Whether reads show what a receiver may ask for: records have come that far, whatever becomes of search. */
import type { Position } from '../domain/events/event.ts'
import type { ReadModels } from '../ports/read-models.ts'

const RECORDS = 'records'
/** For all read models to come that far. When one of them does not, it is asked which. */
const ALL_MS = 200

/** Waits up to `timeoutMs`. @throws Unavailable when the read models cannot be asked */
export async function recordsShow(
  readModels: Pick<ReadModels, 'reached' | 'status'>,
  position: Position,
  timeoutMs: number,
): Promise<boolean> {
  if (await readModels.reached(position, Math.min(ALL_MS, timeoutMs))) return true
  const statuses = await readModels.status()
  if (statuses.some((one) => one.name === RECORDS && one.position >= position)) return true
  return timeoutMs > ALL_MS && readModels.reached(position, timeoutMs - ALL_MS)
}
