/** The driver's errors as callers of the ports know them. */
import {
  MongoBulkWriteError,
  MongoClientClosedError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoSystemError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
} from 'mongodb'
import { Invalid, Unavailable } from '../../domain/errors.ts'

const MAX_TIME_EXPIRED = 50
const DUPLICATE_KEY = 11_000

/**
 * Answers of a server that cannot do its work now: shutting down, no longer or not yet the primary, interrupted, no
 * majority. From MongoDB's list of error codes.
 */
const TRANSIENT: ReadonlySet<number | string | undefined> = new Set([
  6, 7, 64, 79, 89, 91, 100, 133, 134, 189, 262, 317, 358, 10_107, 11_600, 11_601, 11_602, 13_435, 13_436,
])

/** The time of a call is up. Whether that is the call's fault or the server's, this does not say. */
export class OutOfTime extends Unavailable {
  constructor() {
    super('the read model does not answer in time')
  }
}

/** Longer than the read model allows (2 s): the caller has to ask for less. */
export function tooSlow(): Invalid {
  const message = 'takes longer than the read model allows (2 s); narrow the filter'
  return new Invalid(message, [{ Field: 'filter', Message: message }])
}

export function asDomainError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (error instanceof MongoServerError && error.code === MAX_TIME_EXPIRED) return new OutOfTime()
  return isTrouble(error) ? new Unavailable(`the read model cannot be reached (${error.message})`) : error
}

/** Trouble of the server or the way to it: the same work may succeed later. */
function isTrouble(error: Error): boolean {
  return (
    error instanceof MongoNetworkError ||
    error instanceof MongoSystemError ||
    error instanceof MongoNotConnectedError ||
    error instanceof MongoTopologyClosedError ||
    error instanceof MongoClientClosedError ||
    error instanceof MongoWriteConcernError ||
    isLookup(error) || // of the servers behind mongodb+srv://
    error.name === 'MongoWaitQueueTimeoutError' ||
    error.name === 'MongoPoolClearedError' ||
    error.name === 'MongoPoolClosedError' ||
    (error instanceof MongoServerError && TRANSIENT.has(error.code))
  )
}

function isLookup(error: NodeJS.ErrnoException): boolean {
  return error.syscall?.startsWith('query') ?? false
}

/** Whether the write failed because a document of that id was there already, and for no other reason. */
export function isDuplicate(error: unknown): boolean {
  if (error instanceof MongoBulkWriteError) {
    const errors = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors]
    return errors.length > 0 && errors.every(({ code }) => code === DUPLICATE_KEY)
  }
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY
}
