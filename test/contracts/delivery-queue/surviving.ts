/** What becomes of deliveries whose consumers fail, throw or die. */
import { expect } from 'chai'
import fc from 'fast-check'
import type { Delivery } from '../../../src/ports/delivery-queue.ts'
import { consumeAll, deliveries, delivery, has, settled, until } from './consuming.ts'
import { LIMIT, type OpenedQueue } from './opened-queue.ts'
import { otherProcess } from './other-process.ts'

export function survivingContract(given: OpenedQueue): void {
  const { adapter } = given

  describe('survives consumers that fail', () => {
    it('hands a delivery over again when its handler rejects', async () => {
      const { handed } = consumeAll(given.queue, {
        handle: async () => {
          if (handed.length < LIMIT) throw new Error('not this time')
          return 'done'
        },
      })
      await given.queue.enqueue([delivery('unlucky')])
      await until(() => handed.length >= LIMIT)
      await settled(given.queue)
      expect(given.troubles.join()).to.contain('unlucky')
    })

    it('abandons a delivery that fails every time, once its limit is reached', async () => {
      const { handed, abandoned } = consumeAll(given.queue, {
        handle: () => Promise.reject(new Error('never')),
      })
      await given.queue.enqueue([delivery('poison')])
      await until(() => abandoned.length > 0)
      expect(abandoned).to.deep.equal([delivery('poison')])
      expect(handed).to.have.length(LIMIT)
      await settled(given.queue)
    })

    it('counts failures in a row only', async () => {
      let tries = 0
      const { abandoned } = consumeAll(given.queue, {
        handle: async () => {
          if (++tries % 2 === 1) throw new Error('every other time')
          return tries < 2 * LIMIT ? { againInMs: 0 } : 'done'
        },
      })
      await given.queue.enqueue([delivery('shaky')])
      await until(() => tries >= 2 * LIMIT)
      await settled(given.queue)
      expect(abandoned).to.be.empty
    })

    it('lets a poisonous delivery hold up no other', async () => {
      const { handed, abandoned } = consumeAll(given.queue, {
        concurrency: 1,
        handle: async ({ id }) => {
          if (id === 'poison') throw new Error('never')
          return 'done'
        },
      })
      await given.queue.enqueue([delivery('poison'), ...deliveries(10)])
      await until(() => has(handed, deliveries(10)))
      await until(() => abandoned.length > 0)
    })

    it('offers an abandoned delivery until it is taken', async () => {
      let offers = 0
      consumeAll(given.queue, {
        handle: () => Promise.reject(new Error('never')),
        abandoned: async () => {
          if (++offers < 3) throw new Error('not now')
        },
      })
      await given.queue.enqueue([delivery('poison')])
      await until(() => offers >= 3)
      await settled(given.queue)
    })

    it('tells how many abandoned deliveries nobody has taken', async () => {
      let offered = false
      const { consumption } = consumeAll(given.queue, {
        handle: () => Promise.reject(new Error('never')),
        abandoned: async () => {
          offered = true
          throw new Error('not now')
        },
      })
      await given.queue.enqueue([delivery('poison')])
      await until(() => offered)
      await consumption.stop()
      await until(async () => (await given.queue.status()).abandoned === 1)
      expect(await given.queue.status()).to.deep.equal({ state: 'open', waiting: 0, abandoned: 1 })
    })

    it('hands what a killed process had under way to another consumer', async () => {
      await given.queue.enqueue(deliveries(5))
      const other = await otherProcess({ adapter, place: given.place, task: { hold: 3 } })
      expect(other.ids).to.have.length(3)
      const { handed } = consumeAll(given.queue)
      await other.kill()
      await until(() => has(handed, deliveries(5)))
    })

    it('abandons a delivery that kills every process that takes it', async () => {
      await given.queue.enqueue([delivery('killer')])
      for (let death = 0; death < LIMIT; death++) {
        const other = await otherProcess({ adapter, place: given.place, task: { hold: 1 } })
        expect(other.ids).to.deep.equal(['killer'])
        await other.kill()
      }
      const { handed, abandoned } = consumeAll(given.queue)
      await until(() => abandoned.length > 0)
      expect(handed).to.be.empty
    })

    it('brings every delivery to its end, whatever handlers do', async () => {
      const step = fc.oneof(
        { weight: 3, arbitrary: fc.constant('done' as const) },
        { weight: 2, arbitrary: fc.record({ againInMs: fc.integer({ min: 0, max: 150 }) }) },
        { weight: 1, arbitrary: fc.constant('failure' as const) },
      )
      const script = fc.tuple(fc.integer({ min: 0, max: 150 }), fc.array(step, { maxLength: 4 }))
      const scripts = fc.sample(fc.array(script, { minLength: 40, maxLength: 40 }), { numRuns: 1 })[0]!
      const ended = new Set<string>()
      const tries = new Map<string, number>()
      const end = ({ id }: Delivery) => void ended.add(id)
      consumeAll(given.queue, {
        concurrency: 7,
        handle: async (delivery) => {
          const turn = tries.get(delivery.id) ?? 0
          tries.set(delivery.id, turn + 1)
          const next = scripts[Number(delivery.id)]![1][turn] ?? 'done'
          if (next === 'failure') throw new Error('as told')
          if (next === 'done') end(delivery)
          return next
        },
        abandoned: async (delivery) => end(delivery),
      })
      await given.queue.enqueue(scripts.map(([delayMs], i) => ({ ...delivery(`${i}`), delayMs })))
      await until(() => ended.size === scripts.length)
      await settled(given.queue)
    })
  })
}
