/** Something far away is looked at again and again; that it is gone is said once each time. */
import { expect } from 'chai'
import { keepLooking } from '../../src/projections/keep-looking.ts'

describe('keep looking', () => {
  it('says once each time that what is looked at is gone, and looks on', async () => {
    const answers = ['there', 'gone', 'still gone', 'there', 'gone again', 'there']
    const stop = new AbortController()
    const said: unknown[] = []
    let looks = 0
    await keepLooking({
      async look() {
        const answer = answers[looks++]!
        if (looks === answers.length) stop.abort()
        if (answer !== 'there') throw new Error(answer)
      },
      onAway: (error) => said.push((error as Error).message),
      everyMs: 0,
      signal: stop.signal,
    })
    expect(looks).to.equal(answers.length)
    expect(said).to.eql(['gone', 'gone again'])
  })

  it('says nothing of a look that failed because it was ended', async () => {
    const stop = new AbortController()
    const said: unknown[] = []
    await keepLooking({
      async look() {
        stop.abort()
        throw new Error('closed')
      },
      onAway: (error) => said.push(error),
      everyMs: 0,
      signal: stop.signal,
    })
    expect(said).to.eql([])
  })

  it('waits no longer than until it is ended', async () => {
    const stop = new AbortController()
    const looking = keepLooking({
      look: async () => void setImmediate(() => stop.abort()),
      onAway: () => {},
      everyMs: 1_000_000,
      signal: stop.signal,
    })
    await looking
  })
})
