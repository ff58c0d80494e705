/** The process around the warehouse on PostgreSQL: its thread, connections that break, and files of snapshots. */
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { poolOf, transaction } from '../../../src/adapters/postgres/connection.ts'
import { postgresControl } from '../../../src/adapters/postgres/warehouse/control.ts'
import { postgresWarehouseStore } from '../../../src/adapters/postgres/warehouse/projection-store.ts'
import { removeLeft } from '../../../src/adapters/postgres/export/snapshots.ts'
import { startWriter } from '../../../src/adapters/postgres/writing/writer.ts'
import { supersededCheck, unlessSuperseded } from '../../../src/adapters/postgres/writing/superseded.ts'
import type { WarehousePostgresData } from '../../../src/compose/threads/warehouse-postgres.ts'
import type { Definitions } from '../../../src/domain/definition.ts'
import { Unavailable } from '../../../src/domain/errors.ts'
import { NO_POSTGRES, postgresUnderTest } from '../../engines/postgres-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { startPeer } from '../../peers/eventstoredb/start-peer.ts'
import { sampleDefinitions } from '../../support/sample-definitions.ts'
import { newFolder } from '../../support/service.ts'
import { eventually } from '../../system/support/eventually.ts'

describe('the thread that writes the warehouse to PostgreSQL', () => {
  it('is started again when it dies, and ends the process when it does so again and again', async () => {
    const fatal = Promise.withResolvers<string>()
    const logged: string[] = []
    const writer = startWriter({
      start: () => new Worker(new URL('./dying-thread.ts', import.meta.url)),
      log: { error: (_, message) => void logged.push(message ?? '') },
      onFatal: fatal.resolve,
      pauseMs: 1,
    })
    expect(await fatal.promise).to.equal('the warehouse thread has ended: no room')
    expect(logged).to.deep.equal(Array(5).fill('the warehouse thread has ended; it is started again'))
    await writer.close()
  })
})

describe('the folder of snapshots', () => {
  it('keeps what is young, which may be of another process', async () => {
    const folder = join(newFolder(), 'snapshots')
    mkdirSync(folder)
    for (const name of ['young.db', 'old.db']) writeFileSync(join(folder, name), 'rows')
    const now = Date.now()
    utimesSync(join(folder, 'old.db'), now / 1_000 - 3_700, now / 1_000 - 3_700)
    await removeLeft(folder, now)
    expect(readdirSync(folder)).to.deep.equal(['young.db'])
    rmSync(folder, { recursive: true })
    await removeLeft(folder, now)
  })
})

const postgres = postgresUnderTest()
const suite = suiteOf('connections to PostgreSQL', postgres ? undefined : NO_POSTGRES)

suite('a server that is killed', function () {
  this.timeout(60_000)
  before(() => postgres!.start())
  after(() => postgres!.stop())

  it('ends what was under way between two statements, and nothing else', async () => {
    const url = await postgres!.server().newDatabase()
    const pool = poolOf(url, 1, () => {})
    const failed = await transaction(pool, async (client) => {
      const ended = new Promise<void>((resolve) => client.once('end', () => resolve()))
      await postgres!.server().kill()
      await ended
      await client.query('SELECT 1')
    }).catch((error: unknown) => error)
    expect(failed).to.be.instanceOf(Unavailable)
    await postgres!.server().start()
    const { rows } = await transaction(pool, (client) => client.query<{ one: string }>('SELECT 1 AS one'))
    expect(rows).to.deep.equal([{ one: '1' }])
    await pool.end()
  })
})

suite('processes with other definitions', function () {
  this.timeout(60_000)
  before(() => postgres!.start())
  after(() => postgres!.stop())

  it('stop the one that was started earlier, which says so once', async () => {
    const url = await postgres!.server().newDatabase()
    const peer = await startPeer()
    const definitions = [...sampleDefinitions.values()]
    const logged: string[] = []
    const writer = startWriter({
      start: () =>
        new Worker(new URL('../../../src/compose/threads/warehouse-postgres.ts', import.meta.url), {
          workerData: {
            url,
            dataDir: newFolder(),
            definitions,
            eventStoreUrl: peer.url,
          } satisfies WarehousePostgresData,
        }),
      log: {
        error: (about, message) => void logged.push(`${message}: ${(about as { detail: string }).detail}`),
      },
      onFatal: (reason) => logged.push(reason),
    })
    const unit = sampleDefinitions.get('unit')!
    const others = new Map(sampleDefinitions).set('unit', {
      ...unit,
      fields: [...unit.fields, { name: 'Added', type: 'text' }],
    })
    const startWith = async (own: Definitions) => {
      const store = postgresWarehouseStore({ url, definitions: own, now: Date.now })
      await store.isOutdated()
      return store
    }
    const control = postgresControl(url)
    try {
      // It has prepared the database.
      await eventually('it writes', async () => expect(await control.status()).to.have.length(1))
      const later = await startWith(others)
      expect(await later.isSuperseded()).to.equal(false)
      await eventually('it has stopped', async () => expect(writer.isSuperseded()).to.equal(true))
      await eventually('it has said so', async () =>
        expect(
          logged.filter((line) => line.startsWith('this process writes the warehouse no more')),
        ).to.deep.equal([
          'this process writes the warehouse no more: a process with other definitions, which was started later, writes the warehouse',
        ]),
      )
      const [shown] = await unlessSuperseded(control, writer.isSuperseded).status()
      expect(shown).to.include({ name: 'warehouse', state: 'parked' })
      expect(supersededCheck(true)).to.include({ name: 'warehouse writer', required: false })
      await later.close()
    } finally {
      await control.close()
      await writer.close()
      await peer.stop()
    }
  })
})
