/** How far a rebuild has come, reported no more often than it is looked at. */
import type { Position } from '../domain/events/event.ts'

/** Between two words of progress. */
const PROGRESS_MS = 500

/** Passes the first position on, then at most one every half second. */
export function pacedProgress(say: (position: Position) => void): (position: Position) => void {
  let said = -Infinity
  return (position) => {
    const now = performance.now()
    if (now - said < PROGRESS_MS) return
    said = now
    say(position)
  }
}
