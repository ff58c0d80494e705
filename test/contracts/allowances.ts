/** What every place that processes share their rate limits in must do. Adapters run this; they never copy it. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Allowances } from '../../src/ports/allowances.ts'

/** Longer than any test takes: what is owed cannot melt away meanwhile. */
const LONG = 3_600_000
/** What may melt while a test runs. */
const MOMENT = 60_000

const key = () => `key-${randomUUID()}`
/** Clocks are fractions of a millisecond: added and taken away again, they leave the last bit of a fraction behind. */
const about = (owed: number | undefined, ms: number) => expect(owed).to.be.within(ms - MOMENT, ms + 1e-6)

/** `open` opens the same place again each time. */
export function allowancesContract(open: () => Promise<Allowances>): void {
  let one: Allowances
  let other: Allowances
  beforeEach(async () => {
    one = await open()
    other = await open()
  })
  afterEach(() => Promise.all([one.close(), other.close()]))

  it('adds up what a key spends, by whomever', async () => {
    const spender = key()
    about((await one.spend([{ key: spender, ms: LONG }]))[0], LONG)
    about((await other.spend([{ key: spender, ms: LONG }]))[0], 2 * LONG)
    about((await one.spend([{ key: spender, ms: LONG / 2 }]))[0], 2.5 * LONG)
  })

  it('keeps keys apart, and answers in the order asked', async () => {
    const keys = Array.from({ length: 50 }, key)
    const spend = (by: Allowances) =>
      by.spend(keys.map((spender, index) => ({ key: spender, ms: (index + 1) * LONG })))
    await spend(one)
    const owed = await spend(other)
    expect(owed).to.have.length(keys.length)
    owed.forEach((ms, index) => about(ms, 2 * (index + 1) * LONG))
  })

  it('takes keys as they are', async () => {
    for (const odd of ['address 2001:db8:1:2::/64', '$where', 'a.b', ' ', 'x'.repeat(200)]) {
      const [owed] = await one.spend([{ key: odd, ms: LONG }])
      expect(owed, odd).to.be.at.least(LONG - MOMENT)
    }
  })

  it('lets what is owed melt away', async () => {
    const spender = key()
    await one.spend([{ key: spender, ms: 1 }])
    let owed: number | undefined = Infinity
    // Each try adds a millisecond and takes longer than one.
    for (let tries = 0; tries < 1_000 && owed! > 1.5; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      ;[owed] = await one.spend([{ key: spender, ms: 1 }])
    }
    expect(owed).to.be.within(0, 1.5)
  })

  it('has nothing to say of nothing', async () => expect(await one.spend([])).to.deep.equal([]))
}

/** The part of the contract that a stand-in without atomic updates cannot show (docs/decisions/ferretdb-for-tests.md). */
export function racingAllowancesContract(open: () => Promise<Allowances>): void {
  it('loses nothing that is spent at the same moment, by a key that nobody knew', async () => {
    const [one, other] = [await open(), await open()]
    const spender = key()
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => [one, other][i % 2]!.spend([{ key: spender, ms: LONG }])),
    )
    about((await one.spend([{ key: spender, ms: 1 }]))[0], 20 * LONG + 1)
    await Promise.all([one.close(), other.close()])
  })
}
