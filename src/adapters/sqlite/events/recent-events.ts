/**
 * The events that this process appended last, as it appended them: followers in its main thread, who are there within moments,
 * need not read them back and parse them.
 */
import type { Position, RecordedEvent } from '../../../domain/events/event.ts'
import { upcast } from '../../../domain/events/upcast.ts'
import type { Append } from '../../../ports/event-store.ts'
import type { Outcome } from './event-log.ts'

export interface Stored {
  readonly append: Append
  /** How many characters its events have as text. */
  readonly size: number
}

export interface RecentEvents {
  /** A group was stored: its appends and what became of them, in their order; `head`: where the log ends now. */
  stored(appends: readonly (Stored | undefined)[], outcomes: readonly Outcome[], head: Position): void
  /** At most `limit` events after the position, up to the end of the log; undefined where they are to be read. */
  after(position: Position, limit: number): readonly RecordedEvent[] | undefined
}

/** Events, and about so many characters of their data, after which others begin; as many again may be kept. */
const MOST = { events: 1_000, characters: 4_000_000 }

/** @param head where the log ends */
export function recentEvents(head: Position): RecentEvents {
  let [older, newer]: [RecordedEvent[], RecordedEvent[]] = [[], []]
  let characters = 0
  /** Where the log ended after what is kept. */
  let end = head

  const startAgain = (at: Position) => {
    older = []
    newer = []
    characters = 0
    end = at
  }
  const add = ({ append: { stream, events }, size }: Stored, version: number, position: Position) => {
    events.forEach((event, i) =>
      newer.push(upcast({ ...event, stream, version: version + i, position: position + i })),
    )
    characters += size
    if (newer.length < MOST.events && characters < MOST.characters) return
    older = newer
    newer = []
    characters = 0
  }

  return {
    stored(appends, outcomes, newHead) {
      for (const [i, outcome] of outcomes.entries()) {
        const stored = appends[i]
        // What was stored before is in its old place.
        if (!stored || 'conflict' in outcome || outcome.position <= end) continue
        const before = stored.append.events.length - 1
        if (outcome.position - before !== end + 1) return startAgain(newHead)
        add(stored, outcome.version - before, outcome.position - before)
        end = outcome.position
      }
      if (end !== newHead) startAgain(newHead)
    },
    after(position, limit) {
      const start = (older[0] ?? newer[0])?.position ?? end + 1
      if (position + 1 < start || position > end) return undefined
      const from = position + 1 - start
      if (from >= older.length) return newer.slice(from - older.length, from - older.length + limit)
      const some = older.slice(from, from + limit)
      return some.length === limit ? some : some.concat(newer.slice(0, limit - some.length))
    },
  }
}
