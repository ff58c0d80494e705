/** Rate limits that one thread keeps for several. */
import { expect } from 'chai'
import { rateLimits } from '../../../../src/api/http/limits/rate-limits.ts'
import { reservations, reserves, type Counted } from '../../../../src/api/http/limits/reservations.ts'

const ada: Counted = { actor: 'ada', company: 'company-1' }

describe('requests that are reserved', () => {
  let now: number
  const clock = { elapsed: () => now }
  beforeEach(() => (now = 0))

  const limit = (perMinute: number, burst = perMinute, name?: string) =>
    rateLimits({ perMinute, burst, clock, onTrouble: () => {}, ...(name !== undefined && { name }) })

  const threads = (count: number, perMinute: number, ofCompany?: number) => {
    const limits = limit(perMinute)
    const requests = ofCompany === undefined ? undefined : limit(ofCompany, ofCompany, 'company')
    const main = reserves({ limits, requests, threads: count + 1 })
    const readers = Array.from({ length: count }, () =>
      reservations({
        ask: async (counted) => main.reserve(counted),
        giveBack: (counted, unused) => main.giveBack(counted, unused),
        elapsed: clock.elapsed,
      }),
    )
    return { limits, requests, readers }
  }

  it('are never more than the limit, whoever takes them', async () => {
    const { limits, readers } = threads(3, 60)
    let passed = 0
    for (let i = 0; i < 100; i++) {
      const takers = await Promise.all(readers.map(async (one) => one.take(ada)))
      passed += takers.filter((taken) => taken !== undefined).length
      if (limits.take('ada').waitMs === 0) passed++
    }
    expect(passed).to.be.within(60 - 3, 60)
    readers.forEach((one) => one.close())
  })

  it('are used up to the last when one thread alone takes them', async () => {
    const { readers } = threads(3, 60)
    let passed = 0
    while (await readers[0]!.take(ada)) passed++
    expect(passed).to.equal(60)
    readers[0]!.close()
  })

  it('say the same as if each had been counted by itself', async () => {
    const { readers } = threads(1, 60)
    const alone = limit(60)
    for (let i = 0; i < 60; i++) {
      const shown = await readers[0]!.take(ada)
      const { left, fullMs } = alone.take('ada')
      expect(shown).to.deep.include({ name: 'burst', policy: alone.policy, left })
      expect(Math.ceil(shown!.fullMs / 1_000)).to.equal(Math.ceil(fullMs / 1_000))
    }
    readers[0]!.close()
  })

  it('are given back within a second when they are not used', async () => {
    const { limits, readers } = threads(1, 60)
    await readers[0]!.take(ada)
    now = 1_000
    readers[0]!.look()
    // One was used, and regained meanwhile.
    expect(limits.take('ada').left).to.equal(59)
  })

  it('are counted against the company, too, and none are lost to it', async () => {
    const { limits, requests, readers } = threads(1, 60, 4)
    let passed = 0
    while (await readers[0]!.take(ada)) passed++
    expect(passed).to.equal(4)
    expect([limits.take('ada').left, requests!.refused()]).to.deep.equal([60 - 4 - 1, 0])
    readers[0]!.close()
  })
})
