/** The journal in MongoDB: what every journal answers, and what it says while another process writes it, or writes it again. */
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { mongoEventRanges, mongoJournal } from '../../../src/adapters/mongodb/journal/journal.ts'
import type { JournalDocument } from '../../../src/adapters/mongodb/journal/documents.ts'
import { mongoJournalStore, type MongoJournalStore } from '../../../src/adapters/mongodb/journal/store.ts'
import { NotYet, Unavailable } from '../../../src/domain/errors.ts'
import type { RecordedEvent } from '../../../src/domain/events/event.ts'
import { readStored } from '../../../src/domain/events/upcast.ts'
import { JOURNAL, journalProjection } from '../../../src/projections/journal.ts'
import { lastOf, workOf } from '../../../src/projections/projection.ts'
import { journalContract } from '../../contracts/journal.ts'
import { failureOf } from '../../engines/mongodb-openers.ts'
import { mongoUnderTest, NOT_TESTED } from '../../engines/mongodb-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { whileRunning } from '../../engines/while-running.ts'
import { newEvent } from '../../support/events.ts'
import { rounds } from '../../support/rounds.ts'
import { newKey } from '../../support/told-events.ts'

const mongo = mongoUnderTest()
const suite = suiteOf('the journal in MongoDB', mongo ? undefined : NOT_TESTED)

/** Events of one batch of the follower. */
const BATCH = 500
/** FerretDB has no indexes for such questions, and reads the whole collection for each (docs/decisions/ferretdb-for-tests.md). */
const LIMIT_MS = 30_000

async function tell(store: MongoJournalStore, events: readonly RecordedEvent[]): Promise<void> {
  for (let at = 0; at < events.length; at += BATCH) {
    const batch = events.slice(at, at + BATCH)
    const upTo = batch.at(-1)!.position
    await store.apply(workOf([journalProjection()], batch), upTo, lastOf(batch))
  }
}

suite(`the journal in MongoDB (${mongo?.name ?? 'none'})`, function () {
  this.timeout(120_000)
  whileRunning(mongo!)

  journalContract(
    async () => {
      const url = mongo!.newDatabase()
      const store = mongoJournalStore({ url })
      await store.leading()
      const head = () => store.position(JOURNAL)
      const journal = mongoJournal({ url, head, isInLog: async () => true, limitMs: LIMIT_MS })
      const ranges = mongoEventRanges({ url, isInLog: async () => true })
      return {
        journal,
        ranges,
        store: (events) => tell(store, events),
        async discard() {
          await journal.close()
          await ranges.close()
          await store.close()
        },
      }
    },
    4_100,
    rounds(0.2, 1),
  )

  const company = newKey('company')
  const keys = [newKey('tenant'), newKey('contract')]
  const events = Array.from({ length: 40 }, (_, i): RecordedEvent => {
    const stream = keys[i % 2]!
    const event = newEvent({ company, type: `${stream.split('-')[0]}.updated` })
    return { ...event, stream, version: (i >> 1) + 1, position: (i + 1) * 3 }
  })
  const end = events.at(-1)!.position
  const inOrder = events.map(({ id }, i) => [id, i + 1])

  let url: string
  let open: { close(): Promise<void> }[]
  let client: MongoClient
  beforeEach(async () => {
    url = mongo!.newDatabase()
    client = await new MongoClient(url).connect()
    open = [client]
  })
  afterEach(async () => {
    for (const one of open.toReversed()) await one.close()
  })
  const opened = <T extends { close(): Promise<void> }>(one: T): T => {
    open.push(one)
    return one
  }
  const storeOf = (more: { leaseMs?: number; onUnreadable?: (event: RecordedEvent) => void } = {}) =>
    opened(mongoJournalStore({ url, ...more }))
  const leading = async (more?: Parameters<typeof storeOf>[0]) => {
    const store = storeOf(more)
    await store.leading()
    return store
  }
  const journalOf = (head = end, isInLog = true) =>
    opened(mongoJournal({ url, head: async () => head, isInLog: async () => isInLog, limitMs: LIMIT_MS }))
  const shown = async (journal: ReturnType<typeof journalOf>) =>
    (await journal.find(company, {}, { limit: 1_000 })).map(({ id, ordinal }) => [id, ordinal])
  const documents = () => client.db().collection<JournalDocument>('journal')

  it('goes on after a process that was cut off within a batch, with the same ordinals', async () => {
    const first = await leading()
    await tell(first, events.slice(0, 20))
    await first.close()
    const whole = await documents().find().sort({ position: 1 }).toArray()
    // The next ten were on their way, and some of them came through.
    const second = await leading()
    await tell(second, events.slice(20, 30))
    const [kept] = await documents().find({ position: events[27]!.position }).toArray()
    await second.clear()
    await tell(second, events.slice(0, 20))
    await documents().insertOne({ ...kept!, _id: kept!._id.replace(/^\d+/, '1'), epoch: 1 })
    await tell(second, events.slice(20))
    const journal = journalOf()
    await journal.caughtUp()
    expect(await shown(journal)).to.deep.equal(inOrder)
    expect(whole.map(({ ordinal }) => ordinal)).to.deep.equal(events.slice(0, 20).map((_, i) => i + 1))
  })

  it('shows nothing of a batch before it is whole', async () => {
    const store = await leading()
    await tell(store, events.slice(0, 10))
    const journal = journalOf(events[9]!.position)
    await journal.caughtUp()
    const [last] = await documents().find({ position: events[9]!.position }).toArray()
    const position = events[11]!.position
    await documents().insertOne({ ...last!, _id: `0/${company}/${position}`, position, ordinal: 12 })
    expect(await shown(journal)).to.deep.equal(inOrder.slice(0, 10))
    const { position: reached } = await journal.latestChanges(company, 'contract', 0, 10)
    expect(reached).to.equal(events[9]!.position)
    expect(await journal.positionAt(company, Number.MAX_SAFE_INTEGER)).to.equal(events[9]!.position)
  })

  it('says that it is written again, and never answers with less than there is', async () => {
    const store = await leading()
    await tell(store, events)
    const journal = journalOf()
    const ranges = opened(mongoEventRanges({ url, isInLog: async () => true }))
    await journal.caughtUp()
    const range = { company, objects: ['contract', 'tenant'], after: 0, upTo: end }
    const batches = ranges.batches(range, 10)[Symbol.asyncIterator]()
    expect((await batches.next()).value).to.have.length(10)

    await store.clear()
    await tell(store, events.slice(0, 20))
    const answers = [
      journal.find(company, {}, { limit: 10 }),
      journal.count(company, {}, end),
      journal.latestChanges(company, 'contract', 0, 10),
      journal.positionAt(company, Number.MAX_SAFE_INTEGER),
      batches.next(),
      ranges.last(range),
      ranges.count(range),
    ]
    for (const failure of await Promise.all(answers.map(failureOf))) {
      expect(failure).to.be.instanceOf(NotYet)
      expect(failure)
        .to.have.property('message')
        .that.matches(/is being written again/)
    }

    await tell(store, events.slice(20))
    expect(await shown(journal)).to.deep.equal(inOrder)
    expect(await ranges.count(range)).to.equal(40)
    expect(await documents().countDocuments({})).to.equal(40)
  })

  it('says that it does not have the latest events yet, where it is behind for long', async () => {
    const store = await leading()
    await tell(store, events.slice(0, 20))
    const head = async () => end
    const journal = opened(mongoJournal({ url, head, isInLog: async () => true, waitMs: 50 }))
    const isBehind = async () => {
      const failure = await failureOf(journal.caughtUp())
      expect(failure).to.be.instanceOf(NotYet)
      expect(failure)
        .to.have.property('message')
        .that.matches(/does not have the latest events yet/)
    }
    await isBehind()
    await tell(store, events.slice(20))
    expect(await journal.caughtUp()).to.equal(end)
    // Also where it once had them.
    await store.clear()
    await isBehind()
    await tell(store, events)
    expect(await journal.caughtUp()).to.equal(end)
  })

  it('is not answered from where it is of another log, however long it is', async () => {
    await tell(await leading(), events)
    expect(await failureOf(journalOf(end, false).caughtUp())).to.be.instanceOf(NotYet)
    expect(await journalOf(end, true).caughtUp()).to.equal(end)
  })

  it('keeps an event that cannot be read as it is stored, goes on, and says which it is', async () => {
    const text = { data: '{"Name": "Ann', metadata: JSON.stringify(events[10]!.metadata) }
    const { position, stream, version, id, type } = events[10]!
    const parse = () => ({
      data: JSON.parse(text.data) as unknown,
      metadata: JSON.parse(text.metadata) as unknown,
    })
    const broken = readStored({ position, stream, version, id, type, company, text, parse })
    const seen: string[] = []
    const store = await leading({
      onUnreadable: (event) => void seen.push(`${event.stream} ${event.version}`),
    })
    await tell(store, events.with(10, broken))
    expect(seen).to.deep.equal([`${stream} ${version}`])
    const [document] = await documents().find({ position }).toArray()
    expect(document).to.include({ ...text, ordinal: 11, unreadable: 'it is not valid JSON' })
    expect(document).to.include({ actor: events[10]!.metadata.actor })
    const journal = journalOf()
    await journal.caughtUp()
    const failure = await failureOf(journal.find(company, {}, { limit: 1_000 }))
    expect(failure)
      .to.have.property('message')
      .that.equals(`${type}, version ${version} of ${stream}, cannot be read: it is not valid JSON`)
    const rest = await journal.find(company, {}, { after: position, limit: 1_000 })
    expect(rest.map((event) => [event.id, event.ordinal])).to.deep.equal(inOrder.slice(11))
    expect(await journal.count(company, {}, end)).to.equal(40)
  })

  it('is written by one process, and by the next as soon as that one lets go', async () => {
    const first = await leading()
    const second = storeOf({ leaseMs: 1_200 })
    await tell(first, events.slice(0, 20))
    expect(await failureOf(tell(second, events.slice(0, 20)))).to.be.instanceOf(Unavailable)
    await first.close()
    open = open.filter((one) => one !== first)
    await second.leading()
    await tell(second, events)
    const journal = journalOf()
    await journal.caughtUp()
    expect(await shown(journal)).to.deep.equal(inOrder)
  })

  it('is written on by another process when the one that wrote it shows no sign of life', async () => {
    await tell(await leading(), events.slice(0, 20))
    await open.pop()!.close()
    const leases = client.db().collection<{ _id: string }>('journal_leases')
    await leases.updateOne({ _id: JOURNAL }, { $set: { held: true, holder: 'one that died' } })
    const next = await leading({ leaseMs: 300 })
    await tell(next, events)
    const journal = journalOf()
    await journal.caughtUp()
    expect(await shown(journal)).to.deep.equal(inOrder)
  })
})
