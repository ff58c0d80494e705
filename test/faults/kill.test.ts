/** The process is killed, or asked to stop, while 16 clients write. */
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { faultsAfterRestart } from './ledger/after-restart.ts'
import { checkStore } from './ledger/check-store.ts'
import { killRounds } from './kill-rounds.ts'
import { httpClient } from './ledger/http-client.ts'
import { isAcknowledged, openLedger, requestOf, type Intent } from './ledger/ledger.ts'
import { startLoad } from './ledger/load.ts'
import { nothingKnown } from './ledger/mix.ts'
import { seededRandom } from '../support/random.ts'
import { startService, withFolder } from './ledger/service-process.ts'
import { readyTimes } from './ledger/statistics.ts'
import { openedPositions } from '../support/opened-positions.ts'
import { rounds } from '../support/rounds.ts'

const CLIENTS = 16
const ROUNDS = rounds(4, 10)

describe('a service that is killed', function () {
  this.timeout(600_000)

  it(`loses nothing it has acknowledged, issues no number twice and leaves nothing half done, ${ROUNDS} times`, () =>
    withFolder(async (dataDir) => {
      const seed = Date.now() % 1_000_000
      const report = await killRounds({
        dataDir,
        rounds: ROUNDS,
        clients: CLIENTS,
        seed,
        verifyEvery: ROUNDS / 2,
      })
      console.log(
        `        seed ${seed}: ${report.acknowledged} writes acknowledged, ${report.unanswered} cut off; ${readyTimes(report.readyMs)}`,
      )
      expect(report.faults).to.deep.equal([])
      expect(report.unanswered, 'requests that a kill has cut off').to.be.greaterThan(10)
    }))

  it('goes on giving records the new name of what they look up, also when nobody writes any more', () =>
    withFolder(async (dataDir) => {
      const ledger = openLedger(openedPositions(dataDir))
      const service = await startService({ dataDir })
      const http = httpClient(service)
      const ask = async (intent: Intent) => {
        const entry = ledger.sending(() => intent)
        ledger.received(entry, await http.send(requestOf(entry)))
        return entry
      }
      const tenant = await ask({ kind: 'create', object: 'tenant', fields: { Name: 'Before' } })
      const key = (tenant.answer!.data as { Id: string }).Id
      const row = { MonthlyRent: { Amount: 1, Currency: 'EUR' }, StartDate: '2020-01-01', Tenant: key }
      for (let batch = 0; batch < 6; batch++) {
        const rows = Array.from({ length: 500 }, (_, index) => ({ ...row, Notes: `${batch}/${index}` }))
        await ask({ kind: 'batch', object: 'contract', rows })
      }
      await ask({ kind: 'patch', key, fields: { Name: 'After' } })
      await service.end('SIGKILL')
      http.close()

      const again = await startService({ dataDir })
      const { faults } = await checkStore({ service: again, dataDir, entries: ledger.entries })
      await again.end('SIGKILL')
      expect(faults.slice(0, 5)).to.deep.equal([])
    }))
})

describe('a service that is told to stop under load', function () {
  this.timeout(60_000)

  it('answers what is under way, ends with code 0 within 10 s, and has lost nothing', () =>
    withFolder(async (dataDir) => {
      const ledger = openLedger(openedPositions(dataDir))
      const known = nothingKnown()
      const service = await startService({ dataDir })
      const load = startLoad({ service, ledger, known, random: seededRandom(3), clients: CLIENTS })
      while (ledger.entries.filter(isAcknowledged).length < 100) await delay(20)
      const start = performance.now()
      const exit = await service.end('SIGTERM')
      const took = performance.now() - start
      await load.stop()
      console.log(`        it ended after ${Math.round(took)} ms`)
      expect(exit).to.deep.equal({ code: 0, signal: null })
      expect(took).to.be.lessThan(10_000)
      expect(load.faults).to.deep.equal([])

      expect(await faultsAfterRestart({ dataDir, ledger, known })).to.deep.equal([])
    }))
})
