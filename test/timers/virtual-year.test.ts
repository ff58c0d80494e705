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

  for (const [catchUpDays, seed] of [
    [3, 3],
    [30, 4],
  ] as const)
    it(`remind by one mail each, or say that it is too late after ${catchUpDays} days (seed ${seed})`, async function () {
      this.timeout(0)
      const { mails, taken, expected } = await virtualYear({ records, days, seed, catchUpDays })
      expect(expected.size).to.be.greaterThan(records / 2)
      expect([...mails.outcomes].sort()).to.deep.equal([...mails.expected].sort())
      // Each that is sent was taken, once.
      const sent = [...mails.expected].filter(([, state]) => state === 'sent').map(([name]) => name)
      expect([...taken].sort()).to.deep.equal(sent.sort())
    })
})
