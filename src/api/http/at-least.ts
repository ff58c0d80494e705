/** `Daybook-Position` of answers; and `Daybook-At-Least` or `atLeast`: one sent back, to read what was written elsewhere. */
import type { Request } from 'express'
import { invalid } from '../../domain/errors.ts'
import type { Company, Position } from '../../domain/events/event.ts'
import { sentValue } from './header-parameters.ts'
import type { PositionTokens } from './position-tokens.ts'
import { readsLag } from './problems.ts'

/** What tokens in these headers stand for. */
const OF_WRITES = 'write'
/** Positions in one header: a client cannot know which of the writes that it sent at the same time was the last. */
const MOST_POSITIONS = 100

/** The value of `Daybook-Position`. */
export const writtenAt = (
  tokens: Pick<PositionTokens, 'write'>,
  company: Company,
  position: Position,
): string => tokens.write(company, OF_WRITES, position)

/**
 * Waits for what the client has seen elsewhere. `reached` waits for a position, as long as it may; false: in vain.
 * @throws Invalid when what was sent is not a `Daybook-Position` of this company and log
 * @throws Refusal (503) when reads do not get there in time
 */
export async function caughtUp(
  request: Request,
  company: Company,
  tokens: Pick<PositionTokens, 'read'>,
  reached: (position: Position) => Promise<boolean>,
): Promise<void> {
  const sent = sentValue(request, 'atLeast')
  if (sent === undefined) return
  const position = Math.max(
    ...sent.value.split(',', MOST_POSITIONS).map((one) => positionIn(sent.name, company, tokens, one.trim())),
  )
  if (await reached(position)) return
  throw readsLag()
}

/**
 * The position of a `Daybook-Position` that was sent back.
 * @param name of the header or parameter, for messages
 * @throws Invalid when it is not one of this company and log
 */
export function positionIn(
  name: string,
  company: Company,
  tokens: Pick<PositionTokens, 'read'>,
  token: string,
): Position {
  const position = tokens.read(company, OF_WRITES, token)
  if (position === 'other log')
    throw invalid(
      name,
      'is of another store of events; leave it out, or send the Daybook-Position of a new write',
    )
  if (position === 'unknown')
    throw invalid(
      name,
      /^\d+$/.test(token)
        ? 'is a plain number; send the Daybook-Position of an answer as it is, all 23 characters'
        : 'must be the Daybook-Position of an answer to your company',
    )
  return position
}
