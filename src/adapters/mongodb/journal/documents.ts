/** The journal in MongoDB: one document an event that has an ordinal, the company first in every index. */
import type { Collection } from 'mongodb'
import type { Company, Position, RecordedEvent } from '../../../domain/events/event.ts'
import { journaled } from '../../../domain/events/journaled.ts'
import { readStored, requireReadable } from '../../../domain/events/upcast.ts'
import { textOf } from '../../../domain/events/written-text.ts'
import type { JournaledEvent } from '../../../ports/journal.ts'
import type { LastEvent } from '../../../ports/projection-store.ts'
import type { CheckpointDocument, LeaseDocument, StatesDocument } from '../bookkeeping.ts'
import { checkpointOf } from '../checkpoint.ts'
import { connect } from '../connection.ts'

export const JOURNAL = 'journal'

export interface JournalDocument {
  /** `<epoch>/<company>/<position>` */
  readonly _id: string
  readonly company: Company
  /** How often everything was written again: documents of others count for nothing, and are removed. */
  readonly epoch: number
  readonly position: Position
  readonly ordinal: number
  readonly object: string
  readonly key: string
  readonly version: number
  readonly id: string
  readonly type: string
  readonly actor: string
  /** The latest `recordedAt` of the company so far, in milliseconds since 1970. */
  readonly at: number
  /** JSON, in the newest shape when it was written; what could not be read is as it is stored. */
  readonly data: string
  readonly metadata: string
  /** Why it could not be read when it was written. */
  readonly unreadable?: string
}

export interface JournalPositions extends CheckpointDocument {
  readonly epoch?: number
  /** Documents of earlier epochs may still be there. */
  readonly untidy?: boolean
}

export function journalCollections(url: string) {
  const connection = connect({ url, definitions: new Map(), generation: JOURNAL })
  const { database } = connection
  const positions = database.collection<JournalPositions>('journal_positions')
  return {
    connection,
    journal: database.collection<JournalDocument>('journal'),
    leases: database.collection<LeaseDocument>('journal_leases'),
    positions,
    states: database.collection<StatesDocument>('journal_states'),
    checkpoint: checkpointOf(positions, () => JOURNAL),
  }
}

export type JournalCollections = ReturnType<typeof journalCollections>

/** What the journal holds. */
export interface JournalState {
  readonly epoch: number
  readonly position: Position
  /** The last event that the position covers. */
  readonly last?: LastEvent
}

export async function readState({ positions }: Pick<JournalCollections, 'positions'>): Promise<JournalState> {
  const found = await positions.findOne({ _id: JOURNAL })
  const last = found?.last?.[JOURNAL]
  return { epoch: found?.epoch ?? 0, position: found?.positions[JOURNAL] ?? 0, ...(last && { last }) }
}

/** What the next document of a company follows on. */
export type JournalLast = Pick<JournalDocument, 'ordinal' | 'at'>

export const NO_LAST: JournalLast = { ordinal: 0, at: 0 }

/** The document of an event of a record. @param before the last one of its company */
export function documentOf(event: RecordedEvent, epoch: number, before: JournalLast): JournalDocument {
  const { position, stream: key, version, id, type, unreadable } = event
  const { company } = event.metadata
  const text = textOf(event)
  const { object, actor, at: recordedAt } = journaled(key, text.metadata)!
  // The running maximum: what was shown as of a moment stays what is shown as of it.
  const at = Math.max(before.at, recordedAt)
  const _id = `${epoch}/${company}/${position}`
  const ordinal = before.ordinal + 1
  const own = { _id, company, epoch, position, ordinal, object, key, version, id, type, actor, at }
  return { ...own, ...text, ...(unreadable !== undefined && { unreadable }) }
}

const FIELDS = ['position', 'object', 'key', 'actor', 'at'] as const

export async function prepareJournal(journal: Collection<JournalDocument>): Promise<void> {
  for (const field of FIELDS)
    await journal.createIndex({
      company: 1,
      epoch: 1,
      [field]: 1,
      ...(field !== 'position' && { position: 1 }),
    })
}

/** The event, marked when it cannot be read. */
export function storedIn(document: JournalDocument): JournaledEvent {
  const { position, key: stream, version, id, type, company, data, metadata, ordinal } = document
  const parse = () => ({ data: JSON.parse(data) as unknown, metadata: JSON.parse(metadata) as unknown })
  const text = { data, metadata }
  return { ...readStored({ position, stream, version, id, type, company, text, parse }), ordinal }
}

/** @throws Error when it cannot be read */
export function eventIn(document: JournalDocument): JournaledEvent {
  const event = storedIn(document)
  requireReadable(event)
  return event
}
