/** How the faults of query parameters read: `unknown field Rnt at 5; did you mean Rent?`. */
import { invalid, type Invalid } from '../errors.ts'

/**
 * What is wrong at a place in a query parameter, and what would be right. `at` counts from 0 as JavaScript does (UTF-16
 * code units); the message counts from 1.
 */
export function faultAt(parameter: string, at: number, problem: string, hint?: string): Invalid {
  return invalid(parameter, `${problem} at ${at + 1}${hint ? `; ${hint}` : ''}`)
}

/** Text of the caller as a message repeats it: short, and on one line. */
export function quoted(text: string): string {
  const line = text.replace(/\s/g, ' ')
  return line.length <= 40 ? line : `${line.slice(0, 40).toWellFormed()}…`
}
