/** A disk that is full, and one that refuses an fsync. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { faultsAfterRestart } from './ledger/after-restart.ts'
import { diskFull, keepFull } from './disk-full.ts'
import { readEventFile } from './event-file.ts'
import { isAcknowledged, openLedger } from './ledger/ledger.ts'
import { startLoad } from './ledger/load.ts'
import { openLoopFilesystem, whyNoLoopFilesystem } from './loop-filesystem.ts'
import { nothingKnown } from './ledger/mix.ts'
import { seededRandom } from '../support/random.ts'
import { endServices, startService, withFolder } from './ledger/service-process.ts'
import { openedPositions } from '../support/opened-positions.ts'

const why = whyNoLoopFilesystem('ext4')
if (why !== undefined) console.log(`No disk can be filled here: ${why}`)
else
  describe('a disk that is full', function () {
    this.timeout(180_000)

    it('refuses writes with 5xx, serves reads, and takes writes again within 5 s of having space', async () => {
      const report = await diskFull({ clients: 8, seed: 4, fullMs: 3_000 })
      console.log(
        `        ${report.refused} writes refused, ${report.reads} reads served, resumed after ${Math.round(report.resumedMs)} ms`,
      )
      expect(report.faults).to.deep.equal([])
      expect(report.refused).to.be.greaterThan(0)
      expect(report.reads).to.be.greaterThan(0)
      expect(report.resumedMs).to.be.lessThan(5_000)
    })

    it('does not keep the service from ending within 10 s', async () => {
      const filesystem = openLoopFilesystem('ext4', 512)
      const dataDir = join(filesystem.folder, 'data')
      const ledger = openLedger(openedPositions(dataDir))
      const known = nothingKnown()
      let giveBack = () => {}
      try {
        const service = await startService({ dataDir, settings: { LOG_LEVEL: 'silent' } })
        const load = startLoad({ service, ledger, known, random: seededRandom(5), clients: 8 })
        while (ledger.entries.filter(isAcknowledged).length < 200) await delay(10)
        giveBack = keepFull(join(filesystem.folder, 'filler'))
        while (!ledger.entries.some(({ answer }) => (answer?.status ?? 0) >= 500)) await delay(10)
        const begun = performance.now()
        const exit = await Promise.race([service.end('SIGTERM'), delay(30_000, undefined, { ref: false })])
        const took = performance.now() - begun
        giveBack()
        if (exit === undefined) await service.end('SIGKILL')
        await load.stop()
        expect(exit, 'how the service ended').to.deep.equal({ code: 0, signal: null })
        expect(took, 'ms until it ended').to.be.lessThan(10_000)
        expect(await faultsAfterRestart({ dataDir, ledger, known })).to.deep.equal([])
      } finally {
        giveBack()
        await endServices()
        filesystem.close()
      }
    })
  })

describe('a disk that refuses an fsync', function () {
  this.timeout(60_000)

  const cases = [
    ['nothing of the group is stored', '0'],
    ['the group is stored all the same', '1'],
  ] as const
  for (const [what, stores] of cases)
    it(`ends the service, which acknowledges nothing from then on, when ${what}`, () =>
      withFolder(async (folder) => {
        const dataDir = join(folder, 'data')
        const note = join(folder, 'head-before')
        const ledger = openLedger(openedPositions(dataDir))
        const known = nothingKnown()
        const service = await startService({
          dataDir,
          preload: join(import.meta.dirname, 'preload', 'failing-commit.ts'),
          settings: {
            FAILING_COMMIT: '60',
            FAILING_COMMIT_STORES: stores,
            FAILING_COMMIT_NOTE: note,
          },
        })
        const load = startLoad({ service, ledger, known, random: seededRandom(8), clients: 16 })
        const exit = await service.exited
        await load.stop()

        const head = Number(readFileSync(note, 'utf8'))
        const positions = ledger.entries.filter(isAcknowledged).map(({ answer }) => answer?.position ?? 0)
        expect(exit, service.output()).to.deep.equal({ code: 1, signal: null })
        expect(Math.max(...positions), 'position of the last acknowledged write').to.be.at.most(head)
        if (stores === '1') {
          const { events } = readEventFile(join(dataDir, 'events.db'))
          expect(events.length, 'events that nobody was told of').to.be.greaterThan(head)
        }

        expect(await faultsAfterRestart({ dataDir, ledger, known })).to.deep.equal([])
      }))

  it('ends the service also when that happens while the log is moved into the event file', () =>
    withFolder(async (dataDir) => {
      const ledger = openLedger(openedPositions(dataDir))
      const known = nothingKnown()
      const preload = join(import.meta.dirname, 'preload', 'failing-checkpoint.ts')
      const service = await startService({ dataDir, preload })
      const load = startLoad({ service, ledger, known, random: seededRandom(9), clients: 4 })
      // A second attempt would be told that all is well, with pages that the kernel has given up.
      const exit = await Promise.race([service.exited, delay(15_000, undefined, { ref: false })])
      await service.end('SIGKILL')
      await load.stop()
      expect(exit, 'how the service ended').to.deep.equal({ code: 1, signal: null })

      expect(await faultsAfterRestart({ dataDir, ledger, known })).to.deep.equal([])
    }))
})
