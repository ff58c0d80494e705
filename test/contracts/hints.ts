/**
 * What every engine of hints must do. Adapters run this; they never copy it.
 *
 * A hint may come twice, so nothing here counts hand-overs where a fault could add one.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { Unavailable } from '../../src/domain/errors.ts'
import type { Hint, Hints } from '../../src/ports/hints.ts'
import { caught, has, hint, hints, listenTo, until } from './hints/listening.ts'

/** `open` opens the same place again until the test ends, when a new and empty one is made. */
export function hintsContract(open: () => Promise<Hints>): void {
  let one: Hints
  beforeEach(async () => {
    one = await open()
  })

  it('hands over the hint as it was published', async () => {
    const published: Hint = { endpoint: 'webhook-Ä "1"', company: 'company-1' }
    await one.publish([published])
    const { handed } = listenTo(one)
    await until(() => handed.length > 0)
    expect(handed[0]).to.deep.equal(published)
  })

  it('hands over what is published while the listener waits', async () => {
    const { handed } = listenTo(one)
    for (const published of hints(5)) {
      await one.publish([published])
      await until(() => has(handed, [published]))
    }
  })

  it('hands over many, in the order of publishing to one that handles one at a time', async () => {
    const all = hints(1_200)
    await one.publish(all)
    const { handed } = listenTo(one, { concurrency: 1 })
    await until(() => handed.length >= all.length)
    expect(handed).to.deep.equal(all)
  })

  it('takes nothing as readily as something', async () => {
    await one.publish([])
    expect(await one.status()).to.deep.equal({ state: 'open', waiting: 0, abandoned: 0 })
  })

  it('shares hints among listeners', async () => {
    const [first, second] = [listenTo(one, { concurrency: 1 }), listenTo(one, { concurrency: 1 })]
    await until(async () => {
      await one.publish(hints(20))
      return first.handed.length > 0 && second.handed.length > 0
    })
  })

  it('has as many handled at once as the listener says, and no more', async () => {
    await one.publish(hints(12))
    const gates: (() => void)[] = []
    let [most, working, done] = [0, 0, 0]
    listenTo(one, {
      concurrency: 4,
      handle: async () => {
        most = Math.max(most, ++working)
        await new Promise<void>((resolve) => gates.push(resolve))
        working--
        done++
      },
    })
    await until(() => working === 4)
    await sleep(50)
    await until(() => {
      gates.splice(0).forEach((open) => open())
      return done >= 12
    })
    expect(most).to.equal(4)
  })

  it('goes on with others while one is being handled, and after a handler that rejects', async () => {
    const { handed } = listenTo(one, {
      concurrency: 2,
      handle: ({ endpoint }) =>
        endpoint === 'stuck' ? new Promise(() => {}) : Promise.reject(new Error('failed')),
    })
    await one.publish([hint('stuck'), ...hints(30)])
    await until(() => has(handed, hints(30)))
  })

  it('stops a listener when what it handles has settled, and hands it nothing more', async () => {
    await one.publish(hints(5))
    const gates: (() => void)[] = []
    const { handed, listening } = listenTo(one, {
      concurrency: 2,
      handle: () => new Promise<void>((resolve) => gates.push(resolve)),
    })
    await until(() => gates.length === 2)
    let isStopped = false
    const stopping = listening.stop().then(() => (isStopped = true))
    await sleep(50)
    expect(isStopped).to.equal(false)
    gates.forEach((open) => open())
    await stopping
    const next = listenTo(one)
    await until(() => has(next.handed, hints(3, 2)))
    expect(handed).to.have.length(2)
  })

  it('stops a listener that has nothing to do, twice as well as once', async () => {
    const { listening } = listenTo(one)
    await Promise.all([listening.stop(), listening.stop()])
  })

  it('is Unavailable once it is closed', async () => {
    await one.close()
    expect(await caught(one.publish(hints(1)))).to.be.instanceOf(Unavailable)
    expect(() => listenTo(one)).to.throw(Unavailable)
    expect(await one.status()).to.deep.equal({ state: 'unreachable' })
    await one.close()
  })

  it('says how many hints wait', async () => {
    await one.publish(hints(3))
    await until(async () => (await one.status()).waiting === 3)
    const { handed } = listenTo(one)
    await until(() => has(handed, hints(3)))
    await until(async () => (await one.status()).waiting === 0)
  })
}
