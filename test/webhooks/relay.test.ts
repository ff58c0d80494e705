import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import type { Outbox } from '../../src/ports/outbox.ts'
import { startRelay } from '../../src/webhooks/relay.ts'

describe('hints for the queue', () => {
  it('that cannot be given are told of once, until they can be again', async () => {
    const outbox = {
      waiting: async () => [],
      replays: async () => [],
      purge: async () => 0,
    } as unknown as Outbox
    let isAway = false
    const told: string[] = []
    const relay = startRelay({
      definitions: new Map(),
      events: { read: async () => [], subscribe: async function* () {} },
      outbox,
      drains: { wake: () => false },
      enqueue: async () => {
        if (isAway) throw new Error('no connection')
      },
      onTrouble: (message, error) => void told.push(`${message}: ${(error as Error).message}`),
    })
    const hints = async (count: number) => {
      for (let i = 0; i < count; i++) relay.filled([{ key: `webhook-${i}`, company: 'company-1' }])
      await nextTurn()
    }
    isAway = true
    await hints(100)
    await hints(100)
    expect(told).to.deep.equal([
      'hints cannot be enqueued for now; the next sweep repeats them: no connection',
    ])
    isAway = false
    await hints(1)
    isAway = true
    await hints(2)
    expect(told).to.have.length(2)
    await relay.stop()
  })
})
