/**
 * What every delivery queue must do. Adapters run this; they never copy it.
 *
 * A hint may come twice, so nothing here counts hand-overs where a fault could add one. Delays are real and short; no
 * test says that something is early enough, only that it is not too early, or that it comes at all.
 */
import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { Unavailable } from '../../src/domain/errors.ts'
import { LONGEST_DELAY_MS } from '../../src/ports/delivery-queue.ts'
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
import { LIMIT, openedQueue, type DeliveryQueueContract } from './delivery-queue/opened-queue.ts'
import { otherProcess } from './delivery-queue/other-process.ts'
import { survivingContract } from './delivery-queue/surviving.ts'

export function deliveryQueueContract(contract: DeliveryQueueContract): void {
  const given = openedQueue(contract)
  const { adapter, open } = given
  survivingContract(given)

  describe('enqueues and hands over', () => {
    it('hands over the delivery as it was enqueued', async () => {
      const delivery = { id: 'outbox-Ä "1"', endpoint: 'webhook-1', company: 'company-1' }
      await given.queue.enqueue([delivery])
      const { handed } = consumeAll(given.queue)
      await until(() => handed.length > 0)
      expect(handed[0]).to.deep.equal(delivery)
    })

    it('hands over in the order of enqueueing, one at a time', async () => {
      const ids = deliveries(600).map(({ id }) => id)
      for (let from = 0; from < ids.length; from += 200) await given.queue.enqueue(deliveries(200, from))
      const { handed } = consumeAll(given.queue, { concurrency: 1 })
      await until(() => handed.length >= ids.length)
      expect(handed.map(({ id }) => id)).to.deep.equal(ids)
    })

    it('hands over what is enqueued while the consumer waits', async () => {
      const { handed } = consumeAll(given.queue)
      for (const delivery of deliveries(5)) {
        await given.queue.enqueue([delivery])
        await until(() => handed.some(({ id }) => id === delivery.id))
      }
    })

    it('keeps what nobody has taken yet', async () => {
      await given.queue.enqueue(deliveries(3))
      await given.queue.close()
      const { handed } = consumeAll(await open())
      await until(() => has(handed, deliveries(3)))
    })

    it('takes nothing as readily as something', async () => {
      await given.queue.enqueue([])
      expect(await given.queue.status()).to.include({ state: 'open', waiting: 0 })
    })

    it('keeps what it has confirmed when the process that enqueued is killed', async () => {
      const some = [
        ...deliveries(50),
        ...deliveries(50, 50).map((delivery) => ({ ...delivery, delayMs: 300 })),
      ]
      const other = await otherProcess({ adapter, place: given.place, task: { enqueue: some } })
      await other.kill()
      const { handed } = consumeAll(given.queue)
      await until(() => has(handed, some))
    })

    it('shares deliveries between consumers', async () => {
      const [one, other] = [
        consumeAll(given.queue, { concurrency: 1 }),
        consumeAll(given.queue, { concurrency: 1 }),
      ]
      await until(async () => {
        await given.queue.enqueue(deliveries(20))
        return one.handed.length > 0 && other.handed.length > 0
      })
    })
  })

  describe('delays', () => {
    it('hands over no earlier than asked', async () => {
      const delays = [0, 1, 120, 125, 130, 260, 400, 777]
      const since = performance.now()
      const { handed } = consumeAll(given.queue, { at: () => performance.now() - since })
      await given.queue.enqueue(delays.map((delayMs) => ({ ...delivery(`after-${delayMs}`), delayMs })))
      await until(() => handed.length >= delays.length)
      for (const { id, at } of handed) expect(at, id).to.be.at.least(Number(id.slice('after-'.length)))
    })

    it('lets a long delay hold up no shorter one', async () => {
      await given.queue.enqueue([
        { ...delivery('a day'), delayMs: 86_400_000 },
        { ...delivery('long'), delayMs: 3_000 },
        { ...delivery('short'), delayMs: 200 },
        delivery('now'),
      ])
      const { handed } = consumeAll(given.queue)
      await until(() => handed.length >= 3)
      expect(handed.map(({ id }) => id)).to.deep.equal(['now', 'short', 'long'])
    })

    it('keeps a delay over a restart', async () => {
      const since = performance.now()
      await given.queue.enqueue([{ ...delivery('later'), delayMs: 900 }])
      await given.queue.close()
      const { handed } = consumeAll(await open(), { at: () => performance.now() - since })
      await until(() => handed.length > 0)
      expect(handed[0]!.at).to.be.at.least(900)
    })

    it('takes the longest delay, and refuses one that is longer, negative or no whole number', async () => {
      await given.queue.enqueue([{ ...delivery('longest'), delayMs: LONGEST_DELAY_MS }])
      for (const delayMs of [LONGEST_DELAY_MS + 1, -1, 0.5, NaN]) {
        const error = await caught(
          given.queue.enqueue([delivery('not stored'), { ...delivery('wrong'), delayMs }]),
        )
        expect(error, `${delayMs}`).to.be.instanceOf(RangeError)
      }
      expect(await given.queue.status()).to.include({ waiting: 1 })
    })
  })

  describe('works', () => {
    it('as many at once as the consumer says, and no more', async () => {
      await given.queue.enqueue(deliveries(12))
      const gates: (() => void)[] = []
      let most = 0
      let working = 0
      let done = 0
      consumeAll(given.queue, {
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
      consumeAll(given.queue, {
        handle: async () => {
          at.push(performance.now())
          return at.length > times ? 'done' : { againInMs: pause }
        },
      })
      await given.queue.enqueue([delivery('retried')])
      await until(() => at.length > times)
      for (const [i, moment] of at.slice(1).entries()) expect(moment - at[i]!).to.be.at.least(pause)
      await settled(given.queue)
    })

    it('again at once, as a poll would', async () => {
      let tries = 0
      consumeAll(given.queue, { handle: async () => (++tries < 20 ? { againInMs: 0 } : 'done') })
      await given.queue.enqueue([delivery('polled')])
      await until(() => tries >= 20)
    })

    it('on the others while one waits for its consumer', async () => {
      const { handed } = consumeAll(given.queue, {
        concurrency: 2,
        handle: ({ id }) => (id === 'stuck' ? new Promise(() => {}) : Promise.resolve('done')),
      })
      await given.queue.enqueue([delivery('stuck'), ...deliveries(30)])
      await until(() => has(handed, deliveries(30)))
    })
  })

  describe('ends', () => {
    it('a consumption when what is under way has been handled, and hands over nothing after', async () => {
      await given.queue.enqueue(deliveries(5))
      const gates: (() => void)[] = []
      const { handed, consumption } = consumeAll(given.queue, {
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

      const next = consumeAll(given.queue)
      await until(() => has(next.handed, deliveries(3, 2)))
      expect(ids(next.handed)).to.deep.equal(ids(deliveries(3, 2)))
    })

    it('a consumption that has nothing to do, twice as well as once', async () => {
      const { consumption } = consumeAll(given.queue)
      await Promise.all([consumption.stop(), consumption.stop()])
    })

    it('without the handlers when it is closed: what they had comes again', async () => {
      await given.queue.enqueue(deliveries(3))
      const { handed } = consumeAll(given.queue, { concurrency: 2, handle: () => new Promise(() => {}) })
      await until(() => handed.length === 2)
      await given.queue.close()
      const next = consumeAll(await open())
      await until(() => has(next.handed, deliveries(3)))
    })

    it('with Unavailable for what is asked of it later', async () => {
      await given.queue.close()
      expect(await caught(given.queue.enqueue(deliveries(1)))).to.be.instanceOf(Unavailable)
      expect(() => consumeAll(given.queue)).to.throw(Unavailable)
      expect(await given.queue.status()).to.deep.equal({ state: 'unreachable' })
      await given.queue.close()
    })
  })

  describe('says how it stands', () => {
    it('with what waits, due or not', async () => {
      await given.queue.enqueue([...deliveries(3), { ...delivery('later'), delayMs: 3_600_000 }])
      await until(async () => (await given.queue.status()).waiting === 4)
      expect(await given.queue.status()).to.deep.equal({ state: 'open', waiting: 4, abandoned: 0 })
      const { handed } = consumeAll(given.queue)
      await until(() => has(handed, deliveries(3)))
      await until(async () => (await given.queue.status()).waiting === 1)
    })
  })
}
