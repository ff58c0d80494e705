import { expect } from 'chai'
import { caughtUp } from '../../src/projections/caught-up.ts'
import type { RecordedEvent } from '../../src/domain/events/event.ts'
import type { ProjectionStatus } from '../../src/ports/read-models.ts'
import { sampleDefinitions } from '../support/sample-definitions.ts'

/** A start whose read models stand as told, one look after the other; the last stays. */
function start(looks: readonly (readonly ProjectionStatus[])[], stream = 'tenant-x') {
  const logged: object[] = []
  let look = 0
  const statuses = () => looks[Math.min(look, looks.length - 1)]!
  const event = { position: 3, stream } as RecordedEvent
  return {
    logged,
    looked: () => look,
    ready: caughtUp({
      events: {
        head: async () => 5,
        async *subscribe(after) {
          expect(after, 'a position that the store has given out').to.equal(2)
          yield { events: [], position: 2 }
          yield { events: [event], position: 5 }
          await new Promise(() => {})
        },
      },
      readModels: {
        async reached(position) {
          const there = statuses().every((one) => one.position >= position)
          if (!there) look++
          return there
        },
        status: async () => statuses(),
      },
      otherLog: async () => undefined,
      definitions: sampleDefinitions,
      log: { debug: () => {}, info: () => {}, warn: () => {}, error: (fields) => void logged.push(fields) },
    }),
  }
}

const live = (name: string, position: number): ProjectionStatus => ({ name, position, state: 'live' })
const parked = (name: string): ProjectionStatus => ({
  name,
  position: 2,
  state: 'parked',
  error: { position: 3, message: 'why' },
})
const KEY = 'nothere-01hzy8v1q4n7k2m5p8r1t4w7z0'

describe('a start', () => {
  it('is over when the read models show all that is stored', async () => {
    const { ready, logged, looked } = start([
      [live('records', 0)],
      [live('records', 4)],
      [live('records', 5)],
    ])
    await ready
    expect([looked(), logged]).to.deep.equal([2, []])
  })

  it('is over when they show all that they can, and says what they cannot', async () => {
    const { ready, logged, looked } = start([
      [parked('records'), live('warehouse', 1)],
      [parked('records'), live('warehouse', 4)],
      [parked('records'), live('warehouse', 5)],
    ])
    await ready
    expect(looked()).to.be.at.least(3)
    expect(logged).to.deep.equal([{ parked: [{ name: 'records', position: 3, message: 'why' }] }])
  })

  it('fails when records have no definition', async () => {
    const { ready } = start([[parked('records')]], KEY)
    const message = await ready.then(
      () => 'it is over',
      (error: Error) => error.message,
    )
    expect(message).to.include('the object nothere').and.include(KEY).and.include('DEFINITIONS_DIR')
  })

  it('is over, without everything, when nobody applies events to what was once whole', async () => {
    const { ready, looked } = start([[{ ...live('records', 3), isBuilt: true }]])
    await ready
    expect(looked()).to.equal(11)
  })

  it('is not over while what stands still is built for the first time', async () => {
    const { ready, looked } = start([
      ...Array.from({ length: 30 }, () => [live('records', 3)]),
      [live('records', 5)],
    ])
    await ready
    expect(looked()).to.equal(30)
  })
})
