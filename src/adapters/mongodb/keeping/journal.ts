/** The journal in MongoDB: written by the processes with the role `projections`, read by those that serve the API. */
import type { Log } from '../../../ports/log.ts'
import type { Definitions } from '../../../domain/definition.ts'
import type { RecordedEvent } from '../../../domain/events/event.ts'
import type { EventStore } from '../../../ports/event-store.ts'
import type { Journal } from '../../../ports/journal.ts'
import type { ProjectionControl } from '../../../ports/projection-control.ts'
import { JOURNAL, journalProjection } from '../../../projections/journal.ts'
import { logState } from '../../../projections/log-state.ts'
import { journalCollections } from '../journal/documents.ts'
import { mongoJournal } from '../journal/journal.ts'
import { journalStatus, mongoJournalStore } from '../journal/store.ts'
import { mongoProjectionControl, projectionOrders } from '../read-models/projection-control.ts'
import { keepLed } from './keep-led.ts'

export interface MongoJournalOptions {
  readonly url: string
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'head' | 'read' | 'subscribe'>
  readonly log: Pick<Log, 'error'>
  /** Whether this process takes its turn to write. */
  readonly writes: boolean
}

export interface OpenJournal {
  readonly journal: Journal
  readonly control: ProjectionControl
  close(): Promise<void>
}

const UNREADABLE = 'the journal keeps an event that cannot be read, as it is stored'

const detailOf = ({ type, stream, version, position, unreadable }: RecordedEvent) => ({
  detail: { type, stream, version, position, reason: unreadable },
})

export function openMongoJournal({
  url,
  definitions,
  events,
  log,
  writes,
}: MongoJournalOptions): OpenJournal {
  const onTrouble = (message: string, error: unknown) => log.error({ err: error }, message)
  const collections = journalCollections(url)
  const readModels = {
    async status() {
      await collections.connection.ready()
      return [await journalStatus(collections)]
    },
  }
  const control = mongoProjectionControl({ url, definitions, readModels, base: JOURNAL })
  const journal = mongoJournal({
    url,
    head: () => events.head(),
    isInLog: async (last) => (await logState(events, last)) === 'same',
  })
  const stop = writes
    ? keepLed({
        what: 'the journal',
        events,
        projection: journalProjection(),
        store: mongoJournalStore({
          url,
          onTrouble,
          onUnreadable: (event) => log.error(detailOf(event), UNREADABLE),
        }),
        orders: projectionOrders({ url, definitions, base: JOURNAL }),
        onTrouble,
      })
    : async () => {}
  return {
    journal,
    control,
    async close() {
      await stop()
      await control.close()
      await journal.close()
      await collections.connection.close()
    },
  }
}
