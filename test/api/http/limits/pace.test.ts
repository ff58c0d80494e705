/** Long work in pieces: see `src/api/http/limits/pace.ts`. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { pace } from '../../../../src/api/http/limits/pace.ts'

describe('work in pieces', () => {
  it('goes on at once while its turn lasts', () => expect(pace(60_000)()).to.equal(undefined))

  it('waits in turn: of many works one goes on in each turn of the event loop', async () => {
    let turn = 0
    let over = false
    const counting = (async () => {
      while (!over) {
        await nextTurn()
        turn++
      }
    })()
    const seen: number[] = []
    const work = async () => {
      const others = pace(0)
      for (let piece = 0; piece < 5; piece++) {
        await others()
        seen.push(turn)
      }
    }
    await Promise.all([work(), work(), work(), work()])
    over = true
    await counting
    expect(seen).to.have.length(20)
    expect(new Set(seen), 'no two pieces in one turn').to.have.property('size', 20)
  })

  it('shares a turn of the event loop with whoever works in it', async () => {
    await nextTurn()
    const [one, other] = [pace(20), pace(20)]
    expect(one(), 'its turn begins').to.equal(undefined)
    for (const begun = performance.now(); performance.now() - begun < 20;);
    expect(other(), 'the turn of all is over').to.be.a('promise')
    await other()
    await nextTurn()
    expect(one(), 'a new turn').to.equal(undefined)
  })
})
