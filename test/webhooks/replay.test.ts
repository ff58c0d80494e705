/** What a replay sends: exactly the span that was asked for, in turns, to endpoints that are on. */
import { expect } from 'chai'
import type { RecordedEvent } from '../../src/domain/events/event.ts'
import type { Replay } from '../../src/ports/delivery-log.ts'
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

describe('a replay', () => {
  /** Works off replays of ten events, one event a batch, and answers the positions sent by each. */
  const work = async (
    replays: readonly (Partial<Replay> & { position: number })[],
    {
      endpoint = endpointOf('a'),
      turns = 1,
      ms = 0,
      batch = 1,
    }: { endpoint?: Endpoint; turns?: number; ms?: number; batch?: number } = {},
  ) => {
    const sent: string[] = []
    const open = new Map(
      replays.map((replay, i) => [
        `r${i}`,
        { id: `r${i}`, company: COMPANY, endpoint: 'a', until: 10, ...replay },
      ]),
    )
    const note = (id: string, changes: readonly OutboxChange[]) =>
      changes.forEach((one) => one.op === 'send' && sent.push(`${id}:${one.message.position}`))
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
    return { sent, left: [...open.keys()], isMore }
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
      expect(await work([{ position: 6 }], { endpoint })).to.deep.equal({
        sent: [],
        left: ['r0'],
        isMore: false,
      })
  })

  it('whose filter does not fit the definitions is left for later, not tried at once', async () => {
    const endpoint = endpointOf('a', { filter: 'Nonsense eq 1' })
    expect(await work([{ position: 6 }], { endpoint })).to.deep.equal({
      sent: [],
      left: ['r0'],
      isMore: false,
    })
  })
})
