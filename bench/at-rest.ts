/** Waits for what a fill leaves behind: timers of days that are past, such as the end of a contract, are due at once. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'

const LOOK_MS = 1_000
/** So many looks in a row at the same last event are a store at rest. */
const LOOKS = 3
const LONGEST_MS = 20 * 60_000

/** @throws Error when the store is not at rest after 20 minutes */
export async function atRest(dataDir: string): Promise<void> {
  const events = new DatabaseSync(join(dataDir, 'events.db'), { readOnly: true })
  const began = performance.now()
  try {
    const last = events.prepare('SELECT max(position) AS position FROM events')
    const position = () => Number(last.get()!['position'])
    const first = position()
    let seen = first
    for (let same = 0; same < LOOKS;) {
      if (performance.now() - began > LONGEST_MS)
        throw new Error('the store is still written to after 20 minutes: its timers have not caught up')
      await delay(LOOK_MS)
      const now = position()
      same = now === seen ? same + 1 : 0
      seen = now
    }
    const seconds = Math.round((performance.now() - began) / 1_000)
    console.log(`at rest after ${seconds} s, ${(seen - first).toLocaleString('en')} events of timers later`)
  } finally {
    events.close()
  }
}
