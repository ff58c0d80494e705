/** The comparison that tells whether failed logins can be told apart: it must find what is there, and nothing else. */
import { expect } from 'chai'
import { compareTimes } from '../../scripts/identity/same-times.ts'
import { seededRandom } from '../support/random.ts'

describe('times of causes', () => {
  const ROUNDS = 200
  const CAUSES = 5

  /** About 25 ms each, with a long tail and rounds that are all slow together, as logins are. */
  const times = (seed: number, change: (time: number, cause: number, at: number) => number = (t) => t) => {
    const { next } = seededRandom(seed)
    return Array.from({ length: ROUNDS }, () => {
      const busy = next() * 20
      return Array.from({ length: CAUSES }, (_, cause) =>
        change(25 + busy - Math.log(1 - next()), cause, next()),
      )
    })
  }
  const compare = (rounds: number[][]) =>
    compareTimes(rounds, { shuffles: 400, random: seededRandom(1).next })

  it('are alike where only chance makes them differ', () => {
    const alike = Array.from({ length: 20 }, (_, seed) => compare(times(seed)).alike)
    expect(alike.filter((one) => !one).length).to.be.at.most(1)
  })

  it('are not where one cause takes a little longer, though the rounds differ by much more', () => {
    for (let cause = 0; cause < CAUSES; cause++) {
      const { alike, measures } = compare(times(7, (time, one) => (one === cause ? time + 0.5 : time)))
      expect(alike).to.equal(false)
      expect(measures[0]).to.include({ name: 'mean rank', cause })
    }
  })

  it('are not where one cause is faster, or only sometimes slow', () => {
    expect(compare(times(8, (time, one) => (one === 2 ? time - 0.5 : time))).alike).to.equal(false)
    const sometimes = times(9, (time, one, at) => (one === 3 && at < 0.15 ? time + 60 : time))
    const { alike, measures } = compare(sometimes)
    expect(alike).to.equal(false)
    expect(measures.find(({ name }) => name === '90 % quantile')?.cause).to.equal(3)
  })
})
