/** Storing what came of attempts: together, again while it cannot be stored, and given up at a stop. */
import { expect } from 'chai'
import type { Outcome } from '../../src/ports/outbox.ts'
import { settler } from '../../src/webhooks/settle.ts'

const outcome = (id: string): Outcome => ({
  id,
  endpoint: `endpoint-${id}`,
  attempt: { at: '', durationMs: 1, url: '', requestHeaders: {} },
  succeeded: false,
})

describe('what came of attempts', () => {
  it('is stored together, and again until it is', async () => {
    const stored: string[][] = []
    let failures = 2
    const trouble: string[] = []
    const one = settler({
      retryMs: 1,
      onTrouble: (message) => void trouble.push(message),
      outbox: {
        settle: async (outcomes) => {
          if (failures-- > 0) throw new Error('the disk is full')
          stored.push(outcomes.map(({ id }) => id))
          return new Map(outcomes.map(({ id, endpoint }) => [endpoint, Number(id)]))
        },
      },
    })
    const settled = await Promise.all([one.settle(outcome('1')), one.settle(outcome('2'))])
    expect(settled).to.deep.equal([1, 2])
    expect(stored).to.deep.equal([['1', '2']])
    expect(trouble).to.have.length(2)
    expect(await one.settle(outcome('3')), 'the next is stored as well').to.equal(3)
  })

  it('is given up at a stop, and says that nothing is known of it', async () => {
    const tried = Promise.withResolvers<void>()
    const one = settler({
      retryMs: 1,
      onTrouble: () => tried.resolve(),
      outbox: { settle: () => Promise.reject(new Error('away')) },
    })
    const settled = one.settle(outcome('1'))
    await tried.promise
    one.stop()
    expect(await settled).to.equal(undefined)
  })
})
