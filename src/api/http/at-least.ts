/** `Daybook-At-Least` or `atLeast`: a `Daybook-Position` sent back, to read what was written elsewhere. */
import type { Request } from 'express'
import { invalid } from '../../domain/errors.ts'
import type { Position } from '../../domain/events/event.ts'
import { sentValue } from './header-parameters.ts'
import { readsLag } from './problems.ts'

/**
 * Waits for what the client has seen elsewhere. `reached` waits for a position, as long as it may; false: in vain.
 * @throws Refusal (503) when reads do not get there in time
 */
export async function caughtUp(
  request: Request,
  reached: (position: Position) => Promise<boolean>,
): Promise<void> {
  const sent = sentValue(request, 'atLeast')
  if (sent === undefined) return
  if (!/^\d{1,16}$/.test(sent.value)) throw invalid(sent.name, 'must be a Daybook-Position')
  if (await reached(Number(sent.value))) return
  throw readsLag(Number(sent.value))
}
