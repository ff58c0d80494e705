/** What a replay sends: exactly the span that was asked for, in turns, to endpoints that are on. */
import { expect } from 'chai'
import { NotYet } from '../../src/domain/errors.ts'
import type { Fields } from '../../src/domain/json.ts'
import type { RecordedEvent } from '../../src/domain/events/event.ts'
import type { Replay } from '../../src/ports/delivery-log.ts'
import type { EventRanges } from '../../src/ports/journal.ts'
import type { Endpoint, OutboxChange } from '../../src/ports/outbox.ts'
import { workOffReplays } from '../../src/webhooks/replay.ts'
import { COMPANY, endpointOf } from '../support/endpoints.ts'
import { newEvent } from '../support/events.ts'
import { sampleDefinitions } from '../support/sample-definitions.ts'

/** Of a day of March for each position. */
const at = (position: number) => `2026-03-${String(position).padStart(2, '0')}T12:00:00.000Z`
const tenant = (position: number, company = COMPANY): RecordedEvent => ({
  ...newEvent({ company, type: 'tenant.created', data: { Name: 'Ada' }, metadata: { at: at(position) } }),
  stream: `tenant-${String(position).padStart(26, '0')}`,
  version: 1,
  position,
})

/** Ten events of one company among those of another, as the journal has them. */
const journal: Pick<EventRanges, 'batches'> = {
  async *batches({ company, objects, after, upTo }, size) {
    if (upTo > 10) throw new NotYet('the journal has not come as far')
    expect(objects).to.include.members(['tenant', 'contract'])
    const all = Array.from({ length: 10 }, (_, i) => tenant(i + 1, i === 4 ? 'other' : COMPANY))
    const own = all.filter(
      ({ position, metadata }) => position > after && position <= upTo && metadata.company === company,
    )
    for (let at = 0; at < own.length; at += size) yield own.slice(at, at + size)
  },
}

describe('a replay', () => {
  /** Works off replays of ten events, one event a batch, and answers the positions sent by each. */
  const work = async (
    replays: readonly (Partial<Replay> & { position: number })[],
    {
      endpoint = endpointOf('a'),
      turns = 1,
      ms = 0,
      batch = 1,
      from,
    }: {
      endpoint?: Endpoint
      turns?: number
      ms?: number
      batch?: number
      from?: Pick<EventRanges, 'batches'>
    } = {},
  ) => {
    const sent: string[] = []
    const bodies: Fields[] = []
    const open = new Map(
      replays.map((replay, i) => [
        `r${i}`,
        { id: `r${i}`, company: COMPANY, endpoint: 'a', until: 10, ...replay },
      ]),
    )
    const note = (id: string, changes: readonly OutboxChange[]) => {
      for (const one of changes) {
        if (one.op !== 'send') continue
        sent.push(`${id}:${one.message.position}`)
        bodies.push(JSON.parse(one.message.body) as Fields)
      }
    }
    let elapsed = 0
    let isMore = false
    for (let i = 0; i < turns; i++)
      isMore = await workOffReplays({
        definitions: sampleDefinitions,
        events: {
          read: async () => [],
          async *subscribe(after) {
            for (let first = after + 1; first <= 10; first += batch) {
              const events = Array.from({ length: batch }, (_, i) => tenant(first + i))
              yield { events, position: first + batch - 1 }
            }
            await new Promise(() => {}) // the end of the log
          },
        },
        journal: from,
        outbox: {
          replays: async () => [...open.values()],
          endpoint: async () => endpoint,
          async advance(id, changes, position, done) {
            note(id, changes)
            if (done) open.delete(id)
            else open.set(id, { ...open.get(id)!, position })
          },
        },
        onFilled: () => {},
        signal: new AbortController().signal,
        waitMs: 5,
        elapsed: () => (elapsed += ms),
      })
    return { sent, left: [...open.keys()], isMore, bodies }
  }

  it('of one event sends exactly that one', async () =>
    expect(await work([{ position: 6, until: 7 }])).to.deep.include({ sent: ['r0:7'], left: [] }))

  it('ends where it is to end, also within a batch', async () =>
    expect(await work([{ position: 0, until: 3 }], { batch: 10 })).to.deep.include({
      sent: ['r0:1', 'r0:2', 'r0:3'],
      left: [],
    }))

  it('of a span of time has what happened at its beginning, and not what happened at its end', async () =>
    expect(await work([{ position: 0, from: at(3), to: at(5) }])).to.deep.include({
      sent: ['r0:3', 'r0:4'],
      left: [],
    }))

  it('for which no event comes waits no longer than the others can bear', async () => {
    const { sent, left } = await work([
      { position: 10, until: 12 },
      { position: 9, company: 'other' },
    ])
    expect({ sent, left }, 'one is done').to.deep.equal({ sent: [], left: ['r0'] })
  })

  it('reads the events of its own company, where a journal has them by themselves', async () => {
    const asked = { from: journal }
    expect(await work([{ position: 3, until: 7 }], asked)).to.deep.include({
      sent: ['r0:4', 'r0:6', 'r0:7'],
      left: [],
    })
    expect(await work([{ position: 0, company: 'other' }], asked)).to.deep.include({
      sent: ['r0:5'],
      left: [],
    })
    expect(await work([{ position: 0, from: at(9) }], asked)).to.deep.include({
      sent: ['r0:9', 'r0:10'],
      left: [],
    })
  })

  it('sends each event with what was looked up as it was then', async () => {
    const [ada] = [tenant(1)]
    const renamed = {
      ...newEvent({ type: 'tenant.updated', data: { Name: 'Ada Lovelace' } }),
      stream: ada.stream,
    }
    const contract = `contract-${'0'.repeat(26)}`
    const own = (data: Fields, type: string) => ({ ...newEvent({ type, data }), stream: contract })
    const all: RecordedEvent[] = [
      ada,
      { ...own({ Tenant: ada.stream }, 'contract.created'), version: 1, position: 2 },
      { ...renamed, version: 2, position: 3 },
      { ...own({ Notes: 'x' }, 'contract.updated'), version: 2, position: 4 },
    ].map((event) => ({ ...event, metadata: { ...event.metadata, company: COMPANY } }))
    const from: Pick<EventRanges, 'batches'> = {
      async *batches() {
        yield all
      },
    }
    const { bodies } = await work([{ position: 0, until: 4 }], { from })
    expect(bodies.map(({ Data }) => (Data as Fields)['Tenant'] ?? (Data as Fields)['Name'])).to.deep.equal([
      'Ada',
      { Id: ada.stream, Name: 'Ada' },
      'Ada Lovelace',
      { Id: ada.stream, Name: 'Ada Lovelace' },
    ])
  })

  it('waits for a journal that has not come as far, and holds up no other', async () => {
    const { sent, left } = await work(
      [
        { position: 8, until: 12 },
        { position: 0, company: 'other' },
      ],
      {
        from: journal,
      },
    )
    expect({ sent, left }).to.deep.equal({ sent: ['r1:5'], left: ['r0'] })
  })

  it('of nothing sends nothing, and is done', async () =>
    expect(await work([{ position: 7, until: 7 }])).to.deep.include({ sent: [], left: [] }))

  it('goes on in turns, each bounded in time, one of each company', async () => {
    const first = await work([{ position: 0 }, { position: 0 }, { position: 5, company: 'other' }], {
      ms: 400,
    })
    expect(first.sent).to.deep.equal(['r0:1', 'r0:2'])
    expect(first.isMore).to.equal(true)
    const all = await work([{ position: 0 }, { position: 8 }], { ms: 400, turns: 6 })
    expect(all.left).to.deep.equal([])
    expect(all.sent).to.have.length(12)
  })

  it('to an endpoint that is off, or held back, waits', async () => {
    for (const endpoint of [endpointOf('a', { active: false }), endpointOf('a', { heldFrom: 3 })])
      expect(await work([{ position: 6 }], { endpoint })).to.deep.include({
        sent: [],
        left: ['r0'],
        isMore: false,
      })
  })

  it('whose filter does not fit the definitions is left for later, not tried at once', async () => {
    const endpoint = endpointOf('a', { filter: 'Nonsense eq 1' })
    expect(await work([{ position: 6 }], { endpoint })).to.deep.include({
      sent: [],
      left: ['r0'],
      isMore: false,
    })
  })
})
