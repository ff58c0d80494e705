/** What cannot be done now. In so many ms it may be. */
import { Unavailable } from '../../domain/errors.ts'

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
