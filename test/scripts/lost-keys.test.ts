/**
 * Keys that are lost, wrong or elsewhere: the start is refused, and `npm run claim-again` and `npm run move-keys` are the ways
 * out, on embedded events and on a server.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inspect, promisify } from 'node:util'
import { expect } from 'chai'
import { sqliteKeyStore } from '../../src/adapters/sqlite/keys/key-store.ts'
import { mongoUnderTest, NOT_TESTED } from '../engines/mongodb-under-test.ts'
import { suiteOf } from '../engines/suite-of.ts'
import { startPeer, type Peer } from '../peers/eventstoredb/start-peer.ts'
import { ownCompany } from '../support/own-company.ts'
import { testService, type HeaderValues, type TestService } from '../support/service.ts'

const newMasterKey = () => randomBytes(32).toString('base64')

const refusalOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: Error) => error.message,
  )

/** What the command prints, on the folder of the service. */
async function run(name: string, service: TestService, settings: HeaderValues = {}, ...words: string[]) {
  const script = join(import.meta.dirname, '..', '..', 'scripts', `${name}.ts`)
  const { PATH = '' } = process.env
  const env = { PATH, DATA_DIR: service.dataDir, ...settings }
  return (await promisify(execFile)(process.execPath, [script, ...words], { env })).stdout
}

/** A tenant with a unique value. */
const withValue = (Name: string) => ({ Name, ExternalId: 'E-1' })

/** The value of the first tenant stays its own, and is the only one that is refused. */
async function expectUnique(service: TestService, first: string): Promise<void> {
  expect((await service.post('tenant', withValue('Bea'))).status).to.equal(409)
  expect((await service.put('tenant/by/ExternalId/E-1', { Phone: '1' })).data.Id).to.equal(first)
  const Email = 'admin@example.com'
  expect((await service.post('tenant', { Name: 'Cem', Email })).status).to.equal(201)
}

describe('master keys that are lost', function () {
  this.timeout(60_000)
  let service: TestService
  let first: string
  beforeEach(async () => {
    service = await testService()
    first = (await service.create('tenant', withValue('Ann'))).Id
    await service.stop()
  })
  afterEach(() => service.discard())

  it('stop the start, and no others are made in their place', async () => {
    const file = join(service.dataDir, 'secrets.key')
    copyFileSync(file, `${file}.kept`)
    rmSync(file)
    expect(await refusalOf(service.restart())).to.include('secrets.key is missing')
    expect(existsSync(file)).to.equal(false)
    expect(await refusalOf(service.restart({ SECRETS_KEYS: newMasterKey() }))).to.include(
      'not in SECRETS_KEYS',
    )
    copyFileSync(`${file}.kept`, file)
    await service.restart({})
    await expectUnique(service, first)
  })

  it('are replaced by claim-again, on demand only: then unique values are still unique', async () => {
    rmSync(join(service.dataDir, 'secrets.key'))
    const SECRETS_KEYS = newMasterKey()
    expect(await refusalOf(run('claim-again', service, { SECRETS_KEYS }))).to.include('--without-keys')
    expect(await refusalOf(service.restart({ SECRETS_KEYS }))).to.include('not in SECRETS_KEYS')
    const said = await run('claim-again', service, { SECRETS_KEYS }, '--without-keys')
    expect(said).to.include('1 companies have new keys').and.to.include('is lost')
    await service.restart({ SECRETS_KEYS })
    await expectUnique(service, first)
  })

  it('need not be kept once a new one has sealed the keys of companies', async () => {
    await service.restart({ SECRETS_KEYS: newMasterKey() }).catch(() => {})
    const [old, next] = [newMasterKey(), newMasterKey()]
    await run('claim-again', service, { SECRETS_KEYS: old }, '--without-keys')
    await service.restart({ SECRETS_KEYS: `${next},${old}` })
    await service.restart({ SECRETS_KEYS: next })
    await expectUnique(service, first)
  })
})

describe('keys of companies that are of an older backup', function () {
  this.timeout(60_000)

  it('are noticed by the company whose key is missing: no value is given twice', async () => {
    const service = await testService()
    try {
      await service.stop()
      const store = sqliteKeyStore(join(service.dataDir, 'keys.db'))
      await store.destroy('claims', 'claims~')
      await store.close()
      await service.restart()
      expect((await service.post('tenant', withValue('Ann'))).status).to.equal(500)
      expect(inspect(service.logged)).to.include('is missing').and.to.include('claim-again')
      await service.stop()
      expect(await run('claim-again', service, {}, '--without-keys')).to.include('1 companies have new keys')
      await service.restart()
      const { Id } = await service.create('tenant', withValue('Ann'))
      await expectUnique(service, Id)
      const again = {
        Email: 'admin@example.com',
        Name: 'Eve',
        Password: 'a password for tests',
        Roles: ['viewer'],
      }
      expect(
        (await service.post('identity/users', again)).status,
        'the address of the administrator',
      ).to.equal(409)
    } finally {
      await service.discard()
    }
  })
})

describe('claim-again', function () {
  this.timeout(60_000)

  it('does nothing where nothing is lost, and not to a folder that is in use', async () => {
    const service = await testService()
    try {
      const { Id } = await service.create('tenant', withValue('Ann'))
      expect(await refusalOf(run('claim-again', service))).to.include('another process has the data folder')
      await service.stop()
      expect(await run('claim-again', service)).to.include('0 values of unique fields were claimed')
      await service.restart()
      await expectUnique(service, Id)
    } finally {
      await service.discard()
    }
  })

  it('reports what it cannot read, and claims the rest', async () => {
    const service = await testService()
    try {
      const { Id } = await service.create('tenant', withValue('Ann'))
      const broken = await service.create('tenant', { Name: 'Broken', ExternalId: 'E-2' })
      await service.stop()
      service.inEventFile(`UPDATE events SET data = '{' WHERE stream LIKE '%${broken.Id}'`)
      rmSync(join(service.dataDir, 'keys.db'))
      const said = await run('claim-again', service, {}, '--without-keys')
      expect(said).to.include(`not claimed: ${broken.Id}`).and.to.include('not valid JSON')
      await service.restart()
      expect((await service.post('tenant', withValue('Bea'))).status).to.equal(409)
      expect((await service.get(`tenant/${Id}`)).data['ExternalId']).to.equal('E-1')
    } finally {
      await service.discard()
    }
  })

  describe('on a server of events', () => {
    let peer: Peer
    before(async () => (peer = await startPeer()))
    after(() => peer.stop())

    it('makes new keys in place of a data folder that is lost', async () => {
      const settings = { EVENTSTORE_URL: peer.url, SECRETS_KEYS: newMasterKey() }
      const service = await testService({ settings, token: await ownCompany(peer.url) })
      try {
        const first = await service.create('tenant', withValue('Ann'))
        await service.stop()
        rmSync(join(service.dataDir, 'keys.db'))
        expect(await refusalOf(service.restart(settings))).to.include('are not those')
        expect(await refusalOf(run('claim-again', service, settings))).to.include('--without-keys')
        await run('claim-again', service, settings, '--without-keys')
        await service.restart(settings)
        await expectUnique(service, first.Id)
      } finally {
        await service.discard()
      }
    })
  })
})

const mongo = mongoUnderTest()
const suite = suiteOf('move-keys', mongo ? undefined : NOT_TESTED)

suite(`move-keys (${mongo?.name ?? 'none'})`, function () {
  this.timeout(60_000)
  before(() => mongo!.start())
  after(() => mongo!.stop())

  it('takes the keys into MongoDB, where the service is to keep them, and back', async () => {
    const service = await testService()
    try {
      const MONGODB_URL = mongo!.newDatabase()
      const first = await service.create('tenant', withValue('Ann'))
      await service.stop()
      expect(await refusalOf(service.restart({ MONGODB_URL }))).to.include('npm run move-keys')
      expect(await run('move-keys', service, { MONGODB_URL })).to.match(/[1-9] keys were moved to .*MongoDB/)
      expect(await run('move-keys', service, { MONGODB_URL })).to.include('already')
      expect(await refusalOf(service.restart({})), 'the file does not count any more').to.include(
        'are not those',
      )
      await service.restart({ MONGODB_URL })
      await expectUnique(service, first.Id)
      await service.stop()
      rmSync(join(service.dataDir, 'keys.db'))
      expect(await run('move-keys', service, { FROM_MONGODB_URL: MONGODB_URL })).to.match(
        /moved to .*keys\.db/,
      )
      await service.restart({})
      expect((await service.post('tenant', withValue('Dag'))).status).to.equal(409)
    } finally {
      await service.discard()
    }
  })

  it('does not take keys of another store', async () => {
    const [service, other] = [await testService(), await testService()]
    try {
      await service.stop()
      await other.stop()
      copyFileSync(join(other.dataDir, 'keys.db'), join(service.dataDir, 'keys.db'))
      const refused = await refusalOf(run('move-keys', service, { MONGODB_URL: mongo!.newDatabase() }))
      expect(refused).to.include('not those that this store was written with')
    } finally {
      await service.discard()
      await other.discard()
    }
  })
})
