/** R14: a backup that is made while clients write, and a service that is started from it. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { checkStore, divergence } from './ledger/check-store.ts'
import { readEventFile } from './event-file.ts'
import { isAcknowledged, ledgerUpTo, openLedger } from './ledger/ledger.ts'
import { startLoad } from './ledger/load.ts'
import { nothingKnown } from './ledger/mix.ts'
import { seededRandom } from './ledger/random.ts'
import { startService, withFolder } from './ledger/service-process.ts'

const BACKUP = join(import.meta.dirname, '..', '..', 'scripts', 'backup.ts')
const runBackup = async (from: string, to: string) =>
  (await promisify(execFile)(process.execPath, [BACKUP, from, to])).stdout

describe('a backup made under load', function () {
  this.timeout(120_000)

  it('is a prefix of what was acknowledged, and a service starts from it', () =>
    withFolder(async (folder) => {
      const [dataDir, target] = [join(folder, 'data'), join(folder, 'backup')]
      const ledger = openLedger()
      const acknowledged = () => ledger.entries.filter(isAcknowledged)
      const acknowledge = async (more: number) => {
        const wanted = acknowledged().length + more
        while (acknowledged().length < wanted) await delay(10)
      }
      const service = await startService({ dataDir })
      const load = startLoad({
        service,
        ledger,
        known: nothingKnown(),
        random: seededRandom(14),
        clients: 16,
        thinkMs: 2,
      })
      await acknowledge(100)
      const begun = Math.max(...acknowledged().map(({ answer }) => answer!.position ?? 0))
      await runBackup(dataDir, target)
      await acknowledge(50)
      await load.stop()
      await service.end('SIGTERM')

      const all = readEventFile(join(dataDir, 'events.db')).events
      const kept = readEventFile(join(target, 'events.db')).events
      expect(kept.length, 'events of the backup').to.be.at.least(begun)
      expect(kept.length, 'events of the backup').to.be.lessThan(all.length)
      expect(kept).to.deep.equal(all.slice(0, kept.length))

      const restored = await startService({ dataDir: target })
      const entries = ledgerUpTo(ledger.entries, kept.length)
      const { faults } = await checkStore({ service: restored, dataDir: target, entries })
      expect(faults).to.deep.equal([])

      // It is a store like any other: it takes writes, and goes on numbering where it was.
      const upTo = ledger.entries.length
      const more = startLoad({
        service: restored,
        ledger,
        known: nothingKnown(),
        random: seededRandom(15),
        clients: 4,
      })
      await acknowledge(20)
      await more.stop()
      const later = [...entries, ...ledger.entries.slice(upTo)]
      expect((await checkStore({ service: restored, dataDir: target, entries: later })).faults).to.deep.equal(
        [],
      )
      await restored.end('SIGTERM')
      expect(await divergence(target)).to.deep.equal([])
    }))

  it('never overwrites events, and leaves no half of a copy under their name', () =>
    withFolder(async (folder) => {
      const target = join(folder, 'backup')
      mkdirSync(target)
      writeFileSync(join(target, 'events.db'), 'not to be lost')
      const service = await startService({ dataDir: join(folder, 'data') })
      const refused = await runBackup(join(folder, 'data'), target).catch((error: Error) => error)
      expect(refused).to.be.instanceOf(Error)
      expect((refused as Error).message).to.include('never overwrites')
      const nothing = await runBackup(join(folder, 'empty'), join(folder, 'other')).catch(
        (error: Error) => error,
      )
      expect((nothing as Error).message).to.include('there is no event file')
      expect(existsSync(join(folder, 'other', 'events.db'))).to.equal(false)
      await service.end('SIGTERM')
    }))
})
