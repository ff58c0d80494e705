/**
 * What is wrong with a row, as it can be kept in events: without any text of the row. Events are for ever and are read by
 * more people than the file.
 */
import {
  Conflict,
  Forbidden,
  Invalid,
  NotFound,
  PreconditionFailed,
  TooLarge,
  type Fault,
} from '../../domain/errors.ts'
import { shortened } from '../formats/shortened.ts'

export interface RowFault {
  readonly code: 'VALIDATION_ERROR' | 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT'
  readonly faults: readonly Fault[]
}

const QUOTED = /"(?:[^"\\]|\\.)*"/g
const KEY = /\b[a-z][a-z0-9]*-[0-7][0-9a-hjkmnp-tv-z]{25}\b/g
const LONGEST = 200

/** The message without what it quotes of the row: texts in quotes, and Keys. */
export function withoutValues(message: string): string {
  return shortened(message.replace(QUOTED, '…').replace(KEY, '…'), LONGEST)
}

/** Undefined for what is not the row's fault: the store is away, or something is broken. */
export function rowFaultOf(error: unknown): RowFault | undefined {
  const code = codeOf(error)
  if (!code) return undefined
  const { message, faults } = error as Invalid
  const named = faults.length > 0 ? faults : [{ Field: '', Message: message }]
  return { code, faults: named.map(({ Field, Message }) => ({ Field, Message: withoutValues(Message) })) }
}

function codeOf(error: unknown): RowFault['code'] | undefined {
  if (error instanceof Invalid || error instanceof TooLarge) return 'VALIDATION_ERROR'
  if (error instanceof Forbidden) return 'FORBIDDEN'
  if (error instanceof NotFound) return 'NOT_FOUND'
  if (error instanceof Conflict || error instanceof PreconditionFailed) return 'CONFLICT'
  return undefined
}
