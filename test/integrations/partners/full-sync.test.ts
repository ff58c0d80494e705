/** What is there before an integration is started, what a full sync repairs, and how one that fails is seen. */
import { expect } from 'chai'
import type { Fields } from '../../../src/domain/json.ts'
import type { Data, TestService } from '../../support/service.ts'
import { manualClock } from '../../support/write-side.ts'
import { eventually } from '../../system/support/eventually.ts'
import { AT_ONCE } from '../dropped-answers.ts'
import { CHANGES, DIRECTORY, sendPeople } from '../support/both-ways.ts'
import { serviceWith } from '../support/own-file.ts'
import { partner, type Asked, type Partner, type Reply } from '../support/partner.ts'
import { untilPassing } from '../support/passing.ts'

const directory = {
  ...DIRECTORY,
  authentication: { bearer: 'token' },
  receive: DIRECTORY.receive.map((one) => ({ ...one, verify: [{ polled: true }] })),
  poll: [CHANGES],
  send: [
    {
      ...sendPeople({ name: 'Name', phone: 'Phone' }),
      find: {
        request: { method: 'GET', path: '/people', query: { name: 'Name' } },
        items: 'people',
        id: 'id',
      },
    },
  ],
  owners: { tenant: { Phone: 'theirs', Name: 'newest' } },
}

describe('an integration that begins with what is there', () => {
  const clock = manualClock('2030-01-01T12:00:00.000Z')
  const people = new Map<string, Fields>()
  let refused: Reply | undefined
  let service: TestService
  let other: Partner
  let hook: Partner
  let integration: Data

  const answer = ({ method, path, query, body }: Asked): Reply => {
    if (refused) return refused
    if (method === 'GET') {
      const [since, name] = [query.get('since') ?? '', query.get('name')]
      const found = [...people.values()].filter((one) =>
        name === null ? (one['changed'] as string) >= since && one['hidden'] !== true : one['name'] === name,
      )
      return { json: { people: found } }
    }
    const id = method === 'PUT' ? path.slice('/people/'.length) : `p${people.size + 1}`
    people.set(id, { ...people.get(id), ...(JSON.parse(body) as Fields), id, changed: now() })
    return { json: { id } }
  }
  const now = () => new Date(clock.now()).toISOString()
  const read = async () => (await service.get(`integrations/${integration.Id}`)).data
  const sync = async () => (await service.get(`integrations/${integration.Id}/sync`)).data
  const failing = async () =>
    /^daybook_integrations_failing (\d+)/m.exec((await service.get('/metrics')).text)?.[1]
  const until = untilPassing(clock, 120_000)
  const named = async (name: string) =>
    (await service.list('tenant', { filter: `Name eq '${name}'` })).list[0]!

  before(async () => {
    other = await partner(answer)
    hook = await partner(() => ({}))
    service = await serviceWith(directory, { settings: AT_ONCE, clock })
    await service.post('webhooks', { Url: `${hook.url}/hook`, Events: ['tenant.*'] })
    integration = (
      await service.post('integrations', {
        Definition: 'directory',
        BaseUrl: other.url,
        Credentials: { token: 'secret' },
      })
    ).data
  })
  after(async () => {
    await service.discard()
    await other.stop()
    await hook.stop()
  })

  it('takes over theirs silently, sends ours, and knows again what both have', async () => {
    people.set('p1', { id: 'p1', name: 'Theirs', phone: '1', changed: now() })
    // Their list does not show it, so that only a look for it finds it.
    people.set('p2', { id: 'p2', name: 'Both', phone: '2', changed: now(), hidden: true })
    await service.create('tenant', { Name: 'Ours', Phone: '3' })
    await service.create('tenant', { Name: 'Both', Phone: '4' })
    await eventually('webhooks are quiet', async () => expect(hook.asked.length).to.be.at.least(2))
    const told = hook.asked.length
    clock.pass(10_000)
    const early = await service.post(`integrations/${integration.Id}/sync`)
    expect(early.status).to.equal(409)
    expect((await service.get(`integrations/${integration.Id}/sync`)).status).to.equal(404)
    const bad = await service.post(`integrations/${integration.Id}/start`, { InitialSync: 'yes' })
    expect(bad.status).to.equal(400)
    const started = await service.post(`integrations/${integration.Id}/start`, { InitialSync: true })
    expect(started.data).to.include({ State: 'initialising' })
    await until('it is done', async () => expect(await sync()).to.include({ State: 'done' }))
    expect(await read()).to.include({ State: 'running' })
    expect(await sync()).to.include({ IsInitial: true, Read: 1, Queued: 2, Reason: null })
    expect(await named('Theirs')).to.include({ Phone: '1' })
    await until('all is sent', async () => {
      const { list } = await service.get(`integrations/${integration.Id}/sent?state=sent`)
      expect(list.map(({ ExternalId }) => ExternalId).sort()).to.deep.equal(['p2', 'p3'])
    })
    // Theirs was not sent back, ours is there once, and what both had is not doubled.
    expect([...people.values()].map(({ name }) => name)).to.deep.equal(['Theirs', 'Both', 'Ours'])
    const marker = await service.create('tenant', { Name: 'Marker' })
    await eventually('the next change is announced', async () =>
      expect(hook.asked.some(({ body }) => body.includes(marker.Id))).to.equal(true),
    )
    const since = hook.asked.slice(told).map(({ body }) => body)
    expect(since.every((body) => !body.includes('Theirs'))).to.equal(true)
  })

  it('repairs by a full sync what has gone apart', async () => {
    await until('the marker is sent', async () =>
      expect([...people.values()].some(({ name }) => name === 'Marker')).to.equal(true),
    )
    const { Id } = await named('Theirs')
    // Somebody has set it here, though it is theirs: no poll sees that.
    await service.patch(`tenant/${Id}`, { Phone: '99' })
    await until('it was sent', async () => expect(people.get('p1')).to.include({ phone: '99' }))
    people.set('p1', { ...people.get('p1')!, phone: '1', changed: '2029-01-01T00:00:00.000Z' })
    clock.pass(7_200_000)
    await until('a poll has passed it over', async () => {
      const [poll] = (await service.get(`integrations/${integration.Id}/polls`)).list
      expect(Date.parse(poll!['LastRunAt'] as string)).to.be.above(clock.now() - 3_600_000)
    })
    expect(await named('Theirs')).to.include({ Phone: '99' })
    const asked = await service.post(`integrations/${integration.Id}/sync`)
    expect(asked.status, asked.text).to.equal(202)
    const again = await service.post(`integrations/${integration.Id}/sync`)
    expect([202, 409]).to.include(again.status)
    await until('it is repaired', async () => {
      expect(await named('Theirs')).to.include({ Phone: '1' })
      expect(await sync()).to.include({ State: 'done', IsInitial: false })
    })
    expect(people.size).to.equal(4)
  })

  it('is failing while credentials are refused, and running again by itself', async () => {
    await until('nothing is to be sent', async () => {
      for (const state of ['due', 'attempting']) {
        const { pagination } = await service.get(`integrations/${integration.Id}/sent?state=${state}`)
        expect(pagination.TotalRecords).to.equal(0)
      }
    })
    refused = { status: 401, json: {} }
    await until('it is failing', async () => expect(await read()).to.include({ State: 'failing' }))
    expect((await read())['Reason']).to.equal(
      'poll changes: the other system answers 401: check the credentials',
    )
    expect(await read()).to.include({ FailingIn: 'poll changes' })
    const [poll] = (await service.get(`integrations/${integration.Id}/polls`)).list
    expect(poll).to.include({ Entry: 'changes', EverySeconds: 3_600 })
    expect(poll!['Reason']).to.match(/401/)
    expect(poll!['FailingSince']).to.be.a('string')
    expect(await failing()).to.equal('1')
    refused = undefined
    await until('it runs', async () => expect(await read()).to.include({ State: 'running', Reason: null }))
    expect(await failing()).to.equal('0')
    const [well] = (await service.get(`integrations/${integration.Id}/polls`)).list
    expect(well).to.include({ Reason: null, FailingSince: null })
    expect(Date.parse(well!['NextRunAt'] as string)).to.be.above(Date.parse(well!['LastRunAt'] as string))
  })

  it('is failing when the other system is away for a quarter of an hour', async () => {
    refused = { status: 500, json: {} }
    await until('it is failing', async () => expect(await read()).to.include({ State: 'failing' }))
    const since = Date.parse((await read())['FailingSince'] as string)
    const [poll] = (await service.get(`integrations/${integration.Id}/polls`)).list
    expect(since - Date.parse(poll!['FailingSince'] as string)).to.be.at.least(900_000)
    expect((await service.post(`integrations/${integration.Id}/pause`)).data).to.include({
      State: 'paused',
      Reason: null,
    })
    refused = undefined
  })
})
