/** The outbox on MongoDB, by the contract of every outbox; and what several processes at one outbox may do. */
import { expect } from 'chai'
import { mongoOutbox } from '../../../src/adapters/mongodb/outbox/outbox.ts'
import type { Outbox } from '../../../src/ports/outbox.ts'
import { outboxContract } from '../../contracts/outbox.ts'
import { mongoUnderTest, NOT_TESTED } from '../../engines/mongodb-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { whileRunning } from '../../engines/while-running.ts'

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

    it('is filled by one at a time, and by the next when that one has gone', async () => {
      const url = mongo!.newDatabase()
      const first = open(url)
      await first.leading()
      const second = open(url)
      await first.open(0)
      await first.store([], 5)
      const waiting = second.leading()
      expect((await second.store([], 9).catch((error: Error) => error))?.name).to.equal('Unavailable')
      await first.close()
      await waiting
      await second.open(0)
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
