/** What spares reads of a store that others write to: remembered states that are known to be current. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { recordStates } from '../../../src/commands/support/record-states.ts'
import { toldChanges } from '../../../src/commands/support/told-changes.ts'
import { Unavailable } from '../../../src/domain/errors.ts'
import type { Position } from '../../../src/domain/events/event.ts'
import { happened, record } from '../../support/given.ts'
import { gate, memoryEventStore, memoryLog, type Interference } from '../../support/memory-event-store.ts'
import { COMPANY, key } from '../../support/write-side.ts'

const ann = key('tenant', 1)

describe('the states of records that others change, too', () => {
  /** A process beside others: what they change is told when the test says so. */
  const openProcess = async () => {
    const log = memoryLog()
    const others = memoryEventStore({ log })
    await record(others, [happened(ann, 'tenant.created', { Name: 'Ann' })])
    const interference: Interference = {}
    const store = memoryEventStore({ log, interference })
    const counted = { reads: 0, looks: 0, patience: 0 }
    let now = 0
    let toldTo: Position = log.all().length
    let tell = (_stream: string, _version: number) => {}
    let head: () => Promise<Position> = () => store.head()
    const changes = toldChanges({
      events: {
        head: () => {
          counted.looks++
          return head()
        },
      },
      told: async (position, timeoutMs) => {
        counted.patience = timeoutMs
        return position <= toldTo
      },
      listen: (listener) => void (tell = listener),
      elapsed: () => now,
    })
    const states = recordStates({
      events: {
        read(company, stream, after) {
          counted.reads++
          return store.read(company, stream, after)
        },
      },
      onlyWriter: false,
      changes,
    })
    return {
      log,
      states,
      counted,
      interference,
      load: async () => (await states.load(COMPANY, ann)).fields['Name'],
      change: (Name: string) => record(others, [happened(ann, 'tenant.updated', { Name })]),
      tellAll() {
        for (const { stream, version, position } of log.all(toldTo)) {
          tell(stream, version)
          toldTo = position
        }
      },
      failHead: () => (head = () => Promise.reject(new Unavailable('gone'))),
      /** Looks do not end until what it returns is called. */
      holdHead() {
        const held = Promise.withResolvers<void>()
        head = async () => {
          const end = await store.head()
          await held.promise
          return end
        }
        return held.resolve
      },
      healHead: () => (head = () => store.head()),
      pass: (ms: number) => (now += ms),
    }
  }

  it('are read once, for as long as no change is told', async () => {
    const { load, counted } = await openProcess()
    for (let i = 0; i < 3; i++) expect(await load()).to.equal('Ann')
    expect(counted.reads).to.equal(1)
  })

  it('are read again after a change was told', async () => {
    const { load, change, tellAll, counted } = await openProcess()
    await load()
    await change('Bea')
    tellAll()
    expect([await load(), await load()]).to.deep.equal(['Bea', 'Bea'])
    expect(counted.reads).to.equal(2)
  })

  it('are read while a change is stored that has not been told yet: nothing older than the question is given', async () => {
    const { load, change, counted } = await openProcess()
    await load()
    await change('Bea')
    expect(await load()).to.equal('Bea')
    expect(counted.reads).to.equal(2)
  })

  it('are not what a read began before a change that was told meanwhile', async () => {
    const { load, change, tellAll, interference } = await openProcess()
    const held = gate()
    interference.read = () => held.hold()
    const slow = load()
    await held.reached
    await change('Bea')
    tellAll()
    delete interference.read
    held.open()
    expect(await slow).to.equal('Ann')
    expect(await load()).to.equal('Bea')
  })

  it('are read after a change of this process: another may have changed them again before it knew', async () => {
    const { load, change, tellAll, states, log } = await openProcess()
    const before = await states.load(COMPANY, ann)
    states.forget(ann)
    await change('Bea')
    const own = log.all().slice(-1)
    await change('Cem')
    tellAll()
    states.learn(ann, before, own)
    expect(await load()).to.equal('Cem')
  })

  it('are read when nobody can tell where the store ends, and for a while that is not even asked', async () => {
    const { load, failHead, healHead, pass, counted } = await openProcess()
    await load()
    failHead()
    expect([await load(), await load(), await load()]).to.deep.equal(['Ann', 'Ann', 'Ann'])
    expect(counted).to.include({ reads: 4, looks: 1 })
    healHead()
    pass(1_000)
    await load()
    expect(counted).to.include({ reads: 4, looks: 2 })
  })

  it('are waited for only briefly until everything was told once: a first copy of all events takes long', async () => {
    const { load, change, tellAll, counted, pass } = await openProcess()
    await change('Bea')
    await load()
    await load()
    expect(counted).to.include({ reads: 2, patience: 100 })
    tellAll()
    pass(1_000)
    await load()
    await load()
    expect(counted).to.include({ reads: 2, patience: 1_500 })
  })

  it('are confirmed for all who ask at a time by one look at the store', async () => {
    const { states, load, counted } = await openProcess()
    await load()
    await Promise.all(Array.from({ length: 50 }, () => states.load(COMPANY, ann)))
    expect(counted).to.include({ reads: 1, looks: 1 })
  })

  it('share the next look while one is under way, which may not know what was stored since', async () => {
    const { load, counted, holdHead, change, tellAll } = await openProcess()
    await load()
    const release = holdHead()
    const first = load()
    while (counted.looks === 0) await nextTurn()
    const later: Promise<unknown>[] = []
    for (let turn = 0; turn < 5; turn++) {
      later.push(load())
      await nextTurn()
    }
    await change('Bea')
    tellAll()
    expect(counted.looks).to.equal(1)
    release()
    await first
    expect(await Promise.all(later)).to.deep.equal(Array(5).fill('Bea'))
    expect(counted.looks).to.equal(2)
  })

  it('are never another company’s', async () => {
    const { states, load } = await openProcess()
    await load()
    expect((await states.load('company-2', ann)).status).to.equal('absent')
    expect(await load()).to.equal('Ann')
  })
})
