/** Webhooks end to end: registered over HTTP, delivered signed, logged, sent again. */
import { createHmac } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { verify } from '@octokit/webhooks-methods'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import type { Fields } from '../../../src/domain/json.ts'
import { testService, textOf, type TestService } from '../../support/service.ts'
import { startReceiver, type Receiver } from '../../webhooks/receiver.ts'
import { eventually } from '../support/eventually.ts'
import { contractBody } from '../support/leasing.ts'

const SECRET = 'a-secret-of-some-length-0123456789'
const settings = { WEBHOOK_ALLOW_ADDRESSES: '127.0.0.0/8' }

describe('webhooks', () => {
  let service: TestService
  let receiver: Receiver

  before(async () => {
    service = await testService({ settings })
  })
  after(() => service.discard())
  beforeEach(async () => {
    receiver = await startReceiver()
  })
  afterEach(async () => {
    for (const { Id } of (await service.list('webhooks')).list) await service.delete(`webhooks/${Id}`)
    await receiver.stop()
  })

  const register = async (body: Fields = {}) => {
    const answer = await service.post('webhooks', {
      Url: `${receiver.url}/hook`,
      Events: ['contract.*'],
      Secret: SECRET,
      ...body,
    })
    expect(answer.status, answer.text).to.equal(201)
    return answer.data
  }

  const deliveries = async (key: string) => (await service.list(`webhooks/${key}/deliveries`)).list

  it('send each event of a subscription once, signed, with the record as it was then', async () => {
    const webhook = await register()
    const tenant = await service.create('tenant', { Name: 'Ada' })
    const created = await service.post('contract', { ...contractBody(), Tenant: tenant.Id })
    expect(created.status).to.equal(201)
    await service.patch(`contract/${created.data.Id}`, { Status: 'Active' })
    await service.delete(`contract/${created.data.Id}`)
    await service.post(`contract/${created.data.Id}/restore`)
    await receiver.got(4)

    const bodies = receiver.received.map(({ json }) => json)
    expect(bodies.map(({ Event }) => Event)).to.deep.equal([
      'contract.created',
      'contract.updated',
      'contract.deleted',
      'contract.restored',
    ])
    expect(bodies.map(({ Data }) => Data['Version'])).to.deep.equal([1, 2, 3, 4])
    expect(bodies.map(({ Data }) => Data['Status'])).to.deep.equal(['Draft', 'Active', 'Active', 'Active'])
    expect(bodies[0]!.Data).to.deep.equal({ ...created.data, Version: 1 })
    expect(bodies[0]!.Timestamp).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    for (const { text, headers, method } of receiver.received) {
      expect(method).to.equal('POST')
      const digest = createHmac('sha256', SECRET).update(text).digest('hex')
      expect(headers['x-hub-signature-256']).to.equal(`sha256=${digest}`)
      expect(headers['content-type']).to.equal('application/json; charset=utf-8')
    }
    await eventually('the log shows them', async () =>
      expect((await deliveries(webhook.Id)).map(({ State }) => State)).to.deep.equal(
        Array(4).fill('Delivered'),
      ),
    )
  })

  it('send an event within a moment of the write, and only what reads show', async () => {
    await register({ Events: ['tenant.created'] })
    const shown: number[] = []
    receiver.answer(({ json }, response) => {
      void service.get(`tenant/${textOf(json.Data, 'Id')}`).then(({ status }) => {
        shown.push(status)
        response.writeHead(204).end()
      })
    })
    for (let i = 0; i < 20; i++) await service.create('tenant', { Name: `Tenant ${i}` })
    await receiver.got(20)
    await eventually('all are answered', async () => expect(shown).to.deep.equal(Array(20).fill(200)))
  })

  it('tell what an action and a change meant', async () => {
    await register({ Events: ['contract.workflow.*', 'workorder.completed'] })
    const { Id } = await service.create('contract', contractBody())
    expect((await service.post(`contract/${Id}/workflow/submit`)).status).to.equal(200)
    await receiver.got(1)
    expect(receiver.received.map(({ json }) => json.Event)).to.deep.equal(['contract.workflow.submitted'])
    expect(receiver.received[0]!.json.Data).to.include({ Id, Status: 'PendingApproval' })
  })

  it('begin with their making, and bring the past when it is asked for', async () => {
    const before = await service.create('building', { Name: 'Before' })
    const webhook = await register({ Events: ['building.created'], Filter: "startswith(Name, 'B')" })
    const after = await service.create('building', { Name: 'Behind' })
    await service.create('building', { Name: 'Another' })
    await receiver.got(1)
    expect(receiver.received.map(({ json }) => json.Data['Id'])).to.deep.equal([after.Id])
    const replay = await service.post(`webhooks/${webhook.Id}/replay`, { From: 'beginning' })
    expect(replay.status, replay.text).to.equal(202)
    await receiver.got(3)
    const [first, ...again] = receiver.received
    expect(again.map(({ json }) => json.Data['Id'])).to.include.members([before.Id, after.Id])
    const repeated = again.find(({ json }) => json.Data['Id'] === after.Id)!
    expect(repeated.headers['webhook-id']).to.equal(first!.headers['webhook-id'])
    expect(repeated.text).to.equal(first!.text)
    const none = await service.post(`webhooks/${webhook.Id}/replay`, { From: '2999-01-01T00:00:00Z' })
    expect(none.status).to.equal(202)
  })

  it('can be tested, and a delivery be looked at and made again', async () => {
    receiver.answer((_request, response) => void response.writeHead(200, { 'X-Seen': 'yes' }).end('thanks'))
    const webhook = await register({ Events: ['tenant.created'] })
    const ping = await service.post(`webhooks/${webhook.Id}/ping`)
    expect(ping.status, ping.text).to.equal(202)
    const [received] = await receiver.got(1)
    expect(received!.json).to.deep.include({ Event: 'webhook.ping' })
    expect(received!.json.Data['Id']).to.equal(webhook.Id)
    const path = `webhooks/${webhook.Id}/deliveries/${ping.data.Id}`
    const detail = await eventually('it is delivered', async () => {
      const answer = await service.get(path)
      expect(answer.data['State']).to.equal('Delivered')
      return answer.data
    })
    expect(detail['Body']).to.equal(received!.text)
    const [attempt] = detail['Log'] as unknown as {
      At: string
      Response: Fields
      DurationMs: number
      Request: { Headers: Fields }
    }[]
    expect(attempt!.At).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect(attempt!.Response).to.deep.include({ Status: 200, Body: 'thanks' })
    expect(attempt!.Request.Headers).to.include({ 'webhook-id': received!.headers['webhook-id'] })
    const again = await service.post(`${path}/redeliver`)
    expect(again.status, again.text).to.equal(202)
    await receiver.got(2)
    expect(receiver.received[1]!.text).to.equal(received!.text)
    expect(receiver.received[1]!.headers['webhook-id']).to.equal(received!.headers['webhook-id'])
  })

  it('are signed with both secrets for a day after a rotation, and with one after a change', async () => {
    const webhook = await register({ Events: ['tenant.created'] })
    const rotated = await service.post(`webhooks/${webhook.Id}/rotate-secret`)
    const fresh = textOf(rotated.data, 'Secret')
    expect(fresh).to.match(/^whsec_/)
    await service.create('tenant', { Name: 'Ada' })
    const [first] = await receiver.got(1)
    const headers = first!.headers as Record<string, string>
    new Webhook(fresh).verify(first!.text, headers)
    new Webhook(Buffer.from(SECRET), { format: 'raw' }).verify(first!.text, headers)
    expect(await verify(fresh, first!.text, headers['x-hub-signature-256']!)).to.equal(true)
    await service.patch(`webhooks/${webhook.Id}`, { Secret: `${SECRET}-new` })
    await service.create('tenant', { Name: 'Bea' })
    await receiver.got(2)
    const second = receiver.received[1]!
    expect(String(second.headers['webhook-signature']).split(' ')).to.have.length(1)
    expect(
      await verify(`${SECRET}-new`, second.text, String(second.headers['x-hub-signature-256'])),
    ).to.equal(true)
  })

  it('are sent nothing after they were deleted, turned off, or changed to other events', async () => {
    const body = { Events: ['tenant.created'] }
    const [gone, off, other] = [await register(body), await register(body), await register(body)]
    const witness = await startReceiver()
    await register({ ...body, Url: witness.url })
    expect((await service.delete(`webhooks/${gone.Id}`)).headers.get('Daybook-Read-Lag')).to.equal(null)
    await service.patch(`webhooks/${off.Id}`, { IsActive: false })
    await service.patch(`webhooks/${other.Id}`, { Events: ['contract.*'] })
    await service.create('tenant', { Name: 'Ada' })
    await witness.got(1)
    expect(receiver.received).to.deep.equal([])
    await witness.stop()
  })

  it('are disabled when the receiver is gone; others of the company are told', async () => {
    const webhook = await register({ Events: ['tenant.created'] })
    const witness = await startReceiver()
    await register({ Url: witness.url, Events: ['webhook.disabled'] })
    receiver.answer((_request, response) => void response.writeHead(410).end())
    await service.create('tenant', { Name: 'Ada' })
    const [told] = await witness.got(1)
    expect(told!.json).to.deep.include({ Event: 'webhook.disabled' })
    expect(told!.json.Data).to.include({ Id: webhook.Id, IsActive: false })
    const { data } = await service.get(`webhooks/${webhook.Id}`)
    expect(data).to.include({ IsActive: false }).and.have.property('DisabledReason').that.includes('410')
    expect(data['FailingSince']).to.be.a('string')
    expect(service.logged.some(({ message }) => message.includes('disabled'))).to.equal(true)
    const on = await service.patch(`webhooks/${webhook.Id}`, { IsActive: true })
    expect(on.data).to.include({ IsActive: true, DisabledReason: null, DisabledAt: null })
    await witness.stop()
  })

  it('go on after a restart where they were, and repeat nothing that was taken', async () => {
    const webhook = await register({ Events: ['tenant.created'] })
    receiver.answer((_request, response) => void response.writeHead(500).end())
    await service.create('tenant', { Name: 'Ada' })
    await eventually('it has failed once', async () =>
      expect((await deliveries(webhook.Id)).map(({ LastStatus }) => LastStatus)).to.deep.equal([500]),
    )
    receiver.answer((_request, response) => void response.writeHead(204).end())
    await service.restart({ ...settings, WEBHOOK_SCHEDULE: '0s,1s' })
    await service.create('tenant', { Name: 'Bea' })
    await receiver.got(3)
    const names = receiver.received.map(({ json }) => json.Data['Name'])
    expect(names.filter((name) => name === 'Ada')).to.have.length(2)
    expect(names.filter((name) => name === 'Bea')).to.have.length(1)
    await service.restart(settings)
    expect(receiver.received).to.have.length(3)
  })

  it('keep their secrets out of answers, the log, and the files', async () => {
    const secret = 'canary-secret-0123456789-abcdefgh'
    const created = await service.post(
      'webhooks',
      { Url: receiver.url, Events: ['*'], Secret: secret },
      { 'Idempotency-Key': 'once' },
    )
    const again = await service.post(
      'webhooks',
      { Url: receiver.url, Events: ['*'], Secret: secret },
      { 'Idempotency-Key': 'once' },
    )
    expect(again.headers.get('Idempotency-Replayed')).to.equal('true')
    expect(again.text).to.equal(created.text)
    const { Id } = created.data
    await service.create('tenant', { Name: 'Ada' })
    await receiver.got(1)
    const texts = [
      created,
      await service.get(`webhooks/${Id}`),
      await service.list('webhooks'),
      await service.list('audit'),
    ]
    for (const { text } of texts) expect(text).to.not.include(secret)
    expect(JSON.stringify(service.logged)).to.not.include(secret)
    for (const file of readdirSync(service.dataDir))
      if (statSync(join(service.dataDir, file)).isFile())
        expect(readFileSync(join(service.dataDir, file)).includes(secret), file).to.equal(false)
  })

  it('show a secret that was made for them, once, and the same for the same request', async () => {
    const headers = { 'Idempotency-Key': 'made' }
    const body = { Url: receiver.url, Events: ['*'] }
    const [first, second] = [
      await service.post('webhooks', body, headers),
      await service.post('webhooks', body, headers),
    ]
    expect(first.data['Secret']).to.match(/^whsec_/)
    expect(second.data['Secret']).to.equal(first.data['Secret'])
    expect((await service.get(`webhooks/${first.data.Id}`)).text).to.not.include(textOf(first.data, 'Secret'))
  })
})
