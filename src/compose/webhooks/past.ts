/** Where replays of webhooks read a company's past: the journal, by whatever keeps it. */
import { join } from 'node:path'
import { eventRanges } from '../../adapters/sqlite/events/event-range.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { EventRanges } from '../../ports/journal.ts'
import { logState } from '../../projections/log-state.ts'
import type { SourceData } from '../source.ts'

export interface PastOptions extends SourceData {
  readonly mongoUrl?: string | undefined
}

/** Opened by the first question. Undefined where another thread keeps the journal, which may not have come as far. */
export async function openPast(
  { dataDir, eventStoreUrl, mongoUrl }: PastOptions,
  events: Pick<EventStore, 'read'>,
): Promise<EventRanges | undefined> {
  if (eventStoreUrl === undefined) return openedLater(() => eventRanges(join(dataDir, 'events.db')))
  if (mongoUrl === undefined) return undefined
  const { mongoEventRanges } = await import('../../adapters/mongodb/journal/journal.ts')
  const isInLog = async (last: Parameters<typeof logState>[1]) => (await logState(events, last)) === 'same'
  return openedLater(() => mongoEventRanges({ url: mongoUrl, isInLog }))
}

function openedLater(open: () => EventRanges): EventRanges {
  let opened: EventRanges | undefined
  const there = () => (opened ??= open())
  return {
    last: (range) => there().last(range),
    count: (range) => there().count(range),
    batches: (range, size) => there().batches(range, size),
    close: async () => opened?.close(),
  }
}
