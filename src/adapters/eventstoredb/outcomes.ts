/**
 * What an error says about the call: an answer of the server, or an outcome that is not known.
 *
 * Not known is the rule: a time-out, a lost connection, a server that starts, stops or elects a leader. Only what is
 * listed here as an answer is final.
 */
import type { ServiceError } from '@grpc/grpc-js'
import type { Node } from './address.ts'

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

/** What is stored is not as this service wrote it. To ask again does not help: somebody has to look at the event store. */
export class Damaged extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Damaged'
  }
}

/** Something that the server has against one append, by the name that it gives it. */
export class AppendRefused extends Error {
  readonly reason: string
  constructor(reason: string, message: string) {
    super(message === '' ? reason : message)
    this.name = 'AppendRefused'
    this.reason = reason
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

const DENIALS: readonly unknown[] = ['access-denied', 'AccessDenied']
const DENIAL_CODES: readonly unknown[] = [PERMISSION_DENIED, UNAUTHENTICATED]
const REFUSALS: readonly unknown[] = [
  ...DENIALS,
  'stream-deleted',
  'missing-required-metadata-property',
  'StreamDeleted',
  'BadRequest',
]
const REFUSAL_CODES: readonly unknown[] = [...DENIAL_CODES, INVALID_ARGUMENT, UNIMPLEMENTED]
const TOO_LARGE: readonly unknown[] = [
  'maximum-append-size-exceeded',
  'MaximumAppendSizeExceeded',
  'MaximumAppendEventSizeExceeded',
]
/** The server's own limit of time for an append. */
const TIMEOUT = 'Timeout'

/**
 * Larger than the server takes in one append or one event, or than a message of gRPC may be. The code of the last is also
 * that of a server that asks for fewer calls, whose outcome is not known.
 */
export const isTooLarge = (error: unknown): boolean =>
  TOO_LARGE.includes(nameOf(error)) ||
  (codeOf(error) === RESOURCE_EXHAUSTED &&
    /message (larger|exceeds)|exceeds the maximum/i.test(messageOf(error)))

/** The server answered no, and would again. */
export const isRefusal = (error: unknown): boolean =>
  REFUSALS.includes(nameOf(error)) || REFUSAL_CODES.includes(codeOf(error))

/** The user of the address has not the right, or is not known. */
export const isDenied = (error: unknown): boolean =>
  DENIALS.includes(nameOf(error)) || DENIAL_CODES.includes(codeOf(error))

/** The server was reached and is at work, so the client need not be replaced: it did not get done in its own time. */
export const isReached = (error: unknown): boolean =>
  (error instanceof TimedOut && error.answersOthers) ||
  nameOf(error) === TIMEOUT ||
  codeOf(error) === ABORTED ||
  isUnexplained(error)

/** The server gives no reason. While it starts that passes; for a position that it does not know it never does. */
export const isUnexplained = (error: unknown): boolean =>
  codeOf(error) === UNKNOWN || (error instanceof AppendRefused && !KNOWN.has(error.reason))

const KNOWN: ReadonlySet<unknown> = new Set([...REFUSALS, ...TOO_LARGE, TIMEOUT])

/** The leader, as a node names it that is not. */
export function leaderNamed(error: unknown): Node | undefined {
  if (nameOf(error) !== 'not-leader') return undefined
  const [host, port] = ['host', 'port'].map((part) => trailer(error, `leader-endpoint-${part}`))
  return host && port ? { host: host.includes(':') ? `[${host}]` : host, port: Number(port) } : undefined
}

export const messageOf = (error: unknown): string =>
  (error instanceof Error && error.message) || String(nameOf(error) ?? error)

const nameOf = (error: unknown): unknown =>
  error instanceof AppendRefused ? error.reason : trailer(error, 'exception')
const codeOf = (error: unknown): unknown => (error as { code?: unknown } | undefined)?.code

/** What an error of gRPC carries beside its code. */
const trailer = (error: unknown, name: string): string | undefined =>
  (error as Partial<ServiceError> | undefined)?.metadata?.get?.(name)[0]?.toString()
