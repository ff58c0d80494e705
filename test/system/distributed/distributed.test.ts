/**
 * The same story on the distributed engines and on every mix, and what only several processes can show: that each sees
 * what another wrote, and that one takes over from another.
 *
 * Events: the server of `EVENTSTORE_URL`, else our peer over a real socket. Read models: the server of `MONGODB_URL`,
 * else FerretDB. Due deliveries: the broker of `RABBITMQ_URL`, else a RabbitMQ of our own. Servers may be others' too:
 * companies are fresh each time.
 */
import { expect } from 'chai'
import type { Clock } from '../../../src/ports/clock.ts'
import { mongoUnderTest, NOT_TESTED } from '../../engines/mongodb-under-test.ts'
import { NOT_TESTED as NO_BROKER, rabbitmqUnderTest } from '../../engines/rabbitmq-under-test.ts'
import { startPeer, type Peer } from '../../peers/eventstoredb/start-peer.ts'
import { ownCompany } from '../../support/own-company.ts'
import { SECRETS_KEYS } from '../../support/secrets-keys.ts'
import {
  client,
  testService,
  type Client,
  type HeaderValues,
  type TestService,
} from '../../support/service.ts'
import { asOfStory } from '../stories/as-of-story.ts'
import { eventually } from '../support/eventually.ts'
import { lookingBackStory } from '../stories/looking-back-story.ts'
import { startMain, type MainProcess } from '../support/main-process.ts'
import { OUTWARD, outwardStory } from '../stories/outward-story.ts'
import { packsStory } from '../stories/packs-story.ts'
import { rebuildStory } from '../stories/rebuild-story.ts'
import { recordsStory } from '../stories/records-story.ts'

/** The lease of the dead lapses after 6 s; what a busy machine adds is not the service's. */
const TAKEOVER_MS = 40_000

const mongo = mongoUnderTest()
const broker = rabbitmqUnderTest()
const eventStoreUrl = process.env['EVENTSTORE_URL']

describe('the story of a lease, distributed', function () {
  this.timeout(60_000)
  const peers: Peer[] = []

  before(async () => {
    await mongo?.start()
    await broker?.start()
  })
  after(async () => {
    for (const peer of peers) await peer.stop()
    await mongo?.stop()
    await broker?.stop()
  })
  /** A store of its own for each service: one that others have written to comes with the keys of its companies. */
  const newStore = async () => {
    if (eventStoreUrl) return eventStoreUrl
    const peer = await startPeer()
    peers.push(peer)
    return peer.url
  }
  const openWith = async (settings: HeaderValues, clock?: Clock) =>
    testService({
      ...(clock && { clock }),
      settings: { ...OUTWARD, SECRETS_KEYS, ...settings },
      ...(settings['EVENTSTORE_URL'] && {
        token: await ownCompany(settings['EVENTSTORE_URL'], undefined, clock?.now()),
      }),
    })

  /** Each has its service to itself: two with webhooks on the same events would both send. */
  const stories = (open: (clock?: Clock) => Promise<TestService>) => {
    describe('in records', () => recordsStory(() => open()))
    lookingBackStory(() => open())
    asOfStory(open)
    outwardStory(() => open())
    describe('in packs', () => {
      let service: TestService
      before(async () => (service = await open()))
      after(() => service.discard())
      packsStory(() => service)
    })
  }

  describe('with events in EventStoreDB, read models embedded', () => {
    const open = async (clock?: Clock) => openWith({ EVENTSTORE_URL: await newStore() }, clock)
    stories(open)
  })

  if (broker)
    describe(`with deliveries in ${broker.name}, all else embedded`, () =>
      outwardStory(() => openWith({ RABBITMQ_URL: broker.url() })))
  else {
    console.log(`NOT TESTED: the story with deliveries in RabbitMQ (${NO_BROKER})`)
    it(`with deliveries in RabbitMQ: ${NO_BROKER}`)
  }

  if (!mongo) {
    console.log(`NOT TESTED: the story with read models in MongoDB (${NOT_TESTED})`)
    it(`with read models in MongoDB: ${NOT_TESTED}`)
    return
  }

  describe(`with events embedded, read models in ${mongo.name}`, () => {
    const open = (clock?: Clock) => openWith({ MONGODB_URL: mongo.newDatabase() }, clock)
    stories(open)
  })

  describe(`with events in EventStoreDB, read models in ${mongo.name}, deliveries in ${broker?.name ?? 'files'}`, () => {
    const open = async (clock?: Clock) => {
      const urls = { EVENTSTORE_URL: await newStore(), MONGODB_URL: mongo.newDatabase() }
      return openWith({ ...urls, ...(broker && { RABBITMQ_URL: broker.url() }) }, clock)
    }
    stories(open)
  })

  describe('in processes of different roles', () => {
    const processes: MainProcess[] = []
    let [one, other] = [] as unknown as [Client, Client]
    let projections: MainProcess[] = []

    before(async () => {
      const settings = {
        EVENTSTORE_URL: await newStore(),
        MONGODB_URL: mongo.newDatabase(),
        SECRETS_KEYS,
        RATE_LIMIT_PER_MINUTE: '0',
      }
      const token = await ownCompany(settings.EVENTSTORE_URL)
      const start = (roles: string) => startMain({ ...settings, ROLES: roles })
      projections = await Promise.all([start('projections'), start('projections')])
      const apis = await Promise.all([start('api'), start('api')])
      processes.push(...projections, ...apis)
      ;[one, other] = apis.map(({ url }) => client(() => url, token)) as [Client, Client]
    })
    after(() => Promise.all(processes.map((process) => process.end('SIGTERM'))))

    it('each api process shows what the other wrote, once it is asked to', async () => {
      for (let i = 0; i < 20; i++) {
        const [writer, reader] = i % 2 === 0 ? [one, other] : [other, one]
        const written = await writer.post('tenant', { Name: `Tenant ${i}` })
        expect(written.status, written.text).to.equal(201)
        const position = written.headers.get('Daybook-Position') ?? ''
        // A read waits no longer than the service is told to, and says so when that was not long enough.
        await eventually('the other has come as far', async () => {
          const read = await reader.get(`tenant/${written.data.Id}`, { 'Daybook-At-Least': position })
          expect(read.data).to.deep.equal(written.data)
        })
      }
    })

    it('both together give no number twice', async () => {
      const body = { MonthlyRent: { Amount: 900, Currency: 'EUR' }, StartDate: '2999-01-01' }
      const created = await Promise.all(
        Array.from({ length: 32 }, (_, i) => (i % 2 === 0 ? one : other).create('contract', body)),
      )
      expect(new Set(created.map((contract) => contract['ContractNumber'])).size).to.equal(32)
    })

    it('a request with an Idempotency-Key is answered by the other as by the first', async () => {
      const key = { 'Idempotency-Key': 'once-for-both' }
      const first = await one.post('building', { Name: 'Harbour House' }, key)
      const again = await other.post('building', { Name: 'Harbour House' }, key)
      expect([again.status, again.text]).to.deep.equal([first.status, first.text])
      expect(again.headers.get('Idempotency-Replayed')).to.equal('true')
    })

    it('of two changes for the same version, one is refused, through whichever process', async () => {
      const { Id } = await one.create('tenant', { Name: 'Ann' })
      const outcomes = await Promise.all(
        [one, other].map((api, i) => api.patch(`tenant/${Id}`, { Name: `Ann ${i}` }, { 'If-Match': '"1"' })),
      )
      expect(outcomes.map(({ status }) => status).toSorted()).to.deep.equal([200, 412])
    })

    it('an api process has the read models rebuilt, and the other reads on', () => rebuildStory(one, other))

    it('when the leading projections process is killed, the other takes over', async () => {
      await projections[0]!.end('SIGKILL')
      const { Id } = await one.create('tenant', { Name: 'Zoë after the takeover' })
      const shown = async () => {
        const found = await other.list('tenant', { search: 'zoe takeover' })
        expect(found.list.map((tenant) => tenant.Id)).to.deep.equal([Id])
      }
      await eventually('the other process shows it', shown, TAKEOVER_MS)
    })
  })
})
