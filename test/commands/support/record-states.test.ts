import { expect } from 'chai'
import { recordStates } from '../../../src/commands/support/record-states.ts'
import type { EventStore } from '../../../src/ports/event-store.ts'
import { happened, record } from '../../support/given.ts'
import { COMPANY, key } from '../../support/write-side.ts'
import { gate, memoryEventStore, memoryLog, type Interference } from '../../support/memory-event-store.ts'

const [ann, bea, cem] = [1, 2, 3].map((number) => key('tenant', number)) as [string, string, string]

describe('the states of records', () => {
  /** A store with three tenants, and the reads that it is asked for: `<key> after <version>`. */
  const openStore = async (interference: Interference = {}) => {
    const log = memoryLog()
    const store = memoryEventStore({ log, interference })
    await record(
      memoryEventStore({ log }),
      [ann, bea, cem].map((one) => happened(one, 'tenant.created', { Name: one })),
    )
    const reads: string[] = []
    const events: Pick<EventStore, 'read'> = {
      read(company, stream, after) {
        reads.push(`${stream} after ${after}`)
        return store.read(company, stream, after)
      },
    }
    return { log, events, reads }
  }
  const change = (log: ReturnType<typeof memoryLog>, Name: string) =>
    record(memoryEventStore({ log }), [happened(ann, 'tenant.updated', { Name })])

  it('are folded from the stream, once, when nobody else writes', async () => {
    const { events, reads } = await openStore()
    const states = recordStates({ events, onlyWriter: true })
    const state = await states.load(COMPANY, ann)
    expect(state).to.deep.include({ status: 'live', version: 1, fields: { Name: ann } })
    expect(await states.load(COMPANY, ann)).to.equal(state)
    expect(reads).to.deep.equal([`${ann} after 0`])
  })

  it('are asked for what came after, when others write too', async () => {
    const { log, events, reads } = await openStore()
    const states = recordStates({ events, onlyWriter: false })
    await states.load(COMPANY, ann)
    await change(log, 'Ann')
    expect((await states.load(COMPANY, ann)).fields).to.deep.equal({ Name: 'Ann' })
    expect(reads).to.deep.equal([`${ann} after 0`, `${ann} after 1`])
  })

  it('are what this process has made of them', async () => {
    const { log, events, reads } = await openStore()
    const states = recordStates({ events, onlyWriter: true })
    const before = await states.load(COMPANY, ann)
    await change(log, 'Ann')
    const learnt = states.learn(ann, before, log.all().slice(-1))
    expect(learnt).to.deep.include({ version: 2, fields: { Name: 'Ann' } })
    expect(await states.load(COMPANY, ann)).to.equal(learnt)
    expect(reads).to.have.length(1)
  })

  it('are read again when they are forgotten', async () => {
    const { log, events } = await openStore()
    const states = recordStates({ events, onlyWriter: true })
    await states.load(COMPANY, ann)
    await change(log, 'Ann')
    expect((await states.load(COMPANY, ann)).version).to.equal(1)
    states.forget(ann)
    expect((await states.load(COMPANY, ann)).version).to.equal(2)
  })

  it('are absent to other companies, remembered or not, and that is not remembered', async () => {
    const { events } = await openStore()
    const states = recordStates({ events, onlyWriter: true })
    const status = async (company: string) => (await states.load(company, ann)).status
    expect([
      await status('company-2'),
      await status(COMPANY),
      await status('company-2'),
      await status(COMPANY),
    ]).to.deep.equal(['absent', 'live', 'absent', 'live'])
  })

  it('are seen as soon as they are there: absence is not remembered', async () => {
    const { log, events } = await openStore()
    const states = recordStates({ events, onlyWriter: true })
    const dan = key('tenant', 4)
    expect((await states.load(COMPANY, dan)).status).to.equal('absent')
    await record(memoryEventStore({ log }), [happened(dan, 'tenant.created')])
    expect((await states.load(COMPANY, dan)).status).to.equal('live')
  })

  it('are fewer where they are large', async () => {
    const { log, events, reads } = await openStore()
    await record(memoryEventStore({ log }), [
      happened(bea, 'tenant.updated', {
        Name: 'b',
        Notes: 'x'.repeat(40_000),
        Address: { Street: 'y'.repeat(40_000) },
      }),
    ])
    const states = recordStates({ events, onlyWriter: true, capacity: 20 })
    for (const key of [ann, bea, ann, bea]) await states.load(COMPANY, key)
    expect(reads).to.have.length(2)
    await states.load(COMPANY, cem) // beside a state that takes more than half of what there is
    reads.length = 0
    for (const key of [cem, bea, cem, bea]) await states.load(COMPANY, key)
    expect(reads).to.have.length(0)
    await states.load(COMPANY, ann)
    expect(reads).to.deep.equal([`${ann} after 0`])
  })

  it('are remembered up to the capacity: the one not used for longest goes', async () => {
    const { events, reads } = await openStore()
    const states = recordStates({ events, onlyWriter: true, capacity: 2 })
    for (const one of [ann, bea, ann, cem, ann, bea]) await states.load(COMPANY, one)
    expect(reads).to.deep.equal([ann, bea, cem, bea].map((one) => `${one} after 0`))
  })

  it('never fall back to what a slow reading has found', async () => {
    const held = gate()
    const interference: Interference = {}
    const { log, events } = await openStore(interference)
    const states = recordStates({ events, onlyWriter: true })
    const before = await states.load(COMPANY, ann)
    states.forget(ann)
    interference.read = () => held.hold()
    const slow = states.load(COMPANY, ann)
    await held.reached
    await change(log, 'Ann')
    states.learn(ann, before, log.all().slice(-1))
    held.open()
    await slow
    expect((await states.load(COMPANY, ann)).fields).to.deep.equal({ Name: 'Ann' })
  })
})
