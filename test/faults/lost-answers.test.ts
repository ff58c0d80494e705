/** An answer that never arrived, and the request sent again. */
import { expect } from 'chai'
import { checkStore } from './ledger/check-store.ts'
import { openLedger } from './ledger/ledger.ts'
import { lostAnswers, repeatAll } from './lost-answers.ts'
import { seededRandom } from '../support/random.ts'
import { startService, withFolder } from './ledger/service-process.ts'
import { openedPositions } from '../support/opened-positions.ts'

describe('a request whose answer was lost', function () {
  this.timeout(120_000)

  it('is done once and answered the same, however often it is sent again with its Idempotency-Key', () =>
    withFolder(async (dataDir) => {
      const ledger = openLedger(openedPositions(dataDir))
      const service = await startService({ dataDir })
      const report = await lostAnswers({ service, ledger, random: seededRandom(5), count: 100 })
      // One event for each request, with what it asked for: that is what the ledger's check says.
      const { faults } = await checkStore({ service, dataDir, entries: ledger.entries })
      await service.end('SIGTERM')
      expect(report.faults).to.deep.equal([])
      expect(faults).to.deep.equal([])
      expect(ledger.entries).to.have.length(100)
      expect(report.doneBefore, 'requests that were done before they were sent again').to.be.greaterThan(0)
    }))

  it('gives the same answer after the service was killed and started again', () =>
    withFolder(async (dataDir) => {
      const ledger = openLedger(openedPositions(dataDir))
      const random = seededRandom(6)
      const first = await startService({ dataDir })
      await lostAnswers({ service: first, ledger, random, count: 20 })
      await first.end('SIGKILL')

      const again = await startService({ dataDir })
      const answers = await repeatAll(again, ledger)
      const { faults } = await checkStore({ service: again, dataDir, entries: ledger.entries })
      await again.end('SIGTERM')
      expect(answers).to.deep.equal(ledger.entries.map(({ answer }) => answer!.data))
      expect(faults).to.deep.equal([])
    }))
})
