/** `TIMERS_RECORDS=10000 TIMERS_DAYS=400 npx mocha test/timers/virtual-year.test.ts` tells the long tale. */
import { expect } from 'chai'
import { virtualYear } from './virtual-year.ts'

const records = Number(process.env['TIMERS_RECORDS'] ?? 40)
const days = Number(process.env['TIMERS_DAYS'] ?? 60)

describe(`timers over ${days} virtual days`, () => {
  for (const seed of [1, 2])
    it(`fire each once, at their time, and nothing else (seed ${seed})`, async function () {
      this.timeout(0)
      const { fired, expected, inOrder } = await virtualYear({ records, days, seed })
      expect(expected.size).to.be.greaterThan(records)
      expect([...fired].sort()).to.deep.equal([...expected].sort())
      expect(inOrder).to.equal(true)
    })
})
