/** The driver's errors as callers of the ports know them. */
import {
  MongoAPIError,
  MongoBulkWriteError,
  MongoClientClosedError,
  MongoError,
  MongoNotConnectedError,
  MongoServerError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
  type BulkWriteResult,
  type WriteError,
} from 'mongodb'
import { Invalid, Unavailable } from '../../domain/errors.ts'

const MAX_TIME_EXPIRED = 50
const DUPLICATE_KEY = 11_000

/**
 * Answers of a server that cannot do its work now: a fault of its own, shutting down, no longer or not yet the primary,
 * interrupted, no majority, out of memory or disk. From MongoDB's list of error codes.
 */
const TRANSIENT: ReadonlySet<number | string | undefined> = new Set([
  1, 6, 7, 24, 64, 79, 89, 91, 100, 112, 133, 134, 146, 189, 262, 317, 358, 10_107, 11_600, 11_601, 11_602,
  13_435, 13_436, 14_031,
])

/**
 * Answers that refuse a document for what is in it, and would refuse it again: BadValue, FailedToParse, TypeMismatch,
 * Overflow, InvalidBSON, DocumentValidationFailure, CannotIndexParallelArrays, CannotBuildIndexKeys, BSONObjectTooLarge,
 * KeyTooLong, and the codes of an update whose result is too large.
 */
const DOCUMENT_REFUSED: ReadonlySet<number | string | undefined> = new Set([
  2, 9, 14, 15, 22, 121, 171, 201, 10_334, 17_280, 17_419, 17_420,
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

/**
 * The same for writes of a projection: only what the server says of a document is the fault of an event. Everything else
 * that comes from the driver, such as missing rights, is trouble: it is for operators to see to, and then passes.
 */
export function asWriteError(error: unknown): unknown {
  const known = asDomainError(error)
  if (known instanceof Unavailable || !(known instanceof MongoError) || isRefused(known)) return known
  return new Unavailable(`the read model cannot be written (${known.message})`)
}

/** Whether the server refused a document for what is in it. */
function isRefused(error: MongoError): boolean {
  if (error instanceof MongoBulkWriteError) return refusedAt(error).length > 0
  return error instanceof MongoServerError && DOCUMENT_REFUSED.has(error.code)
}

/** Which operations of a bulk write the server refused for what is in their documents, and why. */
export function refusedAt(error: unknown): readonly { readonly index: number; readonly message: string }[] {
  return writeErrorsOf(error)
    .filter(({ code }) => DOCUMENT_REFUSED.has(code))
    .map(({ index, errmsg }) => ({ index, message: errmsg ?? 'refused' }))
}

/** Trouble of the server or the way to it: the same work may succeed later. */
function isTrouble(error: Error): boolean {
  // A bulk write wraps whatever ended it, also what the server never saw.
  if (error instanceof MongoBulkWriteError && error.errorResponse instanceof Error)
    return isTrouble(error.errorResponse)
  if (error instanceof MongoServerError)
    return error instanceof MongoWriteConcernError || TRANSIENT.has(error.code)
  if (error instanceof MongoAPIError)
    // The others of these are faults of who calls the driver.
    return (
      error instanceof MongoNotConnectedError ||
      error instanceof MongoTopologyClosedError ||
      error instanceof MongoClientClosedError
    )
  return error instanceof MongoError || isSystemError(error)
}

/** What the operating system or the resolver says: ECONNRESET, EPIPE, ETIMEDOUT, ENOTFOUND, … */
function isSystemError({ code, syscall }: NodeJS.ErrnoException): boolean {
  return syscall !== undefined || (typeof code === 'string' && /^E[A-Z0-9]+$/.test(code))
}

/** Whether the write failed because a document of that id was there already, and for no other reason. */
export function isDuplicate(error: unknown): boolean {
  if (error instanceof MongoBulkWriteError) return isOnly(error, (code) => code === DUPLICATE_KEY)
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY
}

/** The same, where documents may also have been refused for what is in them: everything else of the bulk write is stored. */
export function isRefusedOrDuplicate(error: unknown): error is MongoBulkWriteError {
  return (
    error instanceof MongoBulkWriteError &&
    isOnly(error, (code) => code === DUPLICATE_KEY || DOCUMENT_REFUSED.has(code))
  )
}

/** Whether the write errors of a bulk write are all of these, and what was written is stored by a majority. */
function isOnly(error: MongoBulkWriteError, isOf: (code: number) => boolean): boolean {
  const errors = writeErrorsOf(error)
  const isStored = !(error.result as BulkWriteResult | undefined)?.getWriteConcernError()
  return isStored && errors.length > 0 && errors.every(({ code }) => isOf(code))
}

function writeErrorsOf(error: unknown): readonly WriteError[] {
  if (!(error instanceof MongoBulkWriteError)) return []
  const errors: WriteError | readonly WriteError[] = error.writeErrors
  return errors instanceof Array ? errors : [errors]
}
