/**
 * What can be wrong with a request, in terms of the domain. `api/http/problems.ts` gives each its status and wrapper; the
 * domain knows no status code.
 */

/** One fault, as the Error wrapper shows it: the field as the caller wrote it, and what is wrong with it. */
export interface Fault {
  readonly Field: string
  readonly Message: string
}

/** What is said to a client. */
export abstract class Refused extends Error {
  readonly faults: readonly Fault[]
  constructor(message: string, faults: readonly Fault[] = []) {
    super(message)
    this.name = new.target.name
    this.faults = faults
  }
}

/** The request itself is wrong: every fault found is named. */
export class Invalid extends Refused {}

/** How many faults of one request are reported; when there are more, checks may stop. */
export const MOST_FAULTS = 100

/** One fault of one field; of the whole body, where the field is ''. */
export function invalid(field: string, message: string): Invalid {
  return new Invalid(`${field === '' ? 'the body' : `${field}:`} ${message}`, [
    { Field: field, Message: message },
  ])
}

/** What a check finds wrong: nothing when it passes. */
export function faultsOf(check: () => unknown): readonly Fault[] {
  try {
    check()
    return []
  } catch (error) {
    if (!(error instanceof Invalid)) throw error
    return error.faults
  }
}

/** The caller may not do this. */
export class Forbidden extends Refused {}

/** Not there, or not the caller's: answers never show which. */
export class NotFound extends Refused {}

/** It contradicts what is already recorded: a duplicate, a referrer, another state, an idempotency key reused. */
export class Conflict extends Refused {}

/** The version named by `If-Match` is not the current one. */
export class PreconditionFailed extends Refused {}

/** Larger than the service takes. */
export class TooLarge extends Refused {}

/** An engine cannot do its work now; nothing was done, or the outcome is not known. The caller may retry. */
export class Unavailable extends Refused {}

/** An engine denies the service a right that it needs. It stays so until an operator changes the rights. */
export class Denied extends Unavailable {}

/** What is asked for is still being put together: asking again later goes on where this left off. */
export class NotYet extends Unavailable {}

/** More is under way already than the service does at a time: nothing was done, and nothing is at fault. */
export class Busy extends Unavailable {}

/** This process does not do it; others may. The message says what to set. */
export class NotServed extends Unavailable {}

/** What an error says, for a reason or a log. A host of several addresses, none of which answers, fails with an error without a message. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ') || error.message
  return error instanceof Error ? error.message : String(error)
}
