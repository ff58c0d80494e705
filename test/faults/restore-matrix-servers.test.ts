/**
 * What becomes of servers that are of different times: an EventStoreDB of an earlier state, put back or gone on with
 * elsewhere, beside a MongoDB (read models, outbox, rows for operators' tools) of before or after. As
 * `restore-matrix.test.ts` has it for the embedded files.
 */
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { startFerretDb } from '../engines/ferretdb/start.ts'
import { hasFerretDb, NO_FERRETDB } from '../engines/mongodb-under-test.ts'
import { suiteOf } from '../engines/suite-of.ts'
import { startPeer, type Peer } from '../peers/eventstoredb/start-peer.ts'
import { SECRETS_KEYS } from '../support/secrets-keys.ts'
import { newFolder, testService, type TestService } from '../support/service.ts'
import { eventually } from '../system/support/eventually.ts'
import { expectHeld, heldBy, HELD, sentTo, sinceOld, tenantNames, WRITTEN, type Age } from './ages.ts'
import { startReceiver, type Receiver } from '../webhooks/receiver.ts'

const suite = suiteOf('servers of different times', hasFerretDb ? undefined : NO_FERRETDB)

suite('servers of which one is of another time', function () {
  this.timeout(90_000)
  const folder = newFolder()
  const current = { events: join(folder, 'events'), mongo: join(folder, 'mongo') }
  const kept = (age: Age, part: keyof typeof current) => join(folder, age, part)
  let peer: Peer | undefined
  let mongo: Awaited<ReturnType<typeof startFerretDb>> | undefined
  let service: TestService
  let receiver: Receiver
  let webhook = ''

  const start = async (more: Readonly<Record<string, string>> = {}) => {
    peer = await startPeer({ file: join(current.events, 'events.db') })
    mongo = await startFerretDb({ folder: current.mongo })
    const settings = {
      EVENTSTORE_URL: peer.url,
      MONGODB_URL: `${mongo.url}daybook`,
      SECRETS_KEYS,
      WEBHOOK_ALLOW_ADDRESSES: '127.0.0.0/8',
      ...more,
    }
    if (service as TestService | undefined) await service.restart(settings)
    else service = await testService({ settings })
  }
  const stopAll = async () => {
    await service.stop()
    await peer?.stop()
    await mongo?.kill()
  }
  const stop = async () => {
    await stopAll()
    // What a process keeps of its own follows the events.
    for (const name of readdirSync(service.dataDir))
      rmSync(join(service.dataDir, name), { recursive: true, force: true })
  }
  const copy = (from: string, to: string) => {
    rmSync(to, { recursive: true, force: true })
    cpSync(from, to, { recursive: true })
  }
  const keep = async (age: Age) => {
    await inSink(await tenantNames(service))
    await stop()
    for (const part of ['events', 'mongo'] as const) copy(current[part], kept(age, part))
  }
  const put = async (events: Age, inMongo: Age) => {
    await stop()
    copy(kept(events, 'events'), current.events)
    copy(kept(inMongo, 'mongo'), current.mongo)
  }
  const sent = sentTo(() => receiver)
  const write = async (name: keyof typeof WRITTEN) => {
    for (let i = 1; i <= WRITTEN[name]; i++) await service.create('tenant', { Name: `${name} ${i}` })
  }
  const inSink = async (expected: readonly string[]) => {
    const client = new MongoClient(mongo!.url)
    try {
      await eventually('the rows are written', async () => {
        const rows = await client.db('daybook').collection('wh_Leasing_Tenant').find().toArray()
        expect(rows.map(({ Name }) => Name as string).sort()).to.deep.equal(expected)
      })
    } finally {
      await client.close()
    }
  }

  /** Refused while the journal is written again, and never answered with anything else. */
  const audited = async (expected: readonly string[]) => {
    const answers = new Set<string>()
    await eventually('the audit is whole', async () => {
      const asked = { object: 'tenant', event: 'tenant.created', pageSize: '100' }
      const answer = await service.get(`audit?${new URLSearchParams(asked).toString()}`)
      if (answer.status !== 503)
        answers.add(
          answer.list
            .map(({ Data }) => (Data as unknown as { Name: string }).Name)
            .sort()
            .join(),
        )
      expect(answer.status).to.equal(200)
    })
    expect([...answers]).to.deep.equal([expected.join()])
  }

  before(async () => {
    for (const part of Object.values(current)) mkdirSync(part, { recursive: true })
    receiver = await startReceiver()
    await start()
    webhook = (await service.post('webhooks', { Url: `${receiver.url}/`, Events: ['tenant.created'] })).data
      .Id
    await write('before')
    await receiver.got(3)
    await keep('old')
    await start()
    await write('lost')
    await receiver.got(8)
    await keep('new')
    for (const part of ['events', 'mongo'] as const) copy(kept('old', part), current[part])
    await start()
    await write('elsewhere')
    await keep('branched')
  })
  after(async () => {
    await stop()
    await service.discard()
    await receiver.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const said = (from: number, what: RegExp) =>
    service.logged.slice(from).filter(({ message }) => what.test(message)).length

  for (const events of ['old', 'new', 'branched'] as const)
    for (const inMongo of ['old', 'new'] as const)
      it(`shows what the events say: events ${events}, MongoDB ${inMongo}`, async () => {
        await put(events, inMongo)
        const logged = service.logged.length
        await start()
        expect(await tenantNames(service)).to.deep.equal(HELD[events])
        const created = await service.post('tenant', { Name: 'a new one' })
        expect([created.status, created.headers.get('Daybook-Read-Lag')]).to.deep.equal([201, null])
        expect((await service.get(`tenant/${created.data.Id}`)).status).to.equal(200)
        expect(await tenantNames(service)).to.deep.equal(['a new one', ...HELD[events]])
        await inSink(['a new one', ...HELD[events]])
        await audited(['a new one', ...HELD[events]])
        const isOther = Number(inMongo === 'new' && events !== 'new')
        // Once by the start that waits for it, once by the process that does it.
        expect(said(logged, /read models are of another log, and are rebuilt/)).to.equal(isOther)
        expect(said(logged, /warehouse in MongoDB is of another log/)).to.equal(isOther)
        expect(said(logged, /journal in MongoDB is of another log/)).to.equal(isOther)
      })

  for (const [events, inMongo] of [
    ['old', 'old'],
    ['branched', 'old'],
    ['new', 'new'],
  ] as const)
    it(`sends on where it was: events ${events}, MongoDB ${inMongo}`, async () => {
      await put(events, inMongo)
      sent.begin()
      await start()
      await service.create('tenant', { Name: 'a new one' })
      await sent.is('a new one', ...(inMongo === 'old' ? sinceOld(events) : []))
      expect(await heldBy(service)).to.equal('')
    })

  for (const events of ['old', 'branched'] as const)
    for (const choice of ['resend', 'skip'] as const)
      it(`sends nothing until it is decided what, then goes on: events ${events}, MongoDB new, ${choice}`, async () => {
        await put(events, 'new')
        sent.begin()
        const logged = service.logged.length
        await start()
        await expectHeld(service, sent, logged)

        await stopAll()
        await start({ WEBHOOKS_AFTER_RESTORE: choice })
        expect(await heldBy(service)).to.equal('')
        await service.create('tenant', { Name: 'a new one' })
        await sent.is('a new one', ...(choice === 'resend' ? ['while it is held', ...sinceOld(events)] : []))
        await eventually('nothing is held or pending', async () => {
          expect((await service.get('projections')).text).not.to.include('WEBHOOKS_AFTER_RESTORE')
          const { list } = await service.list(`webhooks/${webhook}/deliveries`, { state: 'pending' })
          expect(list).to.deep.equal([])
        })
      })
})
