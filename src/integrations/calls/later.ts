/** What cannot be done now. In so many ms it may be. */
import { Unavailable } from '../../domain/errors.ts'

/** How often a timer looks at what goes on beside it, in ms. */
export const LOOK_MS = 30_000
/** How soon what did not work is tried again, in ms. */
export const AGAIN_MS = 60_000
/** How soon it is where a person has to do something before, in ms. */
export const FOR_PERSON_MS = 300_000
/** What does not work for so long, in ms, is for a person to see. */
export const FAILING_MS = 900_000

export class Later extends Unavailable {
  readonly ms: number
  /** Nothing comes of it before a person has done something. */
  readonly isForPerson: boolean
  constructor(message: string, ms: number, isForPerson = false) {
    super(message)
    this.ms = ms
    this.isForPerson = isForPerson
  }
}
