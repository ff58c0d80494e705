/** When it is noted in the event log what was delivered up to where. */
import { expect } from 'chai'
import { marks } from '../../src/webhooks/marks.ts'

const HOUR = 3_600_000

describe('marks of what was delivered', () => {
  const start = (isThere = true) => {
    const stored: string[] = []
    let elapsed = 0
    let isAway = false
    const one = marks({
      outbox: {
        deliveredUpTo: async () => (isThere ? { company: 'company-a', upTo: 70 } : undefined),
      },
      async mark(company, endpoint, position) {
        if (isAway) throw new Error('the events are away')
        stored.push(`${company} ${endpoint} ${position}`)
      },
      elapsed: () => elapsed,
    })
    return { ...one, stored, pass: (ms: number) => (elapsed += ms), away: (is: boolean) => (isAway = is) }
  }

  it('are stored after a thousand deliveries', async () => {
    const { settled, store, stored } = start()
    for (let i = 0; i < 999; i++) settled('a')
    await store()
    expect(stored).to.deep.equal([])
    settled('a')
    await store()
    await store()
    expect(stored).to.deep.equal(['company-a a 70'])
  })

  it('are stored an hour after a delivery, and not while there is none', async () => {
    const { settled, store, stored, pass } = start()
    pass(5 * HOUR)
    await store()
    settled('a')
    pass(HOUR - 1)
    await store()
    expect(stored).to.deep.equal([])
    pass(1)
    await store()
    pass(5 * HOUR)
    await store()
    expect(stored).to.deep.equal(['company-a a 70'])
  })

  it('stay due while they cannot be stored, and are not made for an endpoint that is gone', async () => {
    const { settled, store, stored, pass, away } = start()
    settled('a')
    pass(HOUR)
    away(true)
    await store().catch(() => {})
    away(false)
    await store()
    expect(stored).to.deep.equal(['company-a a 70'])
    const gone = start(false)
    gone.settled('b')
    gone.pass(HOUR)
    await gone.store()
    expect(gone.stored).to.deep.equal([])
  })
})
