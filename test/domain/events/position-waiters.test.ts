/** Who waits for a position is woken by it, at the deadline, or when the file is closed. */
import { expect } from 'chai'
import { positionWaiters } from '../../../src/domain/events/position-waiters.ts'

const LONG_MS = 3_600_000

describe('those who wait for a position', () => {
  it('are woken by it, or by one that is later, and not by an earlier one', async () => {
    const waiters = positionWaiters()
    const woken: string[] = []
    const wait = (position: number) =>
      waiters.wait(position, LONG_MS).then((isThere) => woken.push(`${position} ${isThere}`))
    const all = [wait(2), wait(3), wait(5)]
    waiters.reached(1)
    await Promise.resolve()
    expect(woken).to.deep.equal([])
    waiters.reached(4)
    await Promise.all(all.slice(0, 2))
    expect(woken).to.deep.equal(['2 true', '3 true'])
    expect(await waiters.wait(4, 0), 'what is there already').to.equal(true)
    expect(await waiters.wait(5, 0), 'what is not, without waiting').to.equal(false)
    waiters.close()
  })

  it('learn at their deadline that it was not reached, the others wait on', async () => {
    let now = 0
    const waiters = positionWaiters(() => now)
    const short = waiters.wait(7, 1_000)
    const long = waiters.wait(7, 2_000)
    now = 1_000
    expect(await short).to.equal(false)
    waiters.reached(7)
    expect(await long).to.equal(true)
    waiters.close()
  })

  it('learn at the end that it was not reached', async () => {
    const waiters = positionWaiters()
    const wait = waiters.wait(1, LONG_MS)
    waiters.close()
    expect(await wait).to.equal(false)
  })
})
