/** `?asOf=`: records and lists as they were, over HTTP. */
import { expect } from 'chai'
import { testService, type Data, type HeaderValues, type TestService } from '../../support/service.ts'
import { contractBody } from '../../system/support/leasing.ts'

describe('reads as of a moment', () => {
  let service: TestService
  let now = 0
  /** The moment before, at and after each step of the story. */
  const at = (hour: number) => `2029-01-01T${String(hour).padStart(2, '0')}:00:00Z`
  const step = (hour: number) => void (now = Date.parse(at(hour)) + 250)

  let one: Data
  let two: Data
  let contract: Data
  let renamed: Data
  before(async () => {
    service = await testService({ clock: { now: () => now, elapsed: () => performance.now() } })
    step(1)
    one = await service.create('tenant', { Name: 'Anna', Email: 'anna@example.org' })
    two = await service.create('tenant', { Name: 'Zoe' })
    step(2)
    contract = await service.create('contract', { ...contractBody(), Tenant: one.Id, Notes: 'first' })
    await service.create('contract', { ...contractBody(), Tenant: two.Id, Notes: 'second' })
    step(3)
    renamed = (await service.patch(`tenant/${one.Id}`, { Name: 'Anna Berg' })).data
    step(4)
    await service.patch(`contract/${contract.Id}`, { Notes: 'changed', Tenant: two.Id })
    step(5)
    await service.delete(`contract/${contract.Id}`)
    await service.delete(`tenant/${one.Id}`)
    step(6)
  })
  after(() => service.discard())

  const get = (asOf: string, more = '') => service.get(`contract/${contract.Id}?asOf=${asOf}${more}`)
  const list = (asOf: string, parameters: HeaderValues = {}) =>
    service.list('contract', { asOf, ...parameters })
  const notes = async (asOf: string, parameters?: HeaderValues) =>
    (await list(asOf, parameters)).list.map(({ Notes }) => Notes)

  describe('of a record', () => {
    it('show it as it was, with the names of then, and its version as the ETag', async () => {
      const first = await get(at(2))
      expect([first.status, first.headers.get('ETag')]).to.deep.equal([200, '"1"'])
      expect(first.data).to.deep.equal(contract)
      const later = await get(at(3))
      expect(later.data).to.deep.equal({ ...contract, Tenant: { Id: one.Id, Name: 'Anna Berg' } })
      const changed = await get(at(4))
      expect(changed.headers.get('ETag')).to.equal('"2"')
      expect(changed.data).to.deep.include({ Notes: 'changed', Tenant: { Id: two.Id, Name: 'Zoe' } })
    })

    it('are 404 before it was there and while it was deleted, and say which', async () => {
      for (const [moment, why] of [
        [at(1), 'was not there yet'],
        ['2001-01-01', 'was not there yet'],
        [at(5), 'was deleted then'],
        [at(23), 'was deleted then'],
      ] as const) {
        const answer = await get(moment)
        expect(answer.status, moment).to.equal(404)
        expect(answer.text).to.include(`${contract.Id} ${why}`)
      }
    })

    it('take a version instead of a moment', async () => {
      expect((await get('1')).data).to.deep.equal(contract)
      expect((await get('2')).data).to.deep.include({ Notes: 'changed' })
      for (const gone of ['3', '4']) expect((await get(gone)).status).to.equal(404)
      const { Id } = await service.create('building', { Name: 'never changed' })
      expect((await service.get(`building/${Id}?asOf=1`)).status).to.equal(200)
      for (const later of ['2', '999999'])
        expect((await service.get(`building/${Id}?asOf=${later}`)).status).to.equal(404)
    })

    it('take a moment as exactly as it is written', async () => {
      expect((await get('2029-01-01')).status).to.equal(404) // the whole day: it was deleted on it
      expect((await get('2029-01-01T02:00:00.249Z')).status).to.equal(404)
      expect((await get('2029-01-01T02:00:00.250Z')).status).to.equal(200)
      expect((await get(encodeURIComponent('2029-01-01T03:00:00+01:00'))).status).to.equal(200)
    })

    it('take fields, expand and If-None-Match', async () => {
      expect((await get(at(2), '&fields=Notes')).data).to.deep.equal({ Id: contract.Id, Notes: 'first' })
      expect((await get(at(2), '&expand=Tenant')).data['Tenant']).to.deep.equal(one)
      expect((await get(at(3), '&expand=Tenant')).data['Tenant']).to.deep.equal(renamed)
      const answer = await service.get(`contract/${contract.Id}?asOf=1`, { 'If-None-Match': '"1"' })
      expect([answer.status, answer.text]).to.deep.equal([304, ''])
    })

    it('refuse what is no moment', async () => {
      for (const bad of ['', '0', '-1', 'soon', '2029-02-30', '2029-01-01T25:00:00Z', '1.5', "1' OR 1=1"]) {
        const answer = await get(encodeURIComponent(bad))
        expect(answer.status, bad).to.equal(400)
        expect(answer.error.Details.map(({ Field }) => Field)).to.deep.equal(['asOf'])
      }
      expect((await get('soon')).faults[0]).to.match(
        /^asOf: must be a version \(3\), a day .* or a timestamp/,
      )
      expect((await list('soon')).faults[0]).to.match(/^asOf: must be a day .* or a timestamp/)
    })
  })

  describe('of a list', () => {
    it('show what there was, in the order and with the totals of then', async () => {
      expect(await notes(at(1))).to.deep.equal([])
      const answer = await list(at(2))
      expect(answer.list.map(({ Notes }) => Notes)).to.deep.equal(['second', 'first'])
      expect(answer.pagination.TotalRecords).to.equal(2)
      expect(answer.list[1]).to.deep.equal(contract)
      expect(await notes(at(4))).to.deep.equal(['second', 'changed'])
      expect(await notes(at(5))).to.deep.equal(['second'])
      expect(await notes('2001-01-01')).to.deep.equal([])
      expect((await list(at(23))).text).to.equal((await service.list('contract')).text)
    })

    it('are filtered, sorted and searched by what was', async () => {
      expect(await notes(at(2), { filter: `Tenant/Name eq 'Anna'` })).to.deep.equal(['first'])
      expect(await notes(at(3), { filter: `Tenant/Name eq 'Anna'` })).to.deep.equal([])
      expect(await notes(at(3), { search: 'berg' })).to.deep.equal(['first'])
      expect(await notes(at(2), { search: 'berg' })).to.deep.equal([])
      expect(await notes(at(4), { search: 'berg' })).to.deep.equal([])
      expect(await notes(at(2), { sort: 'Tenant/Name' })).to.deep.equal(['first', 'second'])
      expect(await notes(at(2), { filter: `Tenant/Email eq 'anna@example.org'` })).to.deep.equal(['first'])
      expect(await notes(at(2), { pageSize: '1', page: '2' })).to.deep.equal(['first'])
      const expanded = (await list(at(2), { expand: 'Tenant', fields: 'Tenant', sort: 'Id' })).list
      expect(expanded).to.deep.equal([
        { Id: contract.Id, Tenant: one },
        { Id: expanded[1]!.Id, Tenant: two },
      ])
    })

    it('stay as they were at a position, page by page, whatever is written meanwhile', async () => {
      const parameters = { pageSize: '1', sort: 'Name' }
      const pageOf = async (object: string, asOf: string, page: string) =>
        service.list(object, { asOf, page, ...parameters })
      const first = await pageOf('tenant', 'now', '1')
      const position = first.headers.get('Daybook-Position') ?? ''
      expect(first.list.map(({ Name }) => Name)).to.deep.equal(['Zoe'])
      const added = await service.create('tenant', { Name: 'Zoran' })
      const pinned = await pageOf('tenant', `@${position}`, '2')
      expect([pinned.list, pinned.pagination.TotalRecords]).to.deep.equal([[], 1])
      expect(pinned.headers.get('Daybook-Position')).to.equal(position)
      expect((await pageOf('tenant', 'now', '2')).list.map(({ Name }) => Name)).to.deep.equal(['Zoran'])
      const one = await service.get(`tenant/${added.Id}?asOf=@${position}`)
      expect(one.status).to.equal(404)
      expect((await pageOf('tenant', '@999999999', '1')).faults).to.deep.equal([
        'asOf: is a plain number; send the Daybook-Position of an answer as it is, all 23 characters',
      ])
      await service.delete(`tenant/${added.Id}`)
    })

    it('refuse versions, and what is no moment', async () => {
      for (const bad of ['1', '', 'soon', '2029-13-01']) {
        const answer = await list(bad, { sort: 'Nope' })
        expect(answer.status, bad).to.equal(400)
        expect(answer.error.Details.map(({ Field }) => Field)).to.have.members(['sort', 'asOf'])
      }
      expect((await service.list('identity/tokens', { asOf: at(2) })).status).not.to.equal(200)
    })

    it('stay the same after a restart', async () => {
      const before = (await list(at(4))).text
      await service.restart()
      expect((await list(at(4))).text).to.equal(before)
    })
  })

  it('have logged nothing', () => expect(service.logged).to.deep.equal([]))
})
