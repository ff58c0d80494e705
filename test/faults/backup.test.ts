/** A backup that is made while clients write, and a service that is started on what is restored from it. */
import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { newFolder, testService } from '../support/service.ts'
import { eventually } from '../system/support/eventually.ts'
import { startReceiver } from '../webhooks/receiver.ts'
import { checkStore, divergence } from './ledger/check-store.ts'
import { readEventFile } from './event-file.ts'
import { isAcknowledged, ledgerUpTo, openLedger } from './ledger/ledger.ts'
import { startLoad } from './ledger/load.ts'
import { nothingKnown } from './ledger/mix.ts'
import { seededRandom } from '../support/random.ts'
import { startService, withFolder } from './ledger/service-process.ts'
import { openedPositions } from '../support/opened-positions.ts'

const SCRIPTS = join(import.meta.dirname, '..', '..', 'scripts')
const run = async (script: string, ...words: string[]) =>
  (await promisify(execFile)(process.execPath, [join(SCRIPTS, script), ...words])).stdout
const runBackup = (from: string, to: string) => run('backup.ts', from, to)
const runRestore = (...words: string[]) => run('restore.ts', ...words)
const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: Error) => error.message,
  )

describe('a backup made under load', function () {
  this.timeout(120_000)

  it('is a prefix of what was acknowledged, and a service starts from it', () =>
    withFolder(async (folder) => {
      const [dataDir, target] = [join(folder, 'data'), join(folder, 'backup')]
      const ledger = openLedger(openedPositions(dataDir))
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

      const restoredDir = join(folder, 'restored')
      await runRestore(target, restoredDir)
      expect(readEventFile(join(restoredDir, 'events.db')).events).to.deep.equal(kept)
      const restored = await startService({ dataDir: restoredDir })
      const entries = ledgerUpTo(ledger.entries, kept.length)
      const { faults } = await checkStore({ service: restored, dataDir: restoredDir, entries })
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
      expect(
        (await checkStore({ service: restored, dataDir: restoredDir, entries: later })).faults,
      ).to.deep.equal([])
      await restored.end('SIGTERM')
      expect(await divergence(restoredDir)).to.deep.equal([])
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

  it('holds events, keys and outbox, readable by their owner alone, and says what it holds', () =>
    withFolder(async (folder) => {
      const [dataDir, target] = [join(folder, 'data'), join(folder, 'backup')]
      const service = await startService({ dataDir })
      const said = await runBackup(dataDir, target)
      await service.end('SIGTERM')
      expect(readdirSync(target).sort()).to.deep.equal([
        'events.db',
        'inbox.db',
        'keys.db',
        'manifest.json',
        'secrets.key',
        'timers.db',
        'webhooks.db',
      ])
      for (const name of readdirSync(target))
        expect(statSync(join(target, name)).mode & 0o777, name).to.equal(0o600)
      const manifest = JSON.parse(readFileSync(join(target, 'manifest.json'), 'utf8')) as Record<
        string,
        unknown
      >
      expect(manifest).to.include({ Format: 1, Keys: 'included', Outbox: 'included' })
      const events = readEventFile(join(target, 'events.db')).events.length
      expect(manifest['Events']).to.deep.equal({ Count: events, Head: events })
      for (const { Name, Bytes } of manifest['Files'] as { Name: string; Bytes: number }[])
        expect(statSync(join(target, Name)).size, Name).to.equal(Bytes)
      expect(said).to.include(`${events} events`).and.to.not.include('no secrets.key')
    }))

  it('is not restored when it is damaged or not whole, or over something else', () =>
    withFolder(async (folder) => {
      const [dataDir, target, restored] = [
        join(folder, 'data'),
        join(folder, 'backup'),
        join(folder, 'restored'),
      ]
      const service = await startService({ dataDir })
      await runBackup(dataDir, target)
      await service.end('SIGTERM')
      expect(await faultOf(runRestore(target, dataDir))).to.include('is not empty')

      const events = readFileSync(join(target, 'events.db'))
      appendFileSync(join(target, 'events.db'), 'x')
      expect(await faultOf(runRestore(target, restored))).to.include('damaged: events.db')
      events[events.length - 1]! ^= 1
      writeFileSync(join(target, 'events.db'), events)
      expect(await faultOf(runRestore(target, restored))).to.include('damaged: events.db')
      rmSync(join(target, 'events.db'))
      expect(await faultOf(runRestore(target, restored))).to.include('events.db is missing')
      rmSync(join(target, 'manifest.json'))
      expect(await faultOf(runRestore(target, restored))).to.include('manifest.json')
      expect(existsSync(restored), 'anything written').to.equal(false)
    }))

  it('without keys is restored only by who says so, and says what is lost', () =>
    withFolder(async (folder) => {
      const [dataDir, target] = [join(folder, 'data'), join(folder, 'backup')]
      const service = await startService({ dataDir })
      await service.end('SIGTERM')
      rmSync(join(dataDir, 'secrets.key'))
      expect(await runBackup(dataDir, target)).to.include('no secrets.key')
      expect(await faultOf(runRestore(target, join(folder, 'refused')))).to.include('--without-keys')
      expect(existsSync(join(folder, 'refused'))).to.equal(false)
      expect(await runRestore(target, join(folder, 'restored'), '--without-keys')).to.include('is lost')
    }))

  it('without keys is restored with new ones, and unique values stay unique', async () => {
    const service = await testService()
    const target = newFolder()
    const [backup, restored] = [join(target, 'backup'), join(target, 'restored')]
    try {
      const ann = await service.create('tenant', { Name: 'Ann', ExternalId: 'E-1' })
      const gone = await service.create('tenant', { Name: 'Gone', ExternalId: 'E-2' })
      await service.delete(`tenant/${gone.Id}`)
      await runBackup(service.dataDir, backup)
      await service.stop()
      expect(await runRestore(backup, restored, '--without-keys')).to.match(
        /values of unique fields were claimed/,
      )
      await service.restart({ DATA_DIR: restored })
      const again = await service.post('tenant', { Name: 'Bea', ExternalId: 'E-1' })
      expect([again.status, again.error?.Details?.[0]?.Field]).to.deep.equal([409, 'ExternalId'])
      expect((await service.put('tenant/by/ExternalId/E-1', { Name: 'Cem' })).data.Id).to.equal(ann.Id)
      expect((await service.post('tenant', { Name: 'Dag', ExternalId: 'E-2' })).status).to.equal(201)
    } finally {
      await service.discard()
      rmSync(target, { recursive: true })
    }
  })

  it('whose keys of companies are missing or others is not started on: values would be given twice', async () => {
    const service = await testService()
    try {
      await service.create('tenant', { Name: 'Ann', ExternalId: 'E-1' })
      await service.stop()
      rmSync(join(service.dataDir, 'keys.db'))
      const refused = await faultOf(service.restart())
      expect(refused).to.include('keys.db are not those that this store was written with')
    } finally {
      await service.discard()
    }
  })

  it('goes on sending: what happens right after the start is delivered, signed with the secret of before', async () => {
    const settings = { WEBHOOK_ALLOW_ADDRESSES: '127.0.0.0/8' }
    const receiver = await startReceiver()
    const service = await testService({ settings })
    const target = newFolder()
    const restored = join(target, 'restored')
    try {
      await service.create('tenant', { Name: 'nobody is told' })
      const Secret = 'a-secret-of-some-length-0123456789'
      const body = { Url: `${receiver.url}/`, Events: ['tenant.*'], Secret }
      expect((await service.post('webhooks', body)).status).to.equal(201)
      await service.create('tenant', { Name: 'before' })
      await receiver.got(1)
      await runBackup(service.dataDir, join(target, 'backup'))
      await service.stop()
      await runRestore(join(target, 'backup'), restored)
      await service.restart({ ...settings, DATA_DIR: restored })
      await service.create('tenant', { Name: 'at once' })
      await eventually('it is delivered', async () =>
        expect(receiver.received.map(({ json }) => json.Data['Name'])).to.include('at once'),
      )
      expect(receiver.received.map(({ json }) => json.Data['Name'])).to.not.include('nobody is told')
      const { text, headers } = receiver.received.at(-1)!
      const digest = createHmac('sha256', Secret).update(text).digest('hex')
      expect(headers['x-hub-signature-256']).to.equal(`sha256=${digest}`)
      expect(service.logged).to.deep.equal([])
    } finally {
      await service.discard()
      await receiver.stop()
      rmSync(target, { recursive: true })
    }
  })
})
