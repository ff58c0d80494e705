/** Publishing how projections stand, to a server that is away for a while. */
import { expect } from 'chai'
import { publishedStates } from '../../../src/adapters/mongodb/read-models/published-states.ts'
import type { ProjectionStatus } from '../../../src/ports/read-models.ts'

describe('published states', () => {
  const parked = {
    name: 'records',
    position: 2,
    state: 'parked',
    error: { position: 3, message: 'no' },
  } as const
  const live = { name: 'records', position: 2, state: 'live' } as const

  const setUp = () => {
    const is = { away: true, term: 1, stored: [] as (readonly ProjectionStatus[])[], troubles: 0 }
    const paused: (() => void)[] = []
    const published = publishedStates({
      store: async (statuses) => {
        if (is.away) throw new Error('away')
        is.stored.push(statuses)
      },
      term: () => is.term,
      onTrouble: () => void is.troubles++,
      pause: () => new Promise<void>((resolve) => paused.push(resolve)),
    })
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    /** Ends the pause that is under way, and lets what follows happen. */
    const next = async () => {
      await turn()
      paused.splice(0).forEach((end) => end())
      await turn()
    }
    return { is, published, next }
  }

  it('are tried again until they are stored, and what is superseded is left out', async () => {
    const { is, published, next } = setUp()
    published.publish([live])
    await next()
    await next()
    published.publish([parked])
    is.away = false
    await next()
    expect(is).to.deep.include({ stored: [[parked]], troubles: 1 })
    await published.close()
  })

  it('are stored once for each change, whatever the position; and again in another term', async () => {
    const { is, published, next } = setUp()
    is.away = false
    for (const position of [2, 3, 4]) {
      published.publish([{ ...live, position }])
      await next()
    }
    expect(is.stored).to.have.length(1)
    is.term = 2
    published.publish([live])
    await next()
    expect(is.stored).to.have.length(2)
    await published.close()
  })
})
