/** Which generation of read models a process reads: when it changes over, and when it had better not yet. */
import { expect } from 'chai'
import { Unavailable } from '../../../src/domain/errors.ts'
import { failureOf } from '../../engines/mongodb-openers.ts'
import { servedGeneration } from '../../../src/adapters/mongodb/read-models/serving.ts'

describe('the generation that a process reads', () => {
  const setUp = () => {
    const is = { serving: undefined as string | undefined, now: 0, asFar: true, there: true, looks: 0 }
    const served = servedGeneration({
      serving: {
        findOne: async () => {
          is.looks++
          return is.serving === undefined ? null : { _id: 'base', generation: is.serving }
        },
      },
      base: 'base',
      collectionsOf: async (generation) =>
        is.there ? { tenant: { name: `records_${generation}`, layout: '1', from: 0 } } : undefined,
      isAsFar: async () => is.asFar,
      elapsed: () => is.now,
    })
    /** What is read by a call at that moment, and by those after it. */
    const at = async (now: number) => {
      is.now = now
      await served.look()
      return served.current()
    }
    return { is, at }
  }

  it('is the one that is served when it starts, however far that has come', async () => {
    const { is, at } = setUp()
    is.serving = 'rebuilt'
    is.asFar = false
    expect(await at(0)).to.equal('rebuilt')
  })

  it('is another one soon after that is served', async () => {
    const { is, at } = setUp()
    expect(await at(0)).to.equal('base')
    is.serving = 'rebuilt'
    expect(await at(1_000)).to.equal('base')
    expect(await at(10_001)).to.equal('rebuilt')
    expect(is.looks).to.equal(2)
  })

  it('is never one that shows less than this process has read already', async () => {
    const { is, at } = setUp()
    expect(await at(0)).to.equal('base')
    is.serving = 'rebuilt'
    is.asFar = false
    expect(await at(10_001)).to.equal('base')
    expect(await at(60_000)).to.equal('base')
    is.asFar = true
    expect(await at(60_001)).to.equal('rebuilt')
  })

  it('is Unavailable, and not empty, while it is not there', async () => {
    const { is, at } = setUp()
    is.there = false
    expect(await failureOf(at(0))).to.be.instanceOf(Unavailable)
    is.there = true
    expect(await at(1)).to.equal('base')
    is.there = false
    expect(await failureOf(at(10_002))).to.be.instanceOf(Unavailable)
  })
})
