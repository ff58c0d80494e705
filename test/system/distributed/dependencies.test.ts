/**
 * What becomes of requests when an engine is gone, silent or slow: the service between the two, with a proxy on the way
 * to each. The engines have to be ones that tests may cut off: our peer and FerretDB, whatever the environment names.
 */
import { expect } from 'chai'
import { setTimeout as delay } from 'node:timers/promises'
import { startFerretDb, type FerretDb } from '../../engines/ferretdb/start.ts'
import { hasFerretDb, NO_FERRETDB, withDatabase } from '../../engines/mongodb-under-test.ts'
import { copyKeys } from '../../support/copy-keys.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { startPeer, type Peer } from '../../peers/eventstoredb/start-peer.ts'
import { SECRETS_KEYS } from '../../support/secrets-keys.ts'
import { testService, type Answer, type TestService } from '../../support/service.ts'
import { tcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'
import { eventually } from '../support/eventually.ts'

/** MongoDB's driver may look for a lost server every ten seconds only. */
const AGAIN_MS = 40_000
const suite = suiteOf('lost, silent and slow engines', hasFerretDb ? undefined : NO_FERRETDB)

/** Reads wait 2 s for an engine, writes 10; what a busy machine adds is not the service's. */
const READ_BOUND_MS = 3_500
const READ_BOUND_OF_BOTH_MS = 5_500
const WRITE_BOUND_MS = 15_000

suite('a service whose engines fail', function () {
  this.timeout(120_000)
  let peer: Peer
  let ferretDb: FerretDb
  let [toEvents, toReadModels] = [] as unknown as [TcpProxy, TcpProxy]
  let service: TestService

  before(async () => {
    peer = await startPeer()
    ferretDb = await startFerretDb()
    toEvents = await tcpProxy({ port: peer.port })
    toReadModels = await tcpProxy({ port: Number(new URL(ferretDb.url).port) })
    service = await testService({
      settings: {
        EVENTSTORE_URL: `esdb://127.0.0.1:${toEvents.port}?tls=false`,
        MONGODB_URL: `mongodb://127.0.0.1:${toReadModels.port}/daybook`,
        READ_YOUR_WRITES_MS: '100',
        SECRETS_KEYS,
      },
    })
  })
  after(async () => {
    await service?.discard()
    await toEvents?.stop()
    await toReadModels?.stop()
    await peer?.stop()
    await ferretDb?.stop()
  })
  afterEach(async () => {
    toEvents.heal()
    toReadModels.heal()
    await eventually(
      'the service is itself again',
      async () => {
        expect((await service.list('tenant')).status).to.equal(200)
        expect((await service.post('tenant', { Name: 'Well again' })).status).to.equal(201)
      },
      AGAIN_MS,
    )
  })

  const timed = async (request: Promise<Answer>) => {
    const begin = performance.now()
    const { status } = await request
    return { status, ms: performance.now() - begin }
  }
  const names = (count: number, of: string) => Array.from({ length: count }, (_, i) => `${of}-${i}`)
  const shown = async (name: string) =>
    (await service.list('tenant', { filter: `startswith(Name, '${name}')`, pageSize: '100' })).list

  const readiness = async () => {
    const answer = await service.get('health/ready')
    return answer.status === 200 ? 'ready' : answer.error.Message
  }

  it('is ready only while its engines answer', async () => {
    for (const [proxy, reason] of [
      [toEvents, 'No answer from the event store for now.'],
      [toReadModels, 'No answer from the read models for now.'],
    ] as const) {
      proxy.cut()
      await eventually(reason, async () => expect(await readiness()).to.equal(reason))
      proxy.heal()
      await eventually('it is ready again', async () => expect(await readiness()).to.equal('ready'))
    }
  })

  it('acknowledges writes while the read models are gone, refuses reads in time, and catches up byte by byte', async () => {
    const { Id: tenant } = await service.create('tenant', { Name: 'Before the loss' })
    toReadModels.cut()
    for (const name of names(20, 'Unseen')) {
      const answer = await service.post('tenant', { Name: name })
      expect(answer.status, answer.text).to.equal(201)
      expect(answer.headers.get('Daybook-Read-Lag')).to.equal('true')
    }
    const lease = { MonthlyRent: { Amount: 900, Currency: 'EUR' }, StartDate: '2999-01-01', Tenant: tenant }
    expect((await service.post('contract', lease)).status).to.equal(201)
    expect((await service.patch(`tenant/${tenant}`, { Name: 'Renamed meanwhile' })).status).to.equal(200)
    for (const { status, ms } of await Promise.all([
      timed(service.list('tenant')),
      timed(service.list('tenant', { search: 'unseen' })),
      timed(service.list('contract', { expand: 'Tenant' })),
    ])) {
      expect(status).to.equal(503)
      expect(ms).to.be.below(READ_BOUND_MS)
    }

    toReadModels.heal()
    await eventually(
      'lists show everything',
      async () => {
        expect(await shown('Unseen')).to.have.length(20)
        const [contract] = (await service.list('contract')).list
        expect(contract?.['Tenant']).to.deep.equal({ Id: tenant, Name: 'Renamed meanwhile' })
      },
      AGAIN_MS,
    )
    const other = withDatabase(ferretDb.url, 'rebuilt')
    await copyKeys(withDatabase(ferretDb.url, 'daybook'), other)
    const rebuilt = await testService({
      settings: {
        EVENTSTORE_URL: peer.url,
        MONGODB_URL: other,
        SECRETS_KEYS,
      },
    })
    try {
      for (const object of ['tenant', 'contract'])
        await eventually(`both show the same of each ${object}`, async () => {
          const all = { sort: 'Id', pageSize: '100' }
          expect((await service.list(object, all)).text).to.equal((await rebuilt.list(object, all)).text)
        })
    } finally {
      await rebuilt.discard()
    }
  })

  it('acknowledges nothing while the event store is gone, and recovers within 5 s', async () => {
    toEvents.cut()
    let acknowledged = 0
    const writes = names(8, 'In-the-gap').map(async (name) => {
      const answer = await service.post('tenant', { Name: name }, { 'Idempotency-Key': name })
      if (answer.status < 300) acknowledged++
      return answer.status
    })
    await delay(1_500)
    expect(acknowledged).to.equal(0)
    // Credentials are judged by the event store; those that were seen before may go on reading for a while.
    const read = await timed(service.list('tenant'))
    expect(read.status).to.equal(200)
    expect(read.ms).to.be.below(READ_BOUND_MS)

    toEvents.heal()
    const { status, ms } = await timed(service.post('tenant', { Name: 'In-the-gap, last' }))
    expect(status).to.equal(201)
    expect(ms).to.be.below(5_000)
    for (const status of await Promise.all(writes)) expect([201, 503]).to.include(status)
    // What was not acknowledged is sent again, and is there once in any case.
    for (const name of names(8, 'In-the-gap')) {
      const again = await service.post('tenant', { Name: name }, { 'Idempotency-Key': name })
      expect(again.status, again.text).to.equal(201)
    }
    await eventually('each is there once', async () => {
      const found = (await shown('In-the-gap')).map((tenant) => tenant['Name'])
      expect(found.toSorted()).to.deep.equal(['In-the-gap, last', ...names(8, 'In-the-gap')].toSorted())
    })
  })

  it('answers every request in bounded time when both engines fall silent', async () => {
    const { Id } = await service.create('tenant', { Name: 'Before the silence' })
    toEvents.swallowAll()
    toReadModels.swallowAll()
    const reads = [service.list('tenant'), service.list('tenant', { search: 'silence' })].map(timed)
    const others = [
      service.get(`tenant/${Id}`),
      service.post('tenant', { Name: 'Into the silence' }),
      service.patch(`tenant/${Id}`, { Name: 'Changed in silence' }),
      service.delete(`tenant/${Id}`),
      service.post('tenant/batch', { Records: [{ Name: 'Many' }, { Name: 'More' }] }),
      service.get('/api/v1/health/ready'),
      service.get('/metrics'),
    ].map(timed)
    for (const { status, ms } of await Promise.all(reads)) {
      expect(status).to.equal(503)
      expect(ms).to.be.below(READ_BOUND_OF_BOTH_MS)
    }
    for (const { ms } of await Promise.all(others)) expect(ms).to.be.below(WRITE_BOUND_MS)
  })

  it('answers every request in bounded time when both engines are slow by 2 s, and keeps what it acknowledged', async () => {
    for (const proxy of [toEvents, toReadModels]) proxy.delay(1_000) // there and back
    const created = names(40, 'Slowly').map(async (Name) => ({
      Name,
      ...(await timed(service.post('tenant', { Name }))),
    }))
    const read = names(40, 'read').map(() => timed(service.list('tenant')))
    for (const { ms } of await Promise.all(read)) expect(ms).to.be.below(READ_BOUND_OF_BOTH_MS)
    const outcomes = await Promise.all(created)
    for (const { status, ms } of outcomes) {
      expect([201, 503]).to.include(status)
      expect(ms).to.be.below(WRITE_BOUND_MS)
    }
    for (const proxy of [toEvents, toReadModels]) proxy.heal()
    const acknowledged = outcomes.filter(({ status }) => status === 201).map(({ Name }) => Name)
    await eventually('what was acknowledged is there', async () => {
      const found = (await shown('Slowly')).map((tenant) => tenant['Name'])
      expect(found).to.include.members(acknowledged)
      expect(new Set(found).size).to.equal(found.length)
    })
  })
})
