/**
 * The notification-template service as a process of its own: templates are written there, another process writes and sends the
 * messages, and both see them. Where events or read models are embedded, there is one process alone, and it says so.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { mongoUnderTest, NOT_TESTED } from '../../engines/mongodb-under-test.ts'
import { startPeer, type Peer } from '../../peers/eventstoredb/start-peer.ts'
import { SECRETS_KEYS } from '../../support/secrets-keys.ts'
import { client, newFolder, PASSWORD, TOKEN, type Client } from '../../support/service.ts'
import { eventually } from '../support/eventually.ts'
import { failedStart, startMain, type MainProcess } from '../support/main-process.ts'

const mongo = mongoUnderTest()

describe('a process with ROLES=notifications', function () {
  this.timeout(120_000)
  it('cannot be alone where events or read models are embedded, and says what it needs', async () => {
    const { code, stderr } = await failedStart({ ROLES: 'notifications' })
    expect(code).to.equal(1)
    expect(stderr).to.contain('needs both EVENTSTORE_URL and MONGODB_URL')
  })

  if (!mongo) {
    console.log(`NOT TESTED: a process with ROLES=notifications (${NOT_TESTED})`)
    it(`serves templates: ${NOT_TESTED}`)
    return
  }
  const folder = newFolder()
  let peer: Peer
  let processes: MainProcess[] = []
  let [api, alone, aloneApi] = [] as unknown as [Client, Client, Client]

  before(async () => {
    ;[peer] = await Promise.all([startPeer(), mongo.start()])
    const settings = {
      EVENTSTORE_URL: peer.url,
      MONGODB_URL: mongo.newDatabase(),
      BOOTSTRAP_TOKEN: TOKEN,
      BOOTSTRAP_PASSWORD: PASSWORD,
      SECRETS_KEYS,
      NOTIFICATION_PORT: '0',
    }
    processes = await Promise.all(
      ['api,projections,webhooks,scheduler', 'notifications'].map((ROLES, index) =>
        startMain({ ...settings, ROLES, DATA_DIR: join(folder, `process-${index}`) }),
      ),
    )
    const [rest, notifications] = processes as [MainProcess, MainProcess]
    const [, url = ''] = /^Daybook notifications are ready on (\S+)$/m.exec(notifications.stdout()) ?? []
    api = client(() => rest.url)
    alone = client(() => url)
    aloneApi = client(() => notifications.url)
    expect(rest.stdout()).to.not.contain('Daybook notifications are ready')
  })
  after(async () => {
    await Promise.all(processes.map((process) => process.end('SIGTERM')))
    await peer?.stop()
    await mongo.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('takes templates, which another process writes and sends messages by, and shows what became of them', async () => {
    const template = {
      name: 'Request',
      trigger: 'service-request-created',
      subject: 'Your request',
      body: '<p>{{Subject}}</p>',
    }
    const uploaded = await alone.post('/templates', { template })
    expect(uploaded.status, uploaded.text).to.equal(201)
    const tenant = await api.create('tenant', { Name: 'Zoë', Email: 'zoe@example.com' })
    await api.create('servicerequest', { Subject: 'A tap drips', Tenant: tenant.Id })
    await eventually('the message is sent', async () => {
      const { list } = await alone.get('/messages')
      expect(list.map(({ State, Recipient }) => [State, Recipient])).to.deep.equal([
        ['sent', 'zoe@example.com'],
      ])
    })
  })

  it('previews with records, and serves no records itself', async () => {
    const [{ Id } = { Id: '' }] = (await alone.get('/templates')).list
    const [request] = (await api.list('servicerequest')).list
    const preview = await alone.post(`/templates/${Id}/preview`, { record: request!.Id })
    expect(preview.data['body'], preview.text).to.equal('<p>A tap drips</p>')
    expect((await aloneApi.get('servicerequest')).status).to.equal(404)
  })
})
