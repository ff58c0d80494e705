/**
 * Webhooks on the distributed engines, by processes of their own: registered through an `api` process, filled in by
 * whichever `webhooks` process leads, sent by either, asked for through the `api` process again.
 */
import { verify } from '@octokit/webhooks-methods'
import { expect } from 'chai'
import type { Fields } from '../../../src/domain/json.ts'
import { eventStoreUnderTest } from '../../engines/event-store-under-test.ts'
import { mongoUnderTest, NOT_TESTED as NO_MONGODB } from '../../engines/mongodb-under-test.ts'
import { NOT_TESTED as NO_RABBITMQ, rabbitmqUnderTest } from '../../engines/rabbitmq-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { SECRETS_KEYS } from '../../support/secrets-keys.ts'
import { client, textOf, TOKEN, type Client } from '../../support/service.ts'
import { startReceiver, type Receiver } from '../../webhooks/receiver.ts'
import { eventually } from '../support/eventually.ts'
import { startMain, type MainProcess } from '../support/main-process.ts'

const mongo = mongoUnderTest()
const rabbitmq = rabbitmqUnderTest()
const missing = !mongo ? NO_MONGODB : !rabbitmq ? NO_RABBITMQ : undefined
const suite = suiteOf('webhooks over RabbitMQ and MongoDB', missing)
const SECRET = 'a-secret-of-some-length-0123456789'

suite(`webhooks over ${rabbitmq?.name ?? 'none'} and ${mongo?.name ?? 'none'}`, function () {
  this.timeout(60_000)
  const eventStore = eventStoreUnderTest()
  let receiver: Receiver
  let api: Client
  let senders: MainProcess[] = []
  let startSender: () => Promise<MainProcess>
  let others: MainProcess[] = []

  before(async () => {
    await Promise.all([eventStore.start(), mongo!.start(), rabbitmq!.start()])
    const settings = {
      EVENTSTORE_URL: eventStore.url(),
      MONGODB_URL: mongo!.newDatabase(),
      RABBITMQ_URL: rabbitmq!.canFail ? rabbitmq!.own().url : rabbitmq!.url(),
      BOOTSTRAP_TOKEN: TOKEN,
      SECRETS_KEYS,
      WEBHOOK_ALLOW_ADDRESSES: '127.0.0.0/8',
      WEBHOOK_SCHEDULE: '0s,1s,1s,1s,1s',
    }
    const start = (ROLES: string) => startMain({ ...settings, ROLES })
    others = [await start('projections'), await start('api')]
    startSender = () => start('webhooks')
    senders = await Promise.all([startSender(), startSender()])
    api = client(() => others[1]!.url)
  })
  after(async () => {
    await Promise.all([...senders, ...others].map((process) => process.end('SIGTERM')))
    await Promise.all([eventStore.stop(), mongo!.stop(), rabbitmq!.stop()])
  })
  beforeEach(async () => {
    receiver = await startReceiver()
  })
  afterEach(async () => {
    for (const { Id } of (await api.list('webhooks')).list) await api.delete(`webhooks/${Id}`)
    await receiver.stop()
  })

  const register = async (more: Fields = {}) => {
    const body = { Url: `${receiver.url}/hook`, Events: ['tenant.*'], Secret: SECRET, ...more }
    const answer = await api.post('webhooks', body)
    expect(answer.status, answer.text).to.equal(201)
    return answer
  }
  const tenant = (Name: string) => api.create('tenant', { Name })
  const namesOf = ({ received }: Receiver) => received.map(({ json }) => textOf(json.Data, 'Name'))

  it('are registered through one process and sent by another, signed, and looked at through the first', async () => {
    const webhook = await register()
    expect(webhook.headers.get('Daybook-Read-Lag'), 'those that send know of it').to.equal(null)
    const { Id } = await tenant('Ada')
    await api.patch(`tenant/${Id}`, { Name: 'Ada Lovelace' })
    await receiver.got(2)
    expect(receiver.received.map(({ json }) => json.Event)).to.deep.equal([
      'tenant.created',
      'tenant.updated',
    ])
    for (const { text, headers } of receiver.received)
      expect(await verify(SECRET, text, String(headers['x-hub-signature-256']))).to.equal(true)
    const path = `webhooks/${webhook.data.Id}`
    const first = await eventually('the log shows them', async () => {
      const { list } = await api.list(`${path}/deliveries`)
      expect(list.map(({ State }) => State)).to.deep.equal(['Delivered', 'Delivered'])
      return list.at(-1)!
    })
    const { data } = await api.get(`${path}/deliveries/${first.Id}`)
    expect(data['Body']).to.equal(receiver.received[0]!.text)
    expect((await api.get(path)).data).to.include({ Pending: 0, FailingSince: null })
  })

  it('are seen as a projection by a process that sends nothing itself, and let go on by it', async () => {
    const { list } = await api.list('projections')
    expect(list.find(({ Name }) => Name === 'webhooks')).to.include({ State: 'live', Error: null })
    const resumed = await api.post('projections/webhooks/resume')
    expect(resumed.status, resumed.text).to.be.oneOf([200, 202])
  })

  it('are pinged, sent again and replayed through a process that sends nothing itself', async () => {
    const before = await tenant('Before')
    const { data: webhook } = await register({ Events: ['tenant.created'] })
    const ping = await api.post(`webhooks/${webhook.Id}/ping`)
    expect(ping.status, ping.text).to.equal(202)
    await receiver.got(1)
    const again = await api.post(`webhooks/${webhook.Id}/deliveries/${ping.data.Id}/redeliver`)
    expect(again.status, again.text).to.equal(202)
    await receiver.got(2)
    expect(receiver.received[1]!.text).to.equal(receiver.received[0]!.text)
    expect((await api.post(`webhooks/${webhook.Id}/replay`, { From: 'beginning' })).status).to.equal(202)
    await eventually('the past has come', async () =>
      expect(receiver.received.map(({ json }) => json.Data['Id'])).to.include(before.Id),
    )
  })

  it('are sent nothing after they were deleted, and nothing by the secret that was replaced', async () => {
    const witness = await startReceiver()
    const gone = await register()
    const changed = await register({ Url: witness.url })
    const removed = await api.delete(`webhooks/${gone.data.Id}`)
    const patched = await api.patch(`webhooks/${changed.data.Id}`, { Secret: `${SECRET}-new` })
    for (const { headers } of [removed, patched]) expect(headers.get('Daybook-Read-Lag')).to.equal(null)
    await tenant('Ada')
    const [received] = await witness.got(1)
    const signature = String(received!.headers['x-hub-signature-256'])
    expect(await verify(`${SECRET}-new`, received!.text, signature)).to.equal(true)
    expect(receiver.received).to.deep.equal([])
    await witness.stop()
  })

  it('miss nothing when the process that fills them in is killed, and the other goes on', async () => {
    await register({ Events: ['tenant.created'] })
    const names = Array.from({ length: 40 }, (_, i) => `Tenant ${i}`)
    const writing = (async () => {
      for (const name of names) await tenant(name)
    })()
    await receiver.got(5)
    // One of the two leads; when both have been killed, one after the other, it has been killed.
    for (let i = 0; i < 2; i++) {
      await senders.shift()!.end('SIGKILL')
      senders.push(await startSender())
    }
    await writing
    await tenant('Last')
    await eventually(
      'all have come',
      async () => expect([...new Set(namesOf(receiver))]).to.have.members([...names, 'Last']),
      45_000,
    )
  })
})
