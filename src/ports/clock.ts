/** Time and randomness, handed in so that tests can hold them. */
export interface Clock {
  /** Milliseconds since 1970, by the wall clock: may jump. */
  now(): number
  /** Milliseconds since some moment, never going back: for measuring and waiting. */
  elapsed(): number
}
