/** What happened to a record, as its history tells it. */
import { expect } from 'chai'
import type { Clock } from '../../../src/ports/clock.ts'
import { testService, type Data, type TestService } from '../../support/service.ts'
import { contractBody } from '../../system/support/leasing.ts'

/** Each look at the clock is a second later. */
function tickingClock(from: string): Clock {
  let now = Date.parse(from)
  return { now: () => (now += 1_000), elapsed: () => performance.now() }
}

describe('the history of a record', () => {
  let service: TestService
  before(async () => {
    service = await testService({ clock: tickingClock('2029-01-01T00:00:00.000Z') })
  })
  after(() => service.discard())

  const reason = (text: string) => ({ 'Daybook-Reason': text })
  const history = async (key: string, parameters = '') =>
    service.get(`${key.split('-')[0]}/${key}/history${parameters}`)
  const item = (entry: Data | undefined) => entry as unknown as Record<string, unknown>

  it('tells each change, from what to what, by whom, when and why, newest last', async () => {
    const tenant = await service.create('tenant', { Name: 'Ann' })
    await service.patch(`tenant/${tenant.Id}`, { Name: 'Bea', Phone: '1' }, reason('married'))
    await service.patch(`tenant/${tenant.Id}`, { Phone: null })
    await service.delete(`tenant/${tenant.Id}`, reason('moved away'))
    await service.post(`tenant/${tenant.Id}/restore`)
    const answer = await history(tenant.Id)
    expect(answer.status, answer.text).to.equal(200)
    const told = answer.list.map((entry) => {
      const { Version, Event, Reason, Changes } = item(entry)
      return [Version, Event, Reason, Changes]
    })
    const created = item(answer.list[0])['Changes'] as object
    expect(created).to.include.keys('Name')
    expect((created as { Name: object }).Name).to.deep.equal({ From: null, To: 'Ann' })
    expect(told.slice(1)).to.deep.equal([
      [2, 'tenant.updated', 'married', { Name: { From: 'Ann', To: 'Bea' }, Phone: { From: null, To: '1' } }],
      [3, 'tenant.updated', null, { Phone: { From: '1', To: null } }],
      [4, 'tenant.deleted', 'moved away', {}],
      [5, 'tenant.restored', null, {}],
    ])
    for (const entry of answer.list) {
      expect(item(entry)).to.have.all.keys('Version', 'Event', 'At', 'By', 'Reason', 'Changes')
      expect(item(entry)['At']).to.match(/^2029-01-01T00:\d\d:\d\dZ$/)
      expect(item(entry)['By']).to.include({ Name: 'bootstrap' })
      expect((item(entry)['By'] as Data).Id).to.match(/^token-/)
    }
    const times = answer.list.map((entry) => item(entry)['At'] as string)
    expect(times).to.deep.equal([...times].sort())
  })

  it('shows what was looked up by the names of then', async () => {
    const one = await service.create('tenant', { Name: 'Old name' })
    const other = await service.create('tenant', { Name: 'Other' })
    const contract = await service.create('contract', { ...contractBody(), Tenant: one.Id })
    await service.patch(`tenant/${one.Id}`, { Name: 'New name' })
    await service.patch(`contract/${contract.Id}`, { Tenant: other.Id })
    await service.patch(`tenant/${other.Id}`, { Name: 'Later' })
    const changes = (await history(contract.Id)).list.map((entry) => item(entry)['Changes']) as {
      Tenant: object
    }[]
    expect(changes[0]?.Tenant).to.deep.equal({ From: null, To: { Id: one.Id, Name: 'Old name' } })
    expect(changes[1]?.Tenant).to.deep.equal({
      From: { Id: one.Id, Name: 'New name' },
      To: { Id: other.Id, Name: 'Other' },
    })
  })

  it('is told of deleted records, too', async () => {
    const tenant = await service.create('tenant', { Name: 'Gone' })
    await service.delete(`tenant/${tenant.Id}`)
    expect((await service.get(`tenant/${tenant.Id}`)).status).to.equal(404)
    expect((await history(tenant.Id)).list.map((entry) => item(entry)['Event'])).to.deep.equal([
      'tenant.created',
      'tenant.deleted',
    ])
  })

  it('does not grow by writes that change nothing', async () => {
    const tenant = await service.create('tenant', { Name: 'Same' })
    await service.patch(`tenant/${tenant.Id}`, { Name: 'Same' })
    expect((await history(tenant.Id)).list).to.have.length(1)
  })

  it('comes in pages', async () => {
    const tenant = await service.create('tenant', { Name: 'v1' })
    for (let version = 2; version <= 5; version++)
      await service.patch(`tenant/${tenant.Id}`, { Name: `v${version}` })
    const second = await history(tenant.Id, '?page=2&pageSize=2')
    expect(second.list.map((entry) => item(entry)['Version'])).to.deep.equal([3, 4])
    expect(second.pagination).to.deep.equal({ Page: 2, PageSize: 2, TotalRecords: 5, TotalPages: 3 })
    expect((await history(tenant.Id, '?page=9')).list).to.deep.equal([])
  })

  it('is 404 for what is not there, and 400 for what is not understood', async () => {
    const unknown = `tenant-${'0'.repeat(26)}`
    const missing = await history(unknown)
    const record = await service.get(`tenant/${unknown}`)
    expect([missing.status, missing.text]).to.deep.equal([404, record.text])
    const tenant = await service.create('tenant', { Name: 'x' })
    for (const path of [
      `contract/${tenant.Id}/history`, // of another object
      'nope/nope-1/history',
      `tenant/${tenant.Id}x/history`,
      'tenant/bootstrap/history',
    ])
      expect((await service.get(path)).status, path).to.equal(404)
    for (const bad of ['?page=0', '?pageSize=x', '?nope=1', '?page=1&page=2'])
      expect((await history(tenant.Id, bad)).status, bad).to.equal(400)
    expect((await service.post(`tenant/${tenant.Id}/history`, {})).status).to.equal(405)
  })

  it('goes on after a restart', async () => {
    const tenant = await service.create('tenant', { Name: 'before' })
    await service.restart()
    await service.patch(`tenant/${tenant.Id}`, { Name: 'after' })
    expect((await history(tenant.Id)).list).to.have.length(2)
  })
})
