/** What a role does not show is not there either in what was: history, changes, reads as of a moment, exports, actions. */
import { expect } from 'chai'
import {
  testService,
  textOf,
  type Answer,
  type Data,
  type HeaderValues,
  type TestService,
} from '../../support/service.ts'
import { withGrants } from '../identity/identity-support.ts'
import { unlike } from '../../support/unlike.ts'

const CANARY = 'canary'
const rent = { Amount: 900, Currency: 'EUR' }

describe('what was, for whom not everything is granted', () => {
  let service: TestService
  let [kiel, rome]: Data[] = []
  let [bob, here, there, moved]: Data[] = []
  let clerk: HeaderValues
  let since: string
  let whileThere: string

  const granted = (...Grants: object[]) => withGrants(service, Grants)
  const contract = (more: object) =>
    service.create('contract', { MonthlyRent: rent, StartDate: '2999-01-01', ...more })
  const nextOf = (answer: Answer) => answer.json['Next'] as string
  const heard: string[] = []
  /** As the clerk hears it; never with a canary. */
  const hear = async (path: string, method = 'GET', body?: unknown): Promise<Answer> => {
    const answer = await service.send(method, path, { body, headers: clerk })
    heard.push(answer.text)
    return answer
  }

  before(async () => {
    service = await testService()
    kiel = await service.create('building', { Name: 'Am Hafen', City: 'Kiel' })
    rome = await service.create('building', { Name: `Via ${CANARY}`, City: 'Rome' })
    bob = await service.create('tenant', { Name: `Bob ${CANARY}`, Email: `${CANARY}@example.com` })
    const actions = ['read', 'audit', 'export', 'delete', 'workflow:submit', 'workflow:approve']
    clerk = await granted(
      {
        Object: 'contract',
        Actions: actions,
        Rows: "Building/City eq 'Kiel'",
        ReadFields: ['ContractNumber', 'Building', 'Tenant', 'StartDate'],
      },
      { Object: 'building', Actions: ['read', 'audit', 'export'], Rows: "City eq 'Kiel'" },
    )
    since = nextOf(await service.get('contract/changes?since=now', clerk))
    here = await contract({ Building: kiel.Id, Tenant: bob.Id, Notes: CANARY })
    there = await contract({ Building: rome.Id, Notes: CANARY })
    moved = await contract({ Building: kiel.Id })
    whileThere = nextOf(await service.get('contract/changes?since=now', clerk))
    await service.patch(`contract/${here.Id}`, { Notes: `${CANARY} again`, StartDate: '2999-02-01' })
    await service.patch(`contract/${moved.Id}`, { Building: rome.Id })
  })
  after(() => service.discard())

  it('is told by histories of the records and fields that are shown', async () => {
    const { list } = await hear(`contract/${here!.Id}/history`)
    expect(list.map(({ Changes }) => Object.keys(Changes as object).sort())).to.deep.equal([
      ['Building', 'ContractNumber', 'StartDate', 'Tenant'],
      ['StartDate'],
    ])
    expect((list[0]!['Changes'] as Record<string, { To: unknown }>)['Tenant']!.To).to.deep.equal({
      Id: bob!.Id,
      Name: null,
    })
    for (const { Id } of [there!, moved!]) {
      const unknown = unlike(Id)
      for (const below of ['/history', '', '?asOf=1', '?asOf=2', `?asOf=${new Date().toISOString()}`]) {
        const [hidden, none] = [
          await hear(`contract/${Id}${below}`),
          await hear(`contract/${unknown}${below}`),
        ]
        // As it was in its first version, the moved one was shown.
        if (Id === moved!.Id && below === '?asOf=1') expect(hidden.status).to.equal(200)
        else
          expect([hidden.status, hidden.text.replaceAll(Id, unknown)], below).to.deep.equal([404, none.text])
      }
    }
  })

  it('is told by the feed of changes of what is shown, and of what is shown no more', async () => {
    const first = await hear(`contract/changes?since=${since}`)
    expect(first.list.map(({ Id }) => Id)).to.deep.equal([here!.Id])
    expect(first.list[0]).to.not.have.any.keys('Notes', 'MonthlyRent', 'Status')
    const later = await hear(`contract/changes?since=${whileThere}`)
    expect(later.list.map(({ Id, IsDeleted }) => [Id, IsDeleted])).to.deep.equal([
      [here!.Id, undefined],
      [moved!.Id, true],
    ])
    const all = await hear('contract/changes?pageSize=1')
    expect(all.text).to.not.include(there!.Id)
  })

  it('is for those to whom auditing is granted, and as much of it as that', async () => {
    const asOf = encodeURIComponent(new Date(Date.now() + 1_000).toISOString())
    const paths = [`contract?asOf=${asOf}`, ...['1', asOf].map((as) => `contract/${here!.Id}?asOf=${as}`)]
    const reader = await granted({ Object: 'contract', Actions: ['read'] })
    for (const path of paths) {
      expect((await service.get(path.replace(/asOf=.*/, ''), reader)).status, path).to.equal(200)
      expect((await service.get(path, reader)).status, path).to.equal(403)
    }
    const auditor = await granted(
      { Object: 'contract', Actions: ['read'] },
      {
        Object: 'contract',
        Actions: ['audit'],
        Rows: "StartDate eq '2999-02-01'",
        ReadFields: ['StartDate'],
      },
    )
    expect((await service.get('contract', auditor)).list.length).to.be.above(1)
    const { list } = await service.get(paths[0]!, auditor)
    expect(list.map(({ Id, StartDate, ...more }) => [Id, StartDate, Object.keys(more)])).to.deep.equal([
      [here!.Id, '2999-02-01', ['CreatedAt', 'ModifiedAt']],
    ])
    expect((await service.get(`contract/${here!.Id}?asOf=1`, auditor)).status).to.equal(404)
    expect((await service.get(`contract/${here!.Id}?asOf=2`, auditor)).data).to.not.have.any.keys('Notes')
  })

  it('is listed as of a moment like the present is', async () => {
    const asOf = encodeURIComponent(new Date(Date.now() + 1_000).toISOString())
    for (const path of [`contract?asOf=${asOf}`, `contract?asOf=${asOf}&search=${CANARY}`]) {
      const { list, pagination } = await hear(path)
      expect(pagination.TotalRecords, path).to.equal(path.includes('search') ? 0 : 1)
      for (const one of list) expect(one).to.not.have.any.keys('Notes', 'MonthlyRent', 'Status')
    }
    for (const more of [
      "filter=Notes eq 'x'",
      'sort=MonthlyRent',
      'fields=Notes',
      'filter=Tenant/Email ne null',
    ])
      expect((await hear(`contract?asOf=${asOf}&${encodeURI(more)}`)).status, more).to.equal(400)
    const building = await hear(`building/${rome!.Id}?asOf=1`)
    expect(building.status).to.equal(404)
    const expanded = await hear(`contract/${here!.Id}?asOf=1&expand=Building`)
    expect((expanded.data['Building'] as Data)['City']).to.equal('Kiel')
  })

  it('is in no table, question or snapshot of the warehouse', async () => {
    for (const path of [
      'warehouse',
      'warehouse/snapshot',
      'warehouse/wh_Leasing_Contract',
      'warehouse/wh_Leasing_Building_history',
    ])
      expect((await hear(path)).status, path).to.equal(403)
    const narrow = await granted(
      { Object: 'tenant', Actions: ['read', 'export', 'audit'], ReadFields: ['Phone'] },
      { Object: 'contract', Actions: ['read', 'export'], ReadFields: ['Tenant', 'Building'] },
    )
    const ask = async (Sql: string) => {
      const answer = await service.post('warehouse/query', { Sql }, narrow)
      heard.push(answer.text)
      return answer
    }
    for (const Sql of [
      'SELECT Name FROM wh_Leasing_Tenant',
      "SELECT count(*) FROM wh_Leasing_Tenant WHERE Email LIKE 'c%'",
      'SELECT Tenant_Name FROM wh_Leasing_Contract',
      'SELECT Notes FROM wh_Leasing_Contract',
      'SELECT Name FROM wh_Leasing_Building',
      'SELECT 1 FROM wh_Leasing_Contract ORDER BY Notes',
      'SELECT Name FROM wh_Leasing_Tenant_history',
      // Histories need auditing, too.
      'SELECT Key FROM wh_Leasing_Contract_history',
      'SELECT t.Name FROM wh_Leasing_Contract c JOIN wh_Leasing_Tenant t ON t.Key = c.Tenant',
      'WITH x AS (SELECT * FROM wh_Leasing_Tenant) SELECT * FROM x',
    ])
      expect((await ask(Sql)).status, Sql).to.be.oneOf([400, 403])
    for (const table of ['Tenant', 'Tenant_history', 'Contract'])
      expect((await ask(`SELECT Key FROM wh_Leasing_${table}`)).status, table).to.equal(200)
    expect((await ask('SELECT Key, Phone FROM wh_Leasing_Tenant')).status).to.equal(200)
    expect((await service.get('warehouse/wh_Leasing_Contract_history', narrow)).status).to.equal(403)
    const tables = (await service.get('warehouse', narrow)).list.map(({ Name }) => Name)
    expect(tables).to.have.members(
      ['Contract', 'Tenant', 'Tenant_history'].map((name) => `wh_Leasing_${name}`),
    )
    expect((await service.get('warehouse/snapshot', narrow)).status).to.equal(403)
    for (const format of ['json', 'csv', 'jsonl']) {
      const table = await service.get(`warehouse/wh_Leasing_Tenant?format=${format}`, narrow)
      expect([table.status, table.text.includes('Phone'), table.text.includes('Name')], format).to.deep.equal(
        [200, true, false],
      )
      heard.push(table.text)
    }
  })

  it('is not told by what an action or a restore is refused for', async () => {
    const { Id } = await contract({ Building: kiel!.Id })
    const early = await hear(`contract/${Id}/workflow/approve`, 'POST')
    expect([early.status, early.error.Code, early.error.Details]).to.deep.equal([409, 'CONFLICT', []])
    await service.post(`contract/${Id}/workflow/submit`)
    const again = await hear(`contract/${Id}/workflow/submit`, 'POST')
    expect(again.status).to.equal(409)
    for (const { text } of [early, again]) expect(text).to.not.match(/Draft|Pending|recall/)
    expect((await service.post(`contract/${Id}/workflow/submit`)).text).to.include('is PendingApproval')

    const blind = await granted({
      Object: 'contract',
      Actions: ['read', 'delete'],
      ReadFields: ['StartDate'],
    })
    const tenant = await service.create('tenant', { Name: 'Brief' })
    const lost = await contract({ Tenant: tenant.Id })
    await service.delete(`contract/${lost.Id}`)
    await service.delete(`tenant/${tenant.Id}`)
    const restore = await service.post(`contract/${lost.Id}/restore`, undefined, blind)
    expect([restore.status, ...restore.faults]).to.deep.equal([
      400,
      'Tenant: there is no tenant that it looks up',
    ])
    expect((await service.post(`contract/${lost.Id}/restore`)).faults).to.deep.equal([
      `Tenant: there is no tenant ${tenant.Id}`,
    ])
  })

  it('is told by histories as each version would be shown', async () => {
    const kielOnly = { Object: 'tenant', Actions: ['read', 'audit'], Rows: "City eq 'Kiel'" }
    const role = await granted({ ...kielOnly, ReadFields: ['City', 'Notes'] })
    const { Id } = await service.create('tenant', { Name: 'Wanderer', City: 'Rome', Notes: CANARY })
    const change = (fields: object, reason: string) =>
      service.patch(`tenant/${Id}`, fields, { 'Daybook-Reason': reason })
    await change({ Notes: `${CANARY} 2` }, CANARY)
    await change({ City: 'Kiel', Notes: 'arrived' }, 'moves in')
    await change({ Notes: 'at home' }, 'settles')
    await change({ Email: `${CANARY}@example.com` }, CANARY)
    expect((await service.get(`tenant/${Id}?asOf=2`, role)).status).to.equal(404)
    const { list, text } = await service.get(`tenant/${Id}/history`, role)
    heard.push(text)
    expect(list.map(({ Changes, Reason }) => [Changes, Reason])).to.deep.equal([
      [{}, null],
      [{}, null],
      [{ City: { From: null, To: 'Kiel' }, Notes: { From: null, To: 'arrived' } }, 'moves in'],
      [{ Notes: { From: 'arrived', To: 'at home' } }, 'settles'],
      [{}, null],
    ])
    const page = await service.get(`tenant/${Id}/history?page=2&pageSize=2`, role)
    expect(page.list).to.deep.equal(list.slice(2, 4))
  })

  it('is told by histories with the rows of looked-up records as they were', async () => {
    const { Id: house } = await service.create('building', { Name: 'Ferry', City: 'Rome' })
    const { Id } = await contract({ Building: house, StartDate: '2999-03-01' })
    await service.patch(`building/${house}`, { City: 'Kiel' })
    await service.patch(`contract/${Id}`, { StartDate: '2999-04-01' })
    const role = await granted({
      Object: 'contract',
      Actions: ['audit'],
      Rows: "Building/City eq 'Kiel'",
      ReadFields: ['StartDate'],
    })
    const { list } = await service.get(`contract/${Id}/history`, role)
    expect(list.map(({ Changes }) => Changes)).to.deep.equal([
      {},
      { StartDate: { From: null, To: '2999-04-01' } },
    ])
  })

  it('is in none of all those answers', () => {
    expect(heard.length).to.be.greaterThan(30)
    for (const text of heard)
      expect(text).to.not.include(CANARY).and.to.not.include(textOf(there, 'ContractNumber'))
    expect(service.logged).to.deep.equal([])
  })
})
