/** Comparing what is written all the time, by itself: what is asked for again, and when that ends. */
import { expect } from 'chai'
import { inRounds } from '../../../scripts/verify/rounds.ts'

describe('rounds of a comparison', () => {
  it('are asked again for what was left, until nothing is', async () => {
    const answers = [['a', 'b', 'c'], ['b', 'c'], ['c'], []]
    const asked: (readonly string[] | undefined)[] = []
    await inRounds(
      async (left: readonly string[] | undefined) => {
        asked.push(left)
        return answers[asked.length - 1]!
      },
      (one) => one,
    )
    expect(asked).to.deep.equal([undefined, ...answers.slice(0, 3)])
  })

  it('end when what is left has not become less for a while, and name some of it', async () => {
    const left = ['a', 'b', 'c', 'd']
    let rounds = 0
    const outcome = await inRounds(
      async () => {
        rounds++
        return left
      },
      (one) => `row ${one}`,
      0,
    ).catch((error: Error) => error.message)
    expect(outcome).to.equal('4 rows change all the time and could not be compared: row a, row b, row c …')
    expect(rounds).to.be.below(3)
  })

  it('end with what a round fails with', async () => {
    const failing = inRounds(
      () => Promise.reject(new Error('nobody brings it on')),
      () => '',
    )
    expect(await failing.catch((error: Error) => error.message)).to.equal('nobody brings it on')
  })
})
