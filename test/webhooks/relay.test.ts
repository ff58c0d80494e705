/** How deliveries are kept going: by hints while there is a broker, by this process alone while there is none. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { Unavailable } from '../../src/domain/errors.ts'
import type { Hints } from '../../src/ports/hints.ts'
import { hintsInProcess } from '../../src/webhooks/hints-in-process.ts'
import { startRelay, type Relay, type RelayOptions } from '../../src/webhooks/relay.ts'

const ends = { key: 'webhook-1', company: 'company-1' }

describe('the relay', () => {
  let relay: Relay
  afterEach(() => relay.stop())

  const start = (more: Partial<RelayOptions>, outbox: Partial<RelayOptions['outbox']> = {}) => {
    const told: string[] = []
    relay = startRelay({
      definitions: new Map(),
      events: { read: async () => [], subscribe: async function* () {} },
      outbox: {
        leads: () => true,
        waiting: async () => [],
        endpoint: async () => undefined,
        replays: async () => [],
        advance: async () => {},
        purge: async () => 0,
        ...outbox,
      },
      drains: { wake: () => false, drain: async () => undefined },
      onTrouble: (message, error) => void told.push(`${message} ${(error as Error).message}`),
      ...more,
    })
    return told
  }

  it('reports once that hints cannot be published, until they can be again, and sends by itself', async () => {
    let isAway = true
    const drained: string[] = []
    const broker: Hints = {
      ...hintsInProcess(),
      publish: async () => {
        if (isAway) throw new Unavailable('no connection')
      },
    }
    const told = start({
      broker,
      drains: { wake: () => false, drain: async (key) => void drained.push(key) },
    })
    const fill = async (count: number) => {
      for (let i = 0; i < count; i++) relay.filled([{ ...ends, key: `webhook-${i}` }])
      for (let i = 0; i < 5; i++) await nextTurn()
    }
    await fill(100)
    await fill(100)
    expect(told).to.deep.equal([
      'Hints cannot be published: this process sends what it finds in the outbox. no connection',
    ])
    expect(new Set(drained).size, 'without the broker').to.equal(100)
    isAway = false
    await fill(1)
    isAway = true
    await fill(2)
    expect(told).to.have.length(2)
  })

  it('asks the broker, not itself, while there is one', async () => {
    const published: string[] = []
    const broker: Hints = {
      ...hintsInProcess(),
      publish: async (hints) => void published.push(...hints.map(({ endpoint }) => endpoint)),
    }
    const drain = () => Promise.reject(new Error('nobody was to drain'))
    start({ broker, drains: { wake: (key) => key === 'webhook-awake', drain } })
    relay.filled([ends, { ...ends, key: 'webhook-awake' }])
    await nextTurn()
    expect(published).to.deep.equal(['webhook-1'])
  })

  it('finds what nobody told of, and comes again when the endpoint says so', async () => {
    const drained: string[] = []
    const again = Promise.withResolvers<void>()
    const drain = async (key: string) => {
      drained.push(key)
      if (drained.length === 2) again.resolve()
      return drained.length === 1 ? 1 : undefined
    }
    start({ drains: { wake: () => false, drain } }, { waiting: async () => [ends] })
    await again.promise
    expect(drained).to.deep.equal(['webhook-1', 'webhook-1'])
  })

  it('leaves what is due much later to the sweep', async () => {
    let drained = 0
    // No timer of the platform waits for so long: it would end at once.
    const drain = async () => {
      drained++
      return 2 ** 31
    }
    start({ drains: { wake: () => false, drain } })
    relay.filled([ends])
    for (const end = performance.now() + 50; performance.now() < end;) await nextTurn()
    expect(drained).to.equal(1)
  })

  it('goes on after an endpoint that cannot be drained, and reports it', async () => {
    const drained = Promise.withResolvers<void>()
    const drain = async (key: string) => {
      if (key === 'webhook-1') throw new Error('it is broken')
      drained.resolve()
      return undefined
    }
    const told = start({ drains: { wake: () => false, drain } })
    relay.filled([ends, { ...ends, key: 'webhook-2' }])
    await drained.promise
    await nextTurn()
    expect(told).to.deep.equal(['deliveries to webhook-1 cannot be made for now it is broken'])
  })

  it('sweeps on while there is no end to what is old', async () => {
    let purged = 0
    const swept = Promise.withResolvers<void>()
    start({ upkeep: async () => swept.resolve() }, { purge: async () => ++purged })
    await swept.promise
    relay.sweepNow()
    expect(purged).to.be.greaterThan(0)
  })

  it('looks at once for what was asked for, also where the next look is an hour away', async () => {
    let purged = 0
    const again = Promise.withResolvers<void>()
    const purge = async () => {
      if (++purged === 2) again.resolve()
      return 0
    }
    const swept = Promise.withResolvers<void>()
    start({ upkeep: async () => swept.resolve() }, { purge })
    await swept.promise
    await nextTurn()
    relay.sweepNow()
    await again.promise
  })

  it('gives the broker no more hints while as many wait there as endpoints do', async () => {
    let published = 0
    let waiting = 1
    const broker: Hints = {
      ...hintsInProcess(),
      publish: async () => void published++,
      status: async () => ({ state: 'open', waiting }),
    }
    const swept = { on: () => {} }
    const sweep = () => new Promise<void>((resolve) => (swept.on = resolve))
    const first = sweep()
    start({ broker, upkeep: async () => swept.on() }, { waiting: async () => [ends] })
    await first
    expect(published).to.equal(0)
    waiting = 0
    const second = sweep()
    relay.sweepNow()
    await second
    expect(published).to.equal(1)
  })

  for (const [what, leads, state, looks] of [
    ['the process that leads looks for what is due', true, 'open', true],
    ['another leaves that to it while there is a broker', false, 'open', false],
    ['and looks itself while the broker is away', false, 'unreachable', true],
  ] as const)
    it(what, async () => {
      let looked = false
      const swept = Promise.withResolvers<void>()
      const broker: Hints = { ...hintsInProcess(), status: async () => ({ state }) }
      const waiting = async () => {
        looked = true
        return []
      }
      start({ broker, upkeep: async () => swept.resolve() }, { leads: () => leads, waiting })
      await swept.promise
      expect(looked).to.equal(looks)
    })
})
