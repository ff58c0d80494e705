/**
 * What every delivery queue must do. Adapters run this; they never copy it.
 *
 * A hint may come twice, so nothing here counts hand-overs where a fault could add one. Delays are real and short; no
 * test says that something is early enough, only that it is not too early, or that it comes at all.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { setTimeout as sleep } from 'node:timers/promises'
import { Unavailable } from '../../src/domain/errors.ts'
import { LONGEST_DELAY_MS, type Delivery, type DeliveryQueue } from '../../src/ports/delivery-queue.ts'
import {
  caught,
  consumeAll,
  deliveries,
  delivery,
  has,
  ids,
  settled,
  until,
} from './delivery-queue/consuming.ts'
import { openQueue, otherProcess, type Adapter, type Place } from './delivery-queue/other-process.ts'

export interface DeliveryQueueContract {
  readonly adapter: Adapter
  /** A place for a new and empty queue with this limit, that no other test uses. */
  readonly newPlace: (settings: { readonly deliveryLimit: number }) => Promise<Place>
}

const LIMIT = 3

export function deliveryQueueContract({ adapter, newPlace }: DeliveryQueueContract): void {
  let place: Place
  let queue: DeliveryQueue
  let opened: DeliveryQueue[]
  let troubles: string[]

  const open = async () => {
    const queue = await openQueue(adapter, place, (message) => troubles.push(message))
    opened.push(queue)
    return queue
  }

  beforeEach(async () => {
    opened = []
    troubles = []
    place = await newPlace({ deliveryLimit: LIMIT })
    queue = await open()
  })
  afterEach(async () => {
    await Promise.all(opened.map((queue) => queue.close()))
  })

  describe('enqueues and hands over', () => {
    it('hands over the delivery as it was enqueued', async () => {
      const delivery = { id: 'outbox-Ä "1"', endpoint: 'webhook-1', company: 'company-1' }
      await queue.enqueue([delivery])
      const { handed } = consumeAll(queue)
      await until(() => handed.length > 0)
      expect(handed[0]).to.deep.equal(delivery)
    })

    it('hands over in the order of enqueueing, one at a time', async () => {
      const ids = deliveries(600).map(({ id }) => id)
      for (let from = 0; from < ids.length; from += 200) await queue.enqueue(deliveries(200, from))
      const { handed } = consumeAll(queue, { concurrency: 1 })
      await until(() => handed.length >= ids.length)
      expect(handed.map(({ id }) => id)).to.deep.equal(ids)
    })

    it('hands over what is enqueued while the consumer waits', async () => {
      const { handed } = consumeAll(queue)
      for (const delivery of deliveries(5)) {
        await queue.enqueue([delivery])
        await until(() => handed.some(({ id }) => id === delivery.id))
      }
    })

    it('keeps what nobody has taken yet', async () => {
      await queue.enqueue(deliveries(3))
      await queue.close()
      const { handed } = consumeAll(await open())
      await until(() => has(handed, deliveries(3)))
    })

    it('takes nothing as readily as something', async () => {
      await queue.enqueue([])
      expect(await queue.status()).to.include({ state: 'open', waiting: 0 })
    })

    it('keeps what it has confirmed when the process that enqueued is killed', async () => {
      const some = [
        ...deliveries(50),
        ...deliveries(50, 50).map((delivery) => ({ ...delivery, delayMs: 300 })),
      ]
      const other = await otherProcess({ adapter, place, task: { enqueue: some } })
      await other.kill()
      const { handed } = consumeAll(queue)
      await until(() => has(handed, some))
    })

    it('shares deliveries between consumers', async () => {
      const [one, other] = [consumeAll(queue, { concurrency: 1 }), consumeAll(queue, { concurrency: 1 })]
      await until(async () => {
        await queue.enqueue(deliveries(20))
        return one.handed.length > 0 && other.handed.length > 0
      })
    })
  })

  describe('delays', () => {
    it('hands over no earlier than asked', async () => {
      const delays = [0, 1, 120, 125, 130, 260, 400, 777]
      const since = performance.now()
      const { handed } = consumeAll(queue, { at: () => performance.now() - since })
      await queue.enqueue(delays.map((delayMs) => ({ ...delivery(`after-${delayMs}`), delayMs })))
      await until(() => handed.length >= delays.length)
      for (const { id, at } of handed) expect(at, id).to.be.at.least(Number(id.slice('after-'.length)))
    })

    it('lets a long delay hold up no shorter one', async () => {
      await queue.enqueue([
        { ...delivery('a day'), delayMs: 86_400_000 },
        { ...delivery('long'), delayMs: 3_000 },
        { ...delivery('short'), delayMs: 200 },
        delivery('now'),
      ])
      const { handed } = consumeAll(queue)
      await until(() => handed.length >= 3)
      expect(handed.map(({ id }) => id)).to.deep.equal(['now', 'short', 'long'])
    })

    it('keeps a delay over a restart', async () => {
      const since = performance.now()
      await queue.enqueue([{ ...delivery('later'), delayMs: 900 }])
      await queue.close()
      const { handed } = consumeAll(await open(), { at: () => performance.now() - since })
      await until(() => handed.length > 0)
      expect(handed[0]!.at).to.be.at.least(900)
    })

    it('takes the longest delay, and refuses one that is longer, negative or no whole number', async () => {
      await queue.enqueue([{ ...delivery('longest'), delayMs: LONGEST_DELAY_MS }])
      for (const delayMs of [LONGEST_DELAY_MS + 1, -1, 0.5, NaN]) {
        const error = await caught(queue.enqueue([delivery('not stored'), { ...delivery('wrong'), delayMs }]))
        expect(error, `${delayMs}`).to.be.instanceOf(RangeError)
      }
      expect(await queue.status()).to.include({ waiting: 1 })
    })
  })

  describe('works', () => {
    it('as many at once as the consumer says, and no more', async () => {
      await queue.enqueue(deliveries(12))
      const gates: (() => void)[] = []
      let most = 0
      let working = 0
      let done = 0
      consumeAll(queue, {
        concurrency: 4,
        handle: async () => {
          most = Math.max(most, ++working)
          await new Promise<void>((resolve) => gates.push(resolve))
          working--
          done++
          return 'done'
        },
      })
      await until(() => working === 4)
      await sleep(150)
      await until(() => {
        gates.splice(0).forEach((open) => open())
        return done >= 12
      })
      expect(most).to.equal(4)
    })

    it('again, when the consumer says so, no earlier and as often as it says', async () => {
      const [pause, times] = [150, LIMIT + 2]
      const at: number[] = []
      consumeAll(queue, {
        handle: async () => {
          at.push(performance.now())
          return at.length > times ? 'done' : { againInMs: pause }
        },
      })
      await queue.enqueue([delivery('retried')])
      await until(() => at.length > times)
      for (const [i, moment] of at.slice(1).entries()) expect(moment - at[i]!).to.be.at.least(pause)
      await settled(queue)
    })

    it('again at once, as a poll would', async () => {
      let tries = 0
      consumeAll(queue, { handle: async () => (++tries < 20 ? { againInMs: 0 } : 'done') })
      await queue.enqueue([delivery('polled')])
      await until(() => tries >= 20)
    })

    it('on the others while one waits for its consumer', async () => {
      const { handed } = consumeAll(queue, {
        concurrency: 2,
        handle: ({ id }) => (id === 'stuck' ? new Promise(() => {}) : Promise.resolve('done')),
      })
      await queue.enqueue([delivery('stuck'), ...deliveries(30)])
      await until(() => has(handed, deliveries(30)))
    })
  })

  describe('survives consumers that fail', () => {
    it('hands a delivery over again when its handler rejects', async () => {
      const { handed } = consumeAll(queue, {
        handle: async () => {
          if (handed.length < LIMIT) throw new Error('not this time')
          return 'done'
        },
      })
      await queue.enqueue([delivery('unlucky')])
      await until(() => handed.length >= LIMIT)
      await settled(queue)
      expect(troubles.join()).to.contain('unlucky')
    })

    it('abandons a delivery that fails every time, once its limit is reached', async () => {
      const { handed, abandoned } = consumeAll(queue, { handle: () => Promise.reject(new Error('never')) })
      await queue.enqueue([delivery('poison')])
      await until(() => abandoned.length > 0)
      expect(abandoned).to.deep.equal([delivery('poison')])
      expect(handed).to.have.length(LIMIT)
      await settled(queue)
    })

    it('counts failures in a row only', async () => {
      let tries = 0
      const { abandoned } = consumeAll(queue, {
        handle: async () => {
          if (++tries % 2 === 1) throw new Error('every other time')
          return tries < 2 * LIMIT ? { againInMs: 0 } : 'done'
        },
      })
      await queue.enqueue([delivery('shaky')])
      await until(() => tries >= 2 * LIMIT)
      await settled(queue)
      expect(abandoned).to.be.empty
    })

    it('lets a poisonous delivery hold up no other', async () => {
      const { handed, abandoned } = consumeAll(queue, {
        concurrency: 1,
        handle: async ({ id }) => {
          if (id === 'poison') throw new Error('never')
          return 'done'
        },
      })
      await queue.enqueue([delivery('poison'), ...deliveries(10)])
      await until(() => has(handed, deliveries(10)))
      await until(() => abandoned.length > 0)
    })

    it('offers an abandoned delivery until it is taken', async () => {
      let offers = 0
      consumeAll(queue, {
        handle: () => Promise.reject(new Error('never')),
        abandoned: async () => {
          if (++offers < 3) throw new Error('not now')
        },
      })
      await queue.enqueue([delivery('poison')])
      await until(() => offers >= 3)
      await settled(queue)
    })

    it('tells how many abandoned deliveries nobody has taken', async () => {
      let offered = false
      const { consumption } = consumeAll(queue, {
        handle: () => Promise.reject(new Error('never')),
        abandoned: async () => {
          offered = true
          throw new Error('not now')
        },
      })
      await queue.enqueue([delivery('poison')])
      await until(() => offered)
      await consumption.stop()
      await until(async () => (await queue.status()).abandoned === 1)
      expect(await queue.status()).to.deep.equal({ state: 'open', waiting: 0, abandoned: 1 })
    })

    it('hands what a killed process had under way to another consumer', async () => {
      await queue.enqueue(deliveries(5))
      const other = await otherProcess({ adapter, place, task: { hold: 3 } })
      expect(other.ids).to.have.length(3)
      const { handed } = consumeAll(queue)
      await other.kill()
      await until(() => has(handed, deliveries(5)))
    })

    it('abandons a delivery that kills every process that takes it', async () => {
      await queue.enqueue([delivery('killer')])
      for (let death = 0; death < LIMIT; death++) {
        const other = await otherProcess({ adapter, place, task: { hold: 1 } })
        expect(other.ids).to.deep.equal(['killer'])
        await other.kill()
      }
      const { handed, abandoned } = consumeAll(queue)
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
      consumeAll(queue, {
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
      await queue.enqueue(scripts.map(([delayMs], i) => ({ ...delivery(`${i}`), delayMs })))
      await until(() => ended.size === scripts.length)
      await settled(queue)
    })
  })

  describe('ends', () => {
    it('a consumption when what is under way has been handled, and hands over nothing after', async () => {
      await queue.enqueue(deliveries(5))
      const gates: (() => void)[] = []
      const { handed, consumption } = consumeAll(queue, {
        concurrency: 2,
        handle: async () => {
          await new Promise<void>((resolve) => gates.push(resolve))
          return 'done'
        },
      })
      await until(() => gates.length === 2)
      let stopped = false
      const stopping = consumption.stop().then(() => (stopped = true))
      await sleep(150)
      expect(stopped).to.equal(false)
      gates.forEach((open) => open())
      await stopping
      await sleep(150)
      expect(handed).to.have.length(2)

      const next = consumeAll(queue)
      await until(() => has(next.handed, deliveries(3, 2)))
      expect(ids(next.handed)).to.deep.equal(ids(deliveries(3, 2)))
    })

    it('a consumption that has nothing to do, twice as well as once', async () => {
      const { consumption } = consumeAll(queue)
      await Promise.all([consumption.stop(), consumption.stop()])
    })

    it('without the handlers when it is closed: what they had comes again', async () => {
      await queue.enqueue(deliveries(3))
      const { handed } = consumeAll(queue, { concurrency: 2, handle: () => new Promise(() => {}) })
      await until(() => handed.length === 2)
      await queue.close()
      const next = consumeAll(await open())
      await until(() => has(next.handed, deliveries(3)))
    })

    it('with Unavailable for what is asked of it later', async () => {
      await queue.close()
      expect(await caught(queue.enqueue(deliveries(1)))).to.be.instanceOf(Unavailable)
      expect(() => consumeAll(queue)).to.throw(Unavailable)
      expect(await queue.status()).to.deep.equal({ state: 'unreachable' })
      await queue.close()
    })
  })

  describe('says how it stands', () => {
    it('with what waits, due or not', async () => {
      await queue.enqueue([...deliveries(3), { ...delivery('later'), delayMs: 3_600_000 }])
      await until(async () => (await queue.status()).waiting === 4)
      expect(await queue.status()).to.deep.equal({ state: 'open', waiting: 4, abandoned: 0 })
      const { handed } = consumeAll(queue)
      await until(() => has(handed, deliveries(3)))
      await until(async () => (await queue.status()).waiting === 1)
    })
  })
}
