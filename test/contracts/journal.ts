/**
 * What every journal must answer, against plain evaluation of its events, for events that nobody thought of: several
 * companies, objects, actors and names, a clock that is set back, and streams that are no records. Adapters run this.
 */
import { expect } from 'chai'
import * as fc from 'fast-check'
import type { RecordedEvent } from '../../src/domain/events/event.ts'
import { objectOfKey } from '../../src/domain/records/key.ts'
import type {
  EventRanges,
  Journal,
  JournalFilter,
  JournalPage,
  LatestChange,
} from '../../src/ports/journal.ts'
import { newEvent } from '../support/events.ts'
import { newKey } from '../support/told-events.ts'

const BEGIN = Date.UTC(2026, 0, 31, 10)

export interface JournalSide {
  readonly journal: Journal
  /** Of the same events. */
  readonly ranges: EventRanges
  /** Stores events that follow those before. */
  store(events: readonly RecordedEvent[]): Promise<void>
  discard(): Promise<void>
}

/**
 * @param changes of one record: more than the adapter looks at for two pages of changes
 * @param share how many of the random questions are asked: 1 for all, less for an engine that takes long
 */
export function journalContract(open: () => Promise<JournalSide>, changes: number, share = 1): void {
  let side: JournalSide
  let journal: Journal
  let events: RecordedEvent[]
  const companies = [newKey('company'), newKey('company')] as const
  const actors = [newKey('user'), newKey('token'), 'daybook']
  const records = ['tenant', 'contract', 'contractpart'].flatMap((object) =>
    Array.from({ length: 4 }, () => newKey(object)),
  )
  const streams = [...records, 'claim-tenant-Name-abc', 'numbering']

  beforeEach(async () => {
    side = await open()
    journal = side.journal
    events = []
  })
  afterEach(() => side.discard())

  /** A stream belongs to the company that has its number. The first position is that of `store.opened`. */
  const happen = async (all: readonly { stream: string; type: string; at: number; actor: string }[]) => {
    const versions = new Map<string, number>()
    for (const { stream, version } of events) versions.set(stream, version)
    const happened = all.map(({ stream, type, at, actor }, i): RecordedEvent => {
      const company = companies[streams.indexOf(stream) % 2] ?? companies[0]
      const event = newEvent({ company, type, metadata: { actor, at: new Date(at).toISOString() } })
      const version = (versions.get(stream) ?? 0) + 1
      versions.set(stream, version)
      return { ...event, stream, version, position: events.length + i + 2 }
    })
    await side.store(happened)
    events.push(...happened)
  }

  const random = async (seed: number) => {
    const one = fc.record({
      stream: fc.constantFrom(...streams),
      action: fc.constantFrom('updated', 'workflow.approved', 'workflowish'),
      back: fc.integer({ min: -3, max: 5 }),
      actor: fc.constantFrom(...actors),
    })
    let at = BEGIN
    await happen(
      fc.sample(one, { numRuns: 150, seed }).map(({ stream, action, back, actor }) => ({
        ...{ stream, actor, type: `${objectOfKey(stream) ?? 'claim'}.${action}` },
        at: (at += back * 1_000),
      })),
    )
  }

  /** The running maximum of the times of the company's records, as of the event at that position. */
  const shownAt = (company: string, position: number) =>
    Math.max(
      ...events
        .filter((one) => one.metadata.company === company && objectOfKey(one.stream) !== undefined)
        .filter((one) => one.position <= position)
        .map((one) => Date.parse(one.metadata.recordedAt)),
    )

  const matching = (company: string, filter: JournalFilter) =>
    events.filter(({ stream, type, position, metadata }) => {
      const at = shownAt(metadata.company, position)
      const { object, key, actor, event, from = -Infinity, to = Infinity } = filter
      if (metadata.company !== company || objectOfKey(stream) === undefined) return false
      if (object !== undefined && objectOfKey(stream) !== object) return false
      if ((key ?? stream) !== stream || (actor ?? metadata.actor) !== metadata.actor) return false
      if (event && !('name' in event ? type === event.name : type.startsWith(event.begin))) return false
      return at >= from && at <= to
    })

  const moment = fc.integer({ min: -5, max: 180 }).map((seconds) => BEGIN + seconds * 1_000)
  const terms = fc.record<JournalFilter>({
    object: fc.constantFrom('tenant', 'contract', 'contractpart', 'claim', 'nothing'),
    key: fc.constantFrom(...streams),
    actor: fc.constantFrom(...actors, 'nobody'),
    event: fc.oneof(
      fc.constantFrom('contract.updated', 'tenant.workflow.approved').map((name) => ({ name })),
      fc.constantFrom('contract.', 'contract.workflow', 'tenant.workflow.').map((begin) => ({ begin })),
    ),
    from: moment,
    to: moment,
  })
  // More of them at once, and hardly anything is found.
  const asked = fc.subarray(['object', 'key', 'actor', 'event', 'from', 'to'] as const, { maxLength: 2 })
  const filters = fc
    .tuple(terms, asked)
    .map(([all, names]): JournalFilter => Object.fromEntries(names.map((name) => [name, all[name]])))
  const pages: fc.Arbitrary<JournalPage> = fc
    .record(
      { after: fc.nat(150), upTo: fc.nat(160), descending: fc.boolean(), offset: fc.nat(5) },
      { requiredKeys: [] },
    )
    .chain((page) => fc.constantFrom(1, 7, 1_000).map((limit) => ({ ...page, limit })))

  it('counts and finds the events that are asked for, in order, page by page', async () => {
    await random(1)
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...companies), filters, pages, async (company, filter, page) => {
        const { after = 0, upTo = Infinity, descending = false, offset = 0, limit } = page
        // Counted without a gap, whatever happens in between.
        const ordinals = new Map(matching(company, {}).map(({ position }, i) => [position, i + 1]))
        const all = matching(company, filter).map((event) => ({
          ...event,
          ordinal: ordinals.get(event.position)!,
        }))
        const among = all.filter(({ position }) => position > after && position <= upTo)
        if (descending) among.reverse()
        expect(await journal.find(company, filter, page)).to.deep.equal(among.slice(offset, offset + limit))
        const counted = all.filter(({ position }) => position <= 100)
        expect(await journal.count(company, filter, 100)).to.equal(counted.length)
      }),
      { seed: 1, numRuns: Math.ceil(300 * share) },
    )
  })

  it('knows the last event of a moment, whatever the clock did', async () => {
    await random(2)
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...companies), moment, async (company, at) => {
        const last = matching(company, { to: at }).at(-1)
        expect(await journal.positionAt(company, at)).to.equal(last?.position ?? 0)
      }),
      { seed: 2, numRuns: Math.ceil(100 * share) },
    )
  })

  const last = (company: string, object: string, after: number): LatestChange[] =>
    matching(company, { object })
      .filter(({ position }) => position > after)
      .filter(({ stream, version }) => !events.some((one) => one.stream === stream && one.version > version))
      .map(({ position, stream: key, version, type }) => ({ position, key, version, type }))

  /** Page after page, as the feed goes on; `meanwhile` happens after each. */
  const walk = async (
    company: string,
    object: string,
    limit: number,
    after = 0,
    meanwhile = async () => {},
  ) => {
    const told: LatestChange[] = []
    for (;;) {
      const { changes, position, more } = await journal.latestChanges(company, object, after, limit)
      expect(changes.length).to.be.at.most(limit)
      if (more) expect(position).to.be.above(after)
      told.push(...changes)
      after = position
      if (!more) return { told, after }
      await meanwhile()
    }
  }

  it('tells each record that changed once, at its last event, in order', async () => {
    await random(3)
    for (const company of companies)
      for (const object of ['tenant', 'contract', 'contractpart', 'nothing'])
        for (const limit of [1, 2, 100])
          for (const after of [0, 40, 149, 150])
            expect((await walk(company, object, limit, after)).told).to.deep.equal(
              last(company, object, after),
            )
  })

  it('leaves out none that changes while others are told, and tells no version twice', async () => {
    await random(4)
    let n = 0
    const meanwhile = async () => {
      const stream = records[n++ % records.length]!
      if (n < 20)
        await happen([{ stream, type: `${objectOfKey(stream)!}.updated`, at: BEGIN, actor: actors[0]! }])
    }
    const { told, after } = await walk(companies[0], 'tenant', 1, 0, meanwhile)
    const versions = told.map(({ key, version }) => `${key} ${version}`)
    expect(new Set(versions).size).to.equal(versions.length)
    const rest = (await walk(companies[0], 'tenant', 1, after)).told
    const newest = new Map([...told, ...rest].map((change) => [change.key, change]))
    expect([...newest.values()]).to.have.deep.members(last(companies[0], 'tenant', 0))
  })

  it('hands out the events of some objects between two positions, in batches, and knows how many and the last', async () => {
    await random(5)
    const among = ['contract', 'contractpart', 'nothing', 'tenant']
    const range = fc.record({
      company: fc.constantFrom(...companies),
      objects: fc.subarray(among, { minLength: 1 }),
      after: fc.nat(150),
      upTo: fc.integer({ min: 1, max: 151 }),
    })
    await fc.assert(
      fc.asyncProperty(range, fc.constantFrom(1, 7, 1_000), async (asked, size) => {
        const expected = asked.objects
          .flatMap((object) => matching(asked.company, { object }))
          .filter(({ position }) => position > asked.after && position <= asked.upTo)
          .sort((one, other) => one.position - other.position)
        const found: RecordedEvent[] = []
        for await (const batch of side.ranges.batches(asked, size)) {
          expect(batch.length).to.be.within(1, size)
          found.push(...batch)
        }
        expect(found.map(({ id, position, stream }) => [id, position, stream])).to.deep.equal(
          expected.map(({ id, position, stream }) => [id, position, stream]),
        )
        expect(found.map(({ data, metadata }) => ({ data, metadata }))).to.deep.equal(
          expected.map(({ data, metadata }) => ({ data, metadata })),
        )
        expect(await side.ranges.count(asked)).to.equal(expected.length)
        expect(await side.ranges.last(asked)).to.equal(expected.at(-1)?.position ?? 0)
      }),
      { seed: 5, numRuns: Math.ceil(40 * share) },
    )
  })

  it(`gets past a record that has changed ${changes} times`, async () => {
    const [first, hot] = [records[0]!, records[2]!]
    const change = (stream: string) => ({ stream, type: 'tenant.updated', at: BEGIN, actor: actors[0]! })
    await happen([
      change(first),
      ...Array.from({ length: changes }, () => change(hot)),
      change(first),
      change(hot),
    ])
    const { told } = await walk(companies[0], 'tenant', 10)
    expect(told.map(({ key, version }) => [key, version])).to.deep.equal([
      [first, 2],
      [hot, changes + 1],
    ])
  })
}
