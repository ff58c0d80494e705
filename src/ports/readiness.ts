/** Whether this process can serve requests: a named check for each part that it needs. */
export interface Readiness {
  /** How each part stood when it was last looked at. Answers at once and never throws. */
  checks(): readonly Check[]
}

export interface Check {
  /** The part, such as `events` or `projection search`. */
  readonly name: string
  /** Why it is down, in words that anyone may read; undefined while it is up. */
  readonly down: string | undefined
  /** Whether requests should go to another process while it is down. */
  readonly required: boolean
}
