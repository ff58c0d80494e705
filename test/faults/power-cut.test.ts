/** The power is cut, a few times; `scripts/faults/power-cut.ts` does a hundred rounds. */
import { expect } from 'chai'
import { whyNoLoopFilesystem } from './loop-filesystem.ts'
import { powerCuts } from './power-cut.ts'
import { readyTimes } from './ledger/statistics.ts'
import { rounds } from '../support/rounds.ts'

for (const filesystem of ['ext4', 'xfs'] as const) {
  const why = whyNoLoopFilesystem(filesystem)
  if (why !== undefined) {
    console.log(`The power of ${filesystem} cannot be cut here: ${why}`)
    continue
  }
  describe(`a power cut on ${filesystem}`, function () {
    this.timeout(180_000)

    it('loses nothing that was acknowledged', async () => {
      const seed = Date.now() % 1_000_000
      const report = await powerCuts({ filesystem, rounds: rounds(2, 3), clients: 16, seed })
      console.log(
        `        seed ${seed}: ${report.acknowledged} writes acknowledged; ${readyTimes(report.readyMs)}`,
      )
      expect(report.faults).to.deep.equal([])
      expect(report.acknowledged).to.be.greaterThan(50)
    })

    it('loses acknowledged writes when the event file does not wait for the disk', async () => {
      const report = await powerCuts({ filesystem, rounds: 10, clients: 16, seed: 1, withoutSync: true })
      expect(report.faults.filter((fault) => fault.includes('LOST'))).not.to.deep.equal([])
    })
  })
}
