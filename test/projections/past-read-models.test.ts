/** Records as of any moment are what a replay that ends there shows, for histories that nobody thought of. */
import { expect } from 'chai'
import { objectOfKey } from '../../src/domain/records/key.ts'
import { pastReadModels } from '../../src/projections/past-read-models.ts'
import { readModelProjections } from '../../src/projections/read-model-projections.ts'
import { COMPANIES, randomHistory } from '../contracts/warehouse/random-history.ts'
import { memoryEventStore, memoryLog } from '../support/memory-event-store.ts'
import { memoryReadSide } from '../support/memory-read-side.ts'
import { sampleDefinitions as definitions } from '../support/sample-definitions.ts'

describe('a record as of a moment', () => {
  for (const seed of ['one', 'two', 'three'])
    it(`is what a replay up to then shows (history ${seed})`, async () => {
      const log = memoryLog()
      const events = memoryEventStore({ log })
      for (const { stream, version, metadata, ...event } of randomHistory(`past ${seed}`, 150)) {
        if (objectOfKey(stream) === undefined) continue
        await events.append({
          ...{ company: metadata.company, stream, expected: version - 1 },
          events: [{ id: crypto.randomUUID(), type: event.type, data: event.data, metadata }],
        })
      }
      const all = log.all()
      const keys = [...new Set(all.map(({ stream }) => stream))]
      const lists = {
        list: () => Promise.reject(new Error('only records are asked for')),
        close: async () => {},
      }
      const replay = memoryReadSide(definitions)
      let compared = 0
      for (const event of all) {
        for (const { name, project } of readModelProjections(definitions)) {
          const steps = [{ position: event.position, operations: project(event) }]
          await replay.store.apply([{ projection: name, steps }], event.position)
        }
        await replay.store.settled()
        if (event.position % 7 > 0) continue
        for (const company of COMPANIES) {
          const past = pastReadModels({ definitions, events, lists }, company, event.position)
          for (const key of keys) {
            const object = objectOfKey(key)!
            const shown = await replay.get(company, object, key)
            expect(await past.get(company, object, key), `${key} at ${event.position}`).to.deep.equal(shown)
            if (shown) compared++
          }
        }
      }
      expect(compared).to.be.greaterThan(200)
    })
})
