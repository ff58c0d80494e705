import { expect } from 'chai'
import fc from 'fast-check'
import { rateLimits, type RateLimits } from '../../../../src/api/http/limits/rate-limits.ts'
import type { Allowances } from '../../../../src/ports/allowances.ts'
import { eventually } from '../../../system/support/eventually.ts'
import { memoryAllowances, type MemoryAllowances } from '../../../support/memory-allowances.ts'

describe('rate limits', () => {
  let now: number
  let troubles: unknown[]
  beforeEach(() => {
    now = 1_000
    troubles = []
  })
  const limits = (perMinute = 1_200, burst = 100, shared?: Allowances): RateLimits =>
    rateLimits({
      perMinute,
      burst,
      clock: { elapsed: () => now },
      shared,
      onTrouble: (error) => troubles.push(error),
    })
  /** How many of that many requests at once are taken. */
  const taken = (of: RateLimits, requests: number, key = 'ada') =>
    Array.from({ length: requests }, () => of.take(key)).filter(({ waitMs }) => waitMs === 0).length

  it('take a burst at once, and then as many as the rate has', () => {
    const one = limits()
    expect(taken(one, 150)).to.equal(100)
    now += 1_000
    expect(taken(one, 150)).to.equal(20)
    now += 60_000
    expect(taken(one, 150)).to.equal(100)
  })

  it('say what is left, when all is regained, and how long to wait', () => {
    const one = limits(60, 3)
    expect(one.take('ada')).to.deep.equal({ waitMs: 0, left: 2, fullMs: 1_000 })
    expect(one.take('ada')).to.deep.equal({ waitMs: 0, left: 1, fullMs: 2_000 })
    expect(one.take('ada')).to.deep.equal({ waitMs: 0, left: 0, fullMs: 3_000 })
    now += 400
    expect(one.take('ada')).to.deep.equal({ waitMs: 600, left: 0, fullMs: 2_600 })
    now += 600
    expect(one.take('ada').waitMs).to.equal(0)
  })

  it('do not hold refused requests against anyone', () => {
    const one = limits(60, 1)
    expect(taken(one, 1_000)).to.equal(1)
    now += 1_000
    expect(taken(one, 1)).to.equal(1)
  })

  it('keep everyone apart', () => {
    const one = limits(60, 5)
    expect([taken(one, 9, 'ada'), taken(one, 9, 'bob'), taken(one, 9, 'ada')]).to.deep.equal([5, 5, 0])
  })

  it('have no burst that is larger than the rate', () => expect(taken(limits(10, 100), 50)).to.equal(10))

  it('tell their policy as the draft has it', () => {
    expect(limits().policy).to.equal('"burst";q=100;w=5, "minute";q=1200;w=60')
    expect(limits(7, 3).policy).to.equal('"burst";q=3;w=26, "minute";q=7;w=60')
  })

  it('never take more than burst and rate allow, and always what they do, whenever requests come', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5_000 }),
        fc.integer({ min: 1, max: 500 }),
        fc.array(
          fc.record({
            pauseMs: fc.integer({ min: 0, max: 3_000 }),
            requests: fc.integer({ min: 1, max: 50 }),
          }),
        ),
        (perMinute, burst, rounds) => {
          now = 0
          const one = limits(perMinute, burst)
          const cost = 60_000 / perMinute
          const most = Math.min(burst, perMinute)
          let tokens = most // the textbook's bucket
          for (const { pauseMs, requests } of rounds) {
            now += pauseMs
            tokens = Math.min(most, tokens + pauseMs / cost)
            const expected = Math.min(requests, Math.floor(tokens + 0.001 / cost + 1e-9))
            expect(taken(one, requests)).to.equal(expected)
            tokens -= expected
          }
        },
      ),
    )
  })

  it('say what is left when as many at once are too many', () => {
    const one = limits(60, 5)
    expect(one.take('ada', 3)).to.deep.equal({ waitMs: 0, left: 2, fullMs: 3_000 })
    expect(one.take('ada', 4)).to.deep.equal({ waitMs: 2_000, left: 2, fullMs: 3_000 })
  })

  it('give back what does not count after all, also long after it was taken', () => {
    const one = limits(60, 3)
    expect(taken(one, 3)).to.equal(3)
    one.giveBack('ada')
    one.giveBack('eve')
    expect(taken(one, 3)).to.equal(1)
    now += 2_900
    for (let i = 0; i < 3; i++) one.take('bob')
    now += 200
    one.take('bob') // everybody else is of the older half by then
    one.giveBack('ada')
    expect(one.take('ada').fullMs).to.equal(1_000)
  })

  it('forget those who have everything back, and hold no more than so many', () => {
    const one = limits(60, 2)
    expect(taken(one, 2)).to.equal(2)
    for (let i = 0; i < 250_000; i++) one.take(`address ${i}`)
    // Forgiven, to hold the others.
    expect(taken(one, 5)).to.equal(2)
  })

  describe('of several processes', () => {
    let place: MemoryAllowances
    let one: RateLimits
    let other: RateLimits
    beforeEach(() => {
      place = memoryAllowances(() => now)
      one = limits(1_200, 100, place.open())
      other = limits(1_200, 100, place.open())
    })
    const exchange = async () => {
      await one.exchange()
      await other.exchange()
    }

    it('hold for all of them together', async () => {
      expect(taken(one, 60)).to.equal(60)
      await exchange()
      expect(taken(other, 1)).to.equal(1) // which is how it learns
      await exchange()
      expect(taken(other, 60)).to.equal(39)
      await exchange()
      now += 1_000
      expect(taken(one, 1)).to.equal(1)
      await exchange()
      expect(taken(one, 60)).to.equal(19)
    })

    it('have what was too much at once paid back before anything more', async () => {
      expect([taken(one, 100), taken(other, 100)]).to.deep.equal([100, 100])
      await exchange()
      await one.exchange()
      now += 4_000
      expect([taken(other, 5)]).to.deep.equal([0])
      now += 2_000
      expect(taken(other, 100)).to.equal(20)
    })

    it('do not report what was given back before that', async () => {
      expect(taken(one, 3)).to.equal(3)
      for (let i = 0; i < 3; i++) one.giveBack('ada')
      await one.exchange()
      expect(place.asked).to.equal(0)
      expect(taken(one, 3)).to.equal(3)
      await exchange()
      one.giveBack('ada')
      expect(taken(other, 1)).to.equal(1)
      await exchange()
      expect(taken(other, 100)).to.equal(96)
    })

    it('know at once what was done while they exchanged', async () => {
      expect(taken(other, 30)).to.equal(30)
      await other.exchange()
      expect(taken(one, 30)).to.equal(30)
      const exchanging = one.exchange()
      expect(taken(one, 30)).to.equal(30)
      await exchanging
      expect(taken(one, 100)).to.equal(10)
      await exchange()
      expect(taken(other, 1)).to.equal(1)
      await exchange()
      expect(taken(other, 1)).to.equal(0)
    })

    it('are all reported, also of more who asked than are reported at once', async () => {
      for (let i = 0; i < 2_500; i++) one.take(`user ${i}`)
      await one.exchange()
      await eventually('the rest is reported, too', async () => expect(place.asked).to.equal(3))
      for (const user of ['user 0', 'user 1500', 'user 2499']) taken(other, 1, user)
      await other.exchange()
      for (const user of ['user 0', 'user 1500', 'user 2499'])
        expect(taken(other, 100, user), user).to.equal(98)
    })

    it('are told in few words', async () => {
      for (let i = 0; i < 50; i++) {
        taken(one, 1, `user ${i}`)
        taken(other, 1, `user ${i}`)
      }
      await exchange()
      expect(place.asked).to.be.at.most(4)
    })

    it('are kept by each when the place is gone, and together again when it is back', async () => {
      place.isThere = false
      expect(taken(one, 150)).to.equal(100)
      await exchange()
      expect(troubles).not.to.deep.equal([])
      now += 1_000
      expect(taken(one, 150)).to.equal(20)
      await exchange()
      place.isThere = true
      now += 60_000
      expect(taken(one, 100)).to.equal(100)
      await exchange()
      expect(taken(other, 1)).to.equal(1)
      await exchange()
      expect(taken(other, 100)).to.equal(0)
    })
  })
})
