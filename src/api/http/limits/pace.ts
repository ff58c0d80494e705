/** Work that takes long, in pieces: other requests have their turn in between. */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** To be awaited between pieces: goes on at once until this turn has lasted long enough. */
export type Pace = () => Promise<void> | undefined

const TURN_MS = 8

/** When the work of this turn of the event loop began: several works share what it may last. */
let began: number | undefined
function begin(): number {
  began = performance.now()
  setImmediate(() => (began = undefined))
  return began
}

/** Work that waits goes on in order, one in each turn: many long works hold up others no more than one. */
let last: Promise<void> = Promise.resolve()
const ownTurn = () => (last = last.then(() => nextTurn()))

export function pace(turnMs = TURN_MS): Pace {
  return () => {
    if (performance.now() - (began ?? begin()) < turnMs) return undefined
    return ownTurn().then(() => void begin())
  }
}
