/**
 * What follows the events live, in batches of any size, with events that come twice and a restart on the way, is what is
 * built anew from all of them; and both are what the events say. For histories that nobody thought of.
 */
import { expect } from 'chai'
import { recordDocument } from '../../src/domain/records/document.ts'
import type { Company, RecordedEvent } from '../../src/domain/events/event.ts'
import { objectOfKey } from '../../src/domain/records/key.ts'
import { absent, evolve, type RecordState } from '../../src/domain/records/record.ts'
import { hasWords, searchedText } from '../../src/domain/search/searched-text.ts'
import type { EventBatch } from '../../src/ports/event-store.ts'
import type { ProjectionStore } from '../../src/ports/projection-store.ts'
import { followEvents } from '../../src/projections/follow.ts'
import { readModelProjections } from '../../src/projections/read-model-projections.ts'
import { sampleDefinitions as definitions } from '../support/sample-definitions.ts'
import { ask } from './read-side/ask.ts'
import type { OpenReadSide, ReadSide } from './read-side/side.ts'
import { COMPANIES, deliveries, randomHistory } from './warehouse/random-history.ts'

const WORDS = ['anna', 'uni', 'q', '1', 'line', 'con']

export function liveAndRebuiltContract(open: OpenReadSide): void {
  const follow = async (store: ProjectionStore, batches: readonly (readonly RecordedEvent[])[]) => {
    const told = Promise.withResolvers<void>()
    const troubles: unknown[] = []
    const follower = await followEvents({
      events: {
        async *subscribe(): AsyncGenerator<EventBatch> {
          for (const events of batches) yield { events, position: events.at(-1)!.position }
          told.resolve()
        },
      },
      store,
      projections: readModelProjections(definitions),
      onStatus: () => {},
      onTrouble: (message, error) => {
        troubles.push(message, error)
        told.resolve()
      },
    })
    await told.promise
    await follower.stop()
    expect(troubles).to.deep.equal([])
    await store.settled()
  }

  const copyOf = async ({ readModels }: ReadSide, company: Company) => {
    const of = { readModels, definitions, company }
    const lists: Record<string, readonly string[]> = {}
    for (const object of definitions.keys())
      lists[object] = (await ask(of, object, { sort: 'Id' })).records.map(({ json }) => json)
    const found: Record<string, readonly string[]> = {}
    for (const search of WORDS)
      for (const object of ['contract', 'tenant'])
        found[`${object} ${search}`] = (await ask(of, object, { search, sort: 'Id' })).records.map(
          ({ key }) => key,
        )
    return { lists, found }
  }

  /** The same, by folding the events and looking at each record. */
  const toldBy = (events: readonly RecordedEvent[], company: Company): Awaited<ReturnType<typeof copyOf>> => {
    const states = new Map<string, RecordState>()
    for (const event of events)
      if (event.metadata.company === company && objectOfKey(event.stream) !== undefined)
        states.set(event.stream, evolve(states.get(event.stream) ?? absent, event))
    const live = (object: string) =>
      [...states]
        .filter(([key, { status }]) => objectOfKey(key) === object && status === 'live')
        .map(([key, { fields, createdAt, modifiedAt }]) => {
          const definition = definitions.get(object)!
          const displayOf = (of: string, looked: string) =>
            states.get(looked)?.fields[definitions.get(of)!.display] ?? null
          return recordDocument({ definition, definitions, key, fields, createdAt, modifiedAt, displayOf })
        })
        .toSorted((one, other) => ((one['Id'] as string) < (other['Id'] as string) ? -1 : 1))
    const lists: Record<string, readonly string[]> = {}
    for (const object of definitions.keys()) lists[object] = live(object).map((one) => JSON.stringify(one))
    const found: Record<string, readonly string[]> = {}
    for (const search of WORDS)
      for (const object of ['contract', 'tenant'])
        found[`${object} ${search}`] = live(object)
          .filter((record) => hasWords(searchedText(definitions.get(object)!, record), [search]))
          .map((record) => record['Id'] as string)
    return { lists, found }
  }

  for (const size of [1, 7, 1_000])
    it(`is one and the same, followed ${size} at a time with every tenth event twice`, async function () {
      this.timeout(120_000)
      const events = randomHistory(`live ${size}`, 160)
      let live = await open(definitions)
      const rebuilt = await open(definitions)
      try {
        const batches = deliveries(events, size)
        const half = Math.floor(batches.length / 2)
        await follow(live.store, batches.slice(0, half))
        live = await live.reopen()
        // What came last before the restart comes again.
        await follow(live.store, batches.slice(Math.max(0, half - 2)))
        await follow(rebuilt.store, [events])
        for (const company of COMPANIES) {
          const expected = toldBy(events, company)
          expect(await copyOf(rebuilt, company), 'rebuilt').to.deep.equal(expected)
          expect(await copyOf(live, company), 'live').to.deep.equal(expected)
          expect(expected.lists['contract']!.length).to.be.greaterThan(5)
          expect(Object.values(expected.found).some((keys) => keys.length > 0)).to.equal(true)
        }
        for (const side of [live, rebuilt])
          for (const projection of ['records', 'search'])
            expect(await side.store.position(projection)).to.equal(events.at(-1)!.position)
      } finally {
        await live.discard()
        await rebuilt.discard()
      }
    })
}
