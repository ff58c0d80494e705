/**
 * The journal in MongoDB as its projection writes it. Ordinals and times follow from what was written up to the checkpoint, so
 * that a batch that is repeated, by this process or the next, comes out as the same documents.
 */
import type { Company, RecordedEvent } from '../../../domain/events/event.ts'
import { recentlyUsed, type RecentlyUsed } from '../../../domain/recently-used.ts'
import { isDuplicate } from '../domain-errors.ts'
import { ledStatus, ledStore, type LedStore, type LedTerm } from '../led-store.ts'
import {
  documentOf,
  JOURNAL,
  journalCollections,
  prepareJournal,
  type JournalCollections,
  NO_LAST,
  type JournalDocument,
  type JournalLast,
} from './documents.ts'

export type MongoJournalStore = LedStore<RecordedEvent>

export interface MongoJournalStoreOptions {
  readonly url: string
  readonly leaseMs?: number
  readonly onTrouble?: (message: string, error: unknown) => void
  /** Called for each event that is kept as it is stored because it cannot be read. */
  readonly onUnreadable?: (event: RecordedEvent) => void
}

interface Term extends LedTerm {
  readonly epoch: number
  /** The last documents of companies. */
  readonly lasts: RecentlyUsed<JournalLast>
}

/** Companies whose last document is remembered. */
const REMEMBERED = 10_000

export function mongoJournalStore({
  url,
  leaseMs,
  onTrouble,
  onUnreadable = () => {},
}: MongoJournalStoreOptions): MongoJournalStore {
  const collections = journalCollections(url)
  return ledStore<RecordedEvent, Term>({
    name: JOURNAL,
    collections,
    begin: (of) => begin(collections, of),
    async write(term, work) {
      const all = work.flatMap(({ steps }) => steps.flatMap(({ operations }) => operations))
      const events = all.filter(({ position }) => position > term.position)
      await write(collections, term, events)
      for (const event of events) if (event.unreadable !== undefined) onUnreadable(event)
    },
    forget: (of) =>
      collections.positions.updateOne(
        { _id: JOURNAL, term: of },
        { $inc: { epoch: 1 }, $set: { positions: {}, untidy: true }, $unset: { last: '' } },
      ),
    leaseMs,
    onTrouble,
  })
}

export const journalStatus = (collections: JournalCollections) => ledStatus(collections, JOURNAL)

async function begin({ journal, positions, checkpoint }: JournalCollections, of: number): Promise<Term> {
  const position = (await checkpoint.claim(of)).get(JOURNAL) ?? 0
  const { epoch = 0, untidy = false } = (await positions.findOne({ _id: JOURNAL })) ?? {}
  await prepareJournal(journal)
  if (untidy) {
    await journal.deleteMany({ epoch: { $lt: epoch } })
    await positions.updateOne({ _id: JOURNAL, term: of }, { $unset: { untidy: '' } })
  }
  return { of, position, epoch, lasts: recentlyUsed(REMEMBERED) }
}

async function write(
  { connection, journal }: JournalCollections,
  { position: from, epoch, lasts }: Term,
  events: readonly RecordedEvent[],
): Promise<void> {
  const lastOf = async (company: Company): Promise<JournalLast> => {
    const upTo = { company, epoch, position: { $lte: from } }
    return (await journal.findOne(upTo, { sort: { position: -1 } })) ?? NO_LAST
  }
  const documents: JournalDocument[] = []
  const moved = new Map<Company, JournalLast>()
  for (const event of events) {
    const { company } = event.metadata
    const before = moved.get(company) ?? lasts.get(company) ?? (await lastOf(company))
    const document = documentOf(event, epoch, before)
    moved.set(company, document)
    documents.push(document)
  }
  const { writesAtOnce } = connection
  for (let start = 0; start < documents.length; start += writesAtOnce)
    await journal
      .insertMany(documents.slice(start, start + writesAtOnce), { ordered: false })
      .catch((error: unknown) => {
        // It is there from a batch that was cut off.
        if (!isDuplicate(error)) throw error
      })
  for (const [company, { ordinal, at }] of moved) lasts.set(company, { ordinal, at })
}
