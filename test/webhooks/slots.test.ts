/** How much is under way at once: of each company, and in all. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { slots } from '../../src/webhooks/slots.ts'

describe('slots', () => {
  const taken: string[] = []
  const take = (of: ReturnType<typeof slots>, name: string) =>
    of.take(name).then((giveBack) => (taken.push(name), giveBack))
  beforeEach(() => void (taken.length = 0))

  it('are bounded for each name: one that has all of its own keeps none from others', async () => {
    const of = slots({ perName: 2, inAll: 10 })
    const first = take(of, 'a')
    for (let i = 0; i < 4; i++) void take(of, 'a')
    void take(of, 'b')
    await turn()
    expect(taken).to.deep.equal(['a', 'a', 'b'])
    ;(await first)()
    await turn()
    expect(taken).to.deep.equal(['a', 'a', 'b', 'a'])
  })

  it('are bounded in all, and given to whoever waits longest and may have one', async () => {
    const of = slots({ perName: 2, inAll: 3 })
    const giveBack = await take(of, 'a')
    await take(of, 'b')
    await take(of, 'b')
    void take(of, 'b')
    void take(of, 'c')
    void take(of, 'd')
    await turn()
    expect(taken).to.deep.equal(['a', 'b', 'b'])
    giveBack()
    giveBack()
    await turn()
    expect(taken, 'given back once, and b has its two').to.deep.equal(['a', 'b', 'b', 'c'])
  })
})
