/** The outbox on MongoDB, by the contract of every outbox; and what several processes at one outbox may do. */
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { mongoOutbox } from '../../../src/adapters/mongodb/outbox/outbox.ts'
import type { Outbox, OutboxChange } from '../../../src/ports/outbox.ts'
import { deliveryOf } from '../../../src/webhooks/messages.ts'
import { outboxContract } from '../../contracts/outbox.ts'
import { mongoUnderTest, NOT_TESTED } from '../../engines/mongodb-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { whileRunning } from '../../engines/while-running.ts'
import { COMPANY, endpointOf } from '../../support/endpoints.ts'

const AT = '2026-11-21T12:00:00.000Z'

const mongo = mongoUnderTest()
const suite = suiteOf('the outbox on MongoDB', mongo ? undefined : NOT_TESTED)

suite(`the outbox on MongoDB (${mongo?.name ?? 'none'})`, () => {
  whileRunning(mongo!)

  let elapsed = 0
  const clock = { now: () => 1_800_000_000_000 + elapsed, elapsed: () => elapsed }

  outboxContract(async () => {
    const url = mongo!.newDatabase()
    elapsed = 0
    let open: Outbox = mongoOutbox({ url, clock, leaseMs: 600 })
    return {
      outbox: open,
      pass: (ms) => void (elapsed += ms),
      async reopen() {
        await open.close()
        return (open = mongoOutbox({ url, clock, leaseMs: 600 }))
      },
      close: () => open.close(),
    }
  })

  describe('with several processes', () => {
    const opened: Outbox[] = []
    const open = (url: string, fills = true) => {
      const one = mongoOutbox({ url, clock, fills, leaseMs: 600 })
      opened.push(one)
      return one
    }
    afterEach(async () => {
      for (const one of opened.splice(0)) await one.close()
    })

    for (const [ordered, count] of [
      [false, 1_005],
      [true, 5_005],
    ] as const)
      it(`shows what is due beside a record with very much, ${ordered ? 'in order' : 'in any order'}`, async function () {
        this.timeout(60_000)
        const outbox = open(mongo!.newDatabase())
        await outbox.leading()
        await outbox.open()
        const endpoint = endpointOf('a', { position: 1, ordered })
        const send = (position: number, record: string): OutboxChange => {
          const message = {
            id: `msg_${position}`,
            company: COMPANY,
            event: 'tenant.updated',
            record,
            position,
            body: '{}',
          }
          return { op: 'send', message, deliveries: [deliveryOf(message, 'a', AT)] }
        }
        const much = Array.from({ length: count }, (_, i) => send(i + 2, 'tenant-much'))
        const changes = [{ op: 'endpoint', endpoint } as const, ...much, send(count + 2, 'tenant-other')]
        await outbox.store(changes, count + 2)
        const wanted = { limit: 10, underWay: new Set<string>(), records: new Set(['tenant-much']) }
        const found = await outbox.due('a', wanted)
        expect(found?.due.map(({ message }) => message.record)).to.deep.equal(['tenant-other'])
      })

    it('keeps the order of events over a change of leaders whose clocks differ', async () => {
      const url = mongo!.newDatabase()
      const first = open(url)
      await first.leading()
      await first.open()
      const ordered = endpointOf('a', { position: 1, ordered: true })
      const at = (position: number) => {
        const message = {
          id: `msg_${position}`,
          company: COMPANY,
          event: 'tenant.updated',
          record: 'tenant-1',
          position,
          body: '{}',
        }
        return { op: 'send', message, deliveries: [deliveryOf(message, 'a', AT)] } as const
      }
      await first.store([{ op: 'endpoint', endpoint: ordered }, at(8)], 8)
      await first.close()
      const late = { now: () => clock.now() - 10_000, elapsed: clock.elapsed }
      const second = mongoOutbox({ url, clock: late, fills: true, leaseMs: 600 })
      opened.push(second)
      await second.leading()
      await second.open()
      await second.store([at(9)], 9)
      elapsed += 20_000
      const found = await second.due('a', { limit: 5, underWay: new Set(), records: new Set() })
      expect(found!.due.map(({ message }) => message.position)).to.deep.equal([8])
    })

    it('cancels a delivery whose message is gone, rather than hint at it for ever', async () => {
      const url = mongo!.newDatabase()
      const outbox = open(url)
      await outbox.leading()
      await outbox.open()
      const message = { id: 'msg_1', company: COMPANY, event: 'x.y', record: 'r', position: 8, body: '{}' }
      const deliveries = [deliveryOf(message, 'a', AT)]
      await outbox.store([{ op: 'endpoint', endpoint: endpointOf('a', { position: 1 }) }], 1)
      await outbox.store([{ op: 'send', message, deliveries }], 8)
      const client = await new MongoClient(url).connect()
      await client.db().collection('webhook_messages').deleteMany({})
      await client.close()
      const wanted = { limit: 5, underWay: new Set<string>(), records: new Set<string>() }
      expect((await outbox.due('a', wanted))!.due).to.deep.equal([])
      expect(await outbox.due('a', wanted)).to.deep.equal({ due: [] })
      expect(await outbox.waiting(0)).to.deep.equal([])
    })

    it('is filled by one at a time, and by the next when that one has gone', async () => {
      const url = mongo!.newDatabase()
      const first = open(url)
      await first.leading()
      const second = open(url)
      await first.open()
      await first.store([], 5)
      const waiting = second.leading()
      expect((await second.store([], 9).catch((error: Error) => error))?.name).to.equal('Unavailable')
      await first.close()
      await waiting
      await second.open()
      await second.store([], 9)
      expect(await second.position()).to.equal(9)
    })

    it('lets one at a time send to an endpoint, and another when its hold has run out', async () => {
      const url = mongo!.newDatabase()
      const [first, second] = [open(url, false), open(url, false)]
      expect(await first.hold('a')).to.equal(true)
      expect(await first.hold('a')).to.equal(true)
      expect(await second.hold('a')).to.equal(false)
      expect(await second.hold('b')).to.equal(true)
      elapsed += 60_000
      expect(await second.hold('a')).to.equal(true)
      await first.release('a')
      expect(await first.hold('a')).to.equal(false)
      await second.release('a')
      expect(await first.hold('a')).to.equal(true)
    })
  })
})
