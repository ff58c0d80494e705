import { expect } from 'chai'
import { standingStill } from '../../src/projections/standing-still.ts'

describe('what is looked at again and again', () => {
  const looked = (shown: readonly (string | undefined)[]) => shown.map(standingStill(2))

  it('stands still when it shows the same for long enough, and again after as long', () => {
    expect(looked(['a', 'a', 'a', 'a', 'a'])).to.deep.equal([false, false, true, false, true])
  })

  it('does not where it moves, or is not there', () => {
    expect(looked(['a', 'a', 'b', 'b', undefined, 'b', 'b'])).to.not.include(true)
    expect(looked([undefined, undefined, undefined, undefined])).to.not.include(true)
  })
})
