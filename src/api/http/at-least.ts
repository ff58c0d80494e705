/** `Daybook-At-Least`: a `Daybook-Position` sent back, to read what was written elsewhere. */
import type { Request } from 'express'
import { invalid } from '../../domain/errors.ts'
import type { Position } from '../../domain/events/event.ts'
import { readsLag } from './problems.ts'

/**
 * Waits for what the client has seen elsewhere. `reached` waits for a position, as long as it may; false: in vain.
 * @throws Refusal (503) when reads do not get there in time
 */
export async function caughtUp(
  request: Request,
  reached: (position: Position) => Promise<boolean>,
): Promise<void> {
  const header = request.headers['daybook-at-least']
  if (header === undefined) return
  if (typeof header !== 'string' || !/^\d{1,16}$/.test(header))
    throw invalid('Daybook-At-Least', 'must be a Daybook-Position')
  if (await reached(Number(header))) return
  throw readsLag(Number(header))
}
