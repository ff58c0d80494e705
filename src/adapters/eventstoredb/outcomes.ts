/**
 * What an error of the client says about the call: an answer of the server, or an outcome that is not known.
 *
 * Not known is the rule: a time-out, a lost connection, a server that starts, stops or elects a leader. Only what is
 * listed here as an answer is final.
 */
import { ErrorType } from '@eventstore/db-client'

/** A call, or a part of one, that took longer than it was given. */
export class TimedOut extends Error {
  /** Others were answered meanwhile: the way to the server is not at fault. */
  readonly answersOthers: boolean
  constructor(ms: number, answersOthers = false) {
    super(`no answer within ${Math.round(ms)} ms`)
    this.name = 'TimedOut'
    this.answersOthers = answersOthers
  }
}

// Codes of gRPC.
const UNKNOWN = 2
const INVALID_ARGUMENT = 3
const PERMISSION_DENIED = 7
const RESOURCE_EXHAUSTED = 8
const ABORTED = 10
const UNIMPLEMENTED = 12
const UNAUTHENTICATED = 16

const REFUSALS: readonly unknown[] = [
  ErrorType.ACCESS_DENIED,
  ErrorType.STREAM_DELETED,
  ErrorType.INVALID_ARGUMENT,
  ErrorType.MISSING_REQUIRED_METADATA_PROPERTY,
  ErrorType.UNSUPPORTED,
]
const REFUSAL_CODES: readonly unknown[] = [
  INVALID_ARGUMENT,
  PERMISSION_DENIED,
  UNIMPLEMENTED,
  UNAUTHENTICATED,
]

const REACHED: readonly unknown[] = [ErrorType.NOT_LEADER, ErrorType.TIMEOUT]

export const isStreamNotFound = (error: unknown): boolean => typeOf(error) === ErrorType.STREAM_NOT_FOUND

/** Too large for the server's own limit, or for a message of gRPC. */
export const isTooLarge = (error: unknown): boolean =>
  typeOf(error) === ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED || codeOf(error) === RESOURCE_EXHAUSTED

/** The server answered no, and would again. */
export const isRefusal = (error: unknown): boolean =>
  REFUSALS.includes(typeOf(error)) || REFUSAL_CODES.includes(codeOf(error))

/**
 * The server was reached and is at work, so the client need not be replaced: it did not get done in its own time, found
 * no leader, or named another one (which the client then turns to).
 */
export const isReached = (error: unknown): boolean =>
  (error instanceof TimedOut && error.answersOthers) ||
  REACHED.includes(typeOf(error)) ||
  codeOf(error) === ABORTED ||
  isUnexplained(error)

/** The server gives no reason. While it starts that passes; for a position that it does not know it never does. */
export const isUnexplained = (error: unknown): boolean => codeOf(error) === UNKNOWN

export const messageOf = (error: unknown): string =>
  (error instanceof Error && error.message) || String(typeOf(error) ?? error)

// Errors of the package have a `type`; those that it lets through from gRPC have a `code` only.
const typeOf = (error: unknown): unknown => (error as { type?: unknown } | undefined)?.type
const codeOf = (error: unknown): unknown => (error as { code?: unknown } | undefined)?.code
