/** A small round through the zoo of receivers; `scripts/webhooks/zoo.ts` is the long one. */
import { expect } from 'chai'
import { zooRounds } from '../webhooks/zoo-rounds.ts'
import { withFolder } from './ledger/service-process.ts'

describe('webhooks, with kills in between', () => {
  it('lose nothing to a receiver that recovers, and repeat no more than was under way', async function () {
    this.timeout(120_000)
    const report = await withFolder((dataDir) =>
      zooRounds({ dataDir, events: 40, kills: 3, patienceMs: 90_000 }),
    )
    expect(report.faults).to.deep.equal([])
  })
})
