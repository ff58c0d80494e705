/** How shards are divided among processes. */
import { expect } from 'chai'
import fc from 'fast-check'
import { divided, type Division } from '../../../src/adapters/mongodb/sharing/division.ts'
import { SHARDS } from '../../../src/domain/events/stream-name.ts'

const names = fc.uniqueArray(fc.constantFrom(...'abcdefghij'), { minLength: 1 })
const all = Array.from({ length: SHARDS }, (_, shard) => shard)
const shardsOf = (division: Division) => [...division.values()].flat()

describe('the division of shards among processes', () => {
  it('gives each shard to exactly one of them, and each of them as many, whatever it was before', () => {
    fc.assert(
      fc.property(fc.array(names, { minLength: 1, maxLength: 5 }), (rounds) => {
        let division: Division = new Map()
        for (const holders of rounds) {
          division = divided(division, holders)
          expect(shardsOf(division).sort((a, b) => a - b)).to.deep.equal(all)
          const counts = holders.map((holder) => division.get(holder)!.length)
          expect(Math.max(...counts) - Math.min(...counts)).to.be.at.most(1)
        }
      }),
    )
  })

  it('moves only what has to be moved', () => {
    const two = divided(new Map(), ['a', 'b'])
    const three = divided(two, ['a', 'b', 'c'])
    for (const holder of ['a', 'b']) expect(two.get(holder)).to.include.members([...three.get(holder)!])
    const left = divided(three, ['a', 'c'])
    for (const holder of ['a', 'c']) expect(left.get(holder)).to.include.members([...three.get(holder)!])
  })
})
