/** Commands of one chunk or batch, whose events are stored together: with one wait for the disk, and shown by one transaction. */
import type { Caller } from './command.ts'

export interface Together {
  /** The caller for each of the commands. */
  readonly caller: Caller
  /** All commands are under way: what they have appended by now is stored. */
  go(): void
}

/** Other commands may wait for a record that one of these writes. */
const LONGEST_MS = 1_000

export function together(caller: Caller): Together {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, LONGEST_MS).unref()
  return {
    caller: { ...caller, together: promise },
    go() {
      clearTimeout(timer)
      resolve()
    },
  }
}
