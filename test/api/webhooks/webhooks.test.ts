/** What can be registered, and what is said of what cannot. */
import { expect } from 'chai'
import type { Request, Response } from 'express'
import { webhookSight } from '../../../src/api/webhooks/sight.ts'
import { everything } from '../../../src/rights/access.ts'
import { sampleDefinitions } from '../../support/sample-definitions.ts'
import { eventually } from '../../system/support/eventually.ts'
import { testService, type TestService } from '../../support/service.ts'

const Url = 'https://93.184.216.34/hook'
const good = { Url, Events: ['contract.*'], Secret: 'a-secret-of-some-length-0123456789' }

describe('/webhooks', () => {
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.discard())

  const refused = async (body: unknown) => {
    const { status, error, faults } = await service.post('webhooks', body)
    expect([status, error.Code]).to.deep.equal([400, 'VALIDATION_ERROR'])
    return faults
  }

  it('answers a registration without the secret', async () => {
    const answer = await service.post('webhooks', good)
    expect(answer.status).to.equal(201)
    expect(answer.data).to.include({ Url, IsActive: true, Ordered: false, Pending: 0 })
    expect(answer.data).to.have.property('Events').that.deep.equals(['contract.*'])
    expect(answer.data.Id).to.match(/^webhook-[0-9a-z]{26}$/)
    expect(answer.data['CreatedAt']).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect(answer.data).to.not.have.any.keys('Secret', 'Warning')
    expect(answer.headers.get('Location')).to.equal(`/api/v1/webhooks/${answer.data.Id}`)
    expect(answer.headers.get('ETag')).to.equal('"1"')
  })

  it('takes any secret of up to 256 characters, and warns of short ones', async () => {
    for (const [Secret, warns] of [
      ['x', true],
      ['x'.repeat(23), true],
      ['x'.repeat(24), false],
      ['ü'.repeat(256), false],
    ] as const) {
      const { status, data } = await service.post('webhooks', { ...good, Secret })
      expect(status).to.equal(201)
      expect('Warning' in data, Secret).to.equal(warns)
    }
    for (const Secret of ['', 'x'.repeat(257), 5, null, ['x'], { $ne: '' }, 'a\nb', 'a\0b'])
      expect(await refused({ ...good, Secret }), JSON.stringify(Secret)).to.have.length(1)
  })

  it('names every fault at once', async () => {
    const faults = await refused({ Url: 'http://10.0.0.1/', Events: [], Secret: '', Ordered: 'yes', Nope: 1 })
    expect(faults.map((fault) => fault.split(':')[0])).to.have.members([
      'Nope',
      'Url',
      'Events',
      'Secret',
      'Ordered',
    ])
    expect(await refused({})).to.deep.equal(['Url: is required', 'Events: is required'])
    for (const body of [[], 'x', 5, null]) expect((await service.post('webhooks', body)).status).to.equal(400)
  })

  it('takes names of events that there are, and patterns of them', async () => {
    for (const Events of [
      ['*'],
      ['contract.created', 'payment.received', 'workorder.completed'],
      ['contract.workflow.*'],
      ['webhook.disabled'],
    ])
      expect((await service.post('webhooks', { ...good, Events })).status, Events.join()).to.equal(201)
    for (const Events of [
      '*',
      ['contract'],
      ['contract.*', 'contract.*'],
      ['nope.*'],
      ['con*'],
      ['contract.nope'],
      [''],
      [5],
      [['*']],
      ['**'],
      ['user.created'],
      Array(101).fill('*'),
    ])
      expect(await refused({ ...good, Events }), JSON.stringify(Events)).to.have.length(1)
  })

  it('lists those names', async () => {
    const { pagination } = await service.list('webhooks/events', { pageSize: '100' })
    expect(pagination.TotalRecords).to.be.greaterThan(50)
    const all: unknown[] = []
    for (let page = 1; page <= pagination.TotalPages; page++)
      all.push(
        ...(await service.list('webhooks/events', { pageSize: '100', page: String(page) })).list.map(
          ({ Event }) => Event,
        ),
      )
    expect(all).to.include.members([
      'contract.created',
      'contract.workflow.approved',
      'payment.received',
      'workorder.completed',
      'webhook.ping',
    ])
  })

  for (const inside of [
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://[::1]/',
    'https://localhost/',
    'https://169.254.169.254/latest/meta-data',
    'http://93.184.216.34/',
    'https://u:p@example.com/',
    'file:///etc/passwd',
    '/hook',
    '',
  ])
    it(`refuses ${inside || 'an empty URL'}, at registration and at a change`, async () => {
      expect(await refused({ ...good, Url: inside })).to.have.length(1)
      const { Id } = (await service.post('webhooks', good)).data
      expect((await service.patch(`webhooks/${Id}`, { Url: inside })).status).to.equal(400)
    })

  it('takes a filter over the fields of one object, and says what is wrong with another', async () => {
    const Filter = "Status eq 'Active' and Tenant/Name ne null"
    expect((await service.post('webhooks', { ...good, Filter })).data['Filter']).to.equal(Filter)
    expect(await refused({ ...good, Filter: 'Nope eq 1' })).to.deep.equal(['Filter: unknown field Nope at 1'])
    expect((await refused({ ...good, Events: ['*'], Filter }))[0]).to.match(
      /^Filter: needs Events of exactly one object/,
    )
  })

  it('refuses a filter by a choice that no record can have, in the words of lists', async () => {
    const Filter = "Status eq 'Actve'"
    const [said] = (await service.list('contract', { filter: Filter })).faults
    expect(said).to.equal("filter: Status is never 'Actve' at 11; did you mean Active?")
    const expected = [said!.replace('filter:', 'Filter:')]
    expect(await refused({ ...good, Filter })).to.deep.equal(expected)
    const { Id } = (await service.post('webhooks', good)).data
    const changed = await service.patch(`webhooks/${Id}`, { Filter })
    expect([changed.status, changed.faults]).to.deep.equal([400, expected])
  })

  it('refuses deliveries of an event that there is not, in the words of the audit', async () => {
    const { Id } = (await service.post('webhooks', good)).data
    const event = 'contract.update'
    const { faults } = await service.get(`audit?event=${event}`)
    expect(faults).to.deep.equal(['event: there is no event contract.update; did you mean contract.updated?'])
    const answer = await service.get(`webhooks/${Id}/deliveries?event=${event}`)
    expect([answer.status, answer.error.Code, answer.faults]).to.deep.equal([400, 'VALIDATION_ERROR', faults])
    for (const pattern of ['*', 'contract.*'])
      expect((await service.get(`webhooks/${Id}/deliveries?event=${pattern}`)).faults).to.deep.equal([
        'event: must be the name of one event (contract.created)',
      ])
    const both = await service.get(`webhooks/${Id}/deliveries?event=nope&state=nope`)
    expect(both.faults.map((one) => one.split(':')[0])).to.deep.equal(['state', 'event'])
    for (const known of ['contract.updated', 'webhook.ping', 'webhook.disabled'])
      expect((await service.get(`webhooks/${Id}/deliveries?event=${known}`)).status).to.equal(200)
  })

  it('changes what is sent, under the version that is named', async () => {
    const { Id } = (await service.post('webhooks', good)).data
    const changed = await service.patch(
      `webhooks/${Id}`,
      { Events: ['tenant.created'], Description: 'mine' },
      { 'If-Match': '"1"' },
    )
    expect(changed.status, changed.text).to.equal(200)
    expect(changed.data).to.include({ Url, Description: 'mine', IsActive: true })
    expect(
      (await service.patch(`webhooks/${Id}`, { Description: null }, { 'If-Match': '"1"' })).status,
    ).to.equal(412)
    expect((await service.get(`webhooks/${Id}`)).data).to.deep.include({ Events: ['tenant.created'] })
  })

  it('does not serve webhooks as records, nor records as webhooks', async () => {
    const { Id } = (await service.post('webhooks', good)).data
    expect((await service.get(`webhook/${Id}`)).status).to.equal(404)
    const tenant = await service.create('tenant', { Name: 'Ada' })
    for (const path of [tenant.Id, 'nope', `webhook-${'0'.repeat(26)}`]) {
      expect((await service.get(`webhooks/${path}`)).status).to.equal(404)
      expect((await service.delete(`webhooks/${path}`)).status).to.equal(404)
      expect((await service.post(`webhooks/${path}/ping`)).status).to.equal(404)
      expect((await service.post(`webhooks/${path}/replay`, { From: 'beginning' })).status).to.equal(404)
      expect((await service.get(`webhooks/${path}/deliveries`)).status).to.equal(404)
    }
  })

  it('sends nothing to a webhook that is not active, and says so', async () => {
    const { Id } = (await service.post('webhooks', { ...good, IsActive: false })).data
    for (const [path, body] of [
      ['ping', undefined],
      ['replay', { From: 'beginning' }],
    ] as const)
      expect((await service.post(`webhooks/${Id}/${path}`, body)).status, path).to.equal(409)
  })

  it('replays a span of time, if it is one', async () => {
    const { Id } = (await service.post('webhooks', good)).data
    const bad: unknown[] = [
      undefined,
      {},
      { From: 5 },
      { From: 'x' },
      { From: 'beginning', To: 'x' },
      { From: 'beginning', Nope: 1 },
    ]
    bad.push({ From: '2026-01-02T00:00:00Z', To: '2026-01-01T00:00:00Z' })
    for (const body of bad)
      expect((await service.post(`webhooks/${Id}/replay`, body)).status, JSON.stringify(body)).to.equal(400)
    const answer = await service.post(`webhooks/${Id}/replay`, {
      From: '2026-01-01T01:00:00+01:00',
      To: null,
    })
    expect(answer.data).to.include({ Webhook: Id, From: '2026-01-01T00:00:00Z', To: null })
    const days = await service.post(`webhooks/${Id}/replay`, { From: '2026-01-01', To: '2026-01-01' })
    expect(days.data).to.include({ From: '2026-01-01T00:00:00Z', To: '2026-01-02T00:00:00Z' })
    const place = days.headers.get('location')!.replace('/api/v1/', '')
    await eventually('the replay has come to its end', async () => {
      const { data } = await service.get(place)
      expect(data).to.deep.equal({ ...days.data, State: 'Done', Progress: 1 })
    })
    expect((await service.get(`webhooks/${Id}/replay/replay-0`)).status).to.equal(404)
  })

  it('keeps the URL that is connected to, not the one that the text seems to name', async () => {
    const Url = 'https://93.184.216.34\\@127.0.0.1/'
    expect((await service.post('webhooks', { ...good, Url })).data['Url']).to.equal(
      'https://93.184.216.34/@127.0.0.1/',
    )
    const bare = 'https://93.184.216.34'
    expect((await service.post('webhooks', { ...good, Url: bare })).data['Url']).to.equal(bare)
  })

  it('keeps a company to a hundred, however many are asked for at once', async () => {
    const { pagination } = await service.list('webhooks', { pageSize: '1' })
    for (let i = pagination.TotalRecords; i < 97; i++)
      expect((await service.post('webhooks', good)).status).to.equal(201)
    const last = await Promise.all(Array.from({ length: 12 }, () => service.post('webhooks', good)))
    expect(last.filter(({ status }) => status === 201)).to.have.length(3)
    expect(last.filter(({ status }) => status === 409)).to.have.length(9)
    expect((await service.list('webhooks', { pageSize: '1' })).pagination.TotalRecords).to.equal(100)
  })
})

describe('who may see what a webhook sends', () => {
  it('looks at no more event names than a webhook may have', async () => {
    let looks = 0
    const count = (target: readonly string[], property: string | symbol) => {
      looks++
      return Reflect.get(target, property) as unknown
    }
    const Events = new Proxy(Array<string>(150_000).fill('tenant.created'), { get: count })
    const sight = webhookSight({
      definitions: sampleDefinitions,
      load: async () => expect.fail('there is no webhook yet'),
      deliveries: { list: async () => ({ deliveries: [], total: 0 }) },
    })
    const request = { body: { Events }, params: {} } as unknown as Request
    const principal = { company: 'company-1', actor: 'user-1', access: everything }
    await sight.whole(request, { locals: { principal } } as unknown as Response, () => {})
    expect(looks).to.be.below(1_000)
  })
})
