/** A file on its way to records: read, mapped, checked, committed, corrected. */
import { expect } from 'chai'
import { testService, type Data, type TestService } from '../support/service.ts'
import { checkIn, countsIn, CSV, imported, settled, then } from './import-support.ts'

const COLUMNS = 'Name,ExternalId,Email\n'
const tenants = (from: number, count: number) =>
  COLUMNS +
  Array.from({ length: count }, (_, i) => `Tenant ${from + i},T-${from + i},t${from + i}@example.org\n`).join(
    '',
  )

describe('an import', function () {
  this.timeout(60_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.discard())

  const total = async (object: string, filter: string) =>
    (await service.list(object, { filter, pageSize: '1' })).pagination.TotalRecords
  const stored = () =>
    service.streams().filter((name) => /^(tenant|claim|numbering|contract)-/.test(name)).length

  it('checks first, and stores nothing by that', async () => {
    const before = stored()
    const whole = await imported(service, 'tenant/import?fileName=list.csv', tenants(1, 3))
    expect(whole['State'], JSON.stringify(whole)).to.equal('Checked')
    expect(whole['File']).to.include({ Name: 'list.csv', Type: 'csv' })
    expect(checkIn(whole)).to.deep.equal({
      WouldCreate: 3,
      WouldUpdate: 0,
      Unchanged: 0,
      Skipped: 0,
      WouldFail: 0,
      WouldUndo: 0,
      WouldKeep: 0,
    })
    expect(stored()).to.equal(before)

    const done = await then(service, whole, 'commit')
    expect([done['State'], countsIn(done)]).to.deep.equal([
      'Completed',
      { Rows: 3, Done: 3, Created: 3, Updated: 0, Unchanged: 0, Skipped: 0, Failed: 0, Undone: 0, Kept: 0 },
    ])
    const rows = await service.get(`imports/${whole.Id}/rows`)
    expect(rows.list.map(({ Row, Outcome }) => [Row, Outcome])).to.deep.equal([
      [2, 'Created'],
      [3, 'Created'],
      [4, 'Created'],
    ])
    const [first] = rows.list
    const tenant = await service.get(`tenant/${first!.Id}`)
    expect(tenant.data).to.include({ Name: 'Tenant 1', ExternalId: 'T-1' })
    const [created] = service.eventsOf(first!.Id)
    const [entry] = (await service.get(`tenant/${first!.Id}/history`)).list
    expect(entry!['Import']).to.deep.equal({ Id: whole.Id, Row: 2 })
    expect(created!.metadata).to.include({ source: `import:${whole.Id}#2`, $causationId: whole.Id })
  })

  it('knows content again, whatever its name is', async () => {
    const again = await service.post('tenant/import?fileName=other.csv', tenants(1, 3), CSV)
    expect(again.status).to.equal(409)
    expect(again.error.Message).to.match(/import-[0-9a-z]{26}/)
    const meant = await imported(service, 'tenant/import?again=true', tenants(1, 3))
    expect(checkIn(meant)['WouldFail']).to.equal(3)
    expect(meant['SameContentAs']).to.match(/^import-/)
    const cancelled = await service.post(`imports/${meant.Id}/cancel`)
    expect(cancelled.data['State']).to.equal('Cancelled')
    // Nothing came of it: the content is free.
    expect((await service.post('tenant/import', tenants(1, 3), CSV)).status).to.equal(202)
  })

  it('says of each refused row what is wrong, and takes its correction once', async () => {
    const file = `${COLUMNS}Ann,C-1,ann@example.org\nBob,C-2,not an address\n,C-3,\nDora,C-1,\n`
    const whole = await imported(service, 'tenant/import?commit=true', file)
    expect(whole['State']).to.equal('CompletedWithErrors')
    expect(countsIn(whole)).to.include({ Created: 1, Failed: 3 })
    const { list } = await service.get(`imports/${whole.Id}/rows?outcome=failed`)
    expect(list.map(({ Row, Message }) => `${Row as number}: ${Message as string}`)).to.deep.equal([
      '3: Email must be an e-mail address',
      '4: Name is required',
      '5: ExternalId another tenant has this value; it is also in row 2 of this file',
    ])
    const errors = (await service.get(`imports/${whole.Id}/errors.csv`)).text
    const corrected = errors.replace('not an address', 'bob@example.org').replace(',C-3,', 'Carl,C-3,')
    const first = await imported(service, 'tenant/import?commit=true', corrected)
    expect(countsIn(first)).to.include({ Created: 2, Failed: 1 })
    const other = corrected.replace('bob@example.org', 'bob2@example.org')
    const second = await imported(service, 'tenant/import?commit=true', other)
    expect(countsIn(second)).to.include({ Created: 0, Skipped: 2, Failed: 1 })
    expect(await total('tenant', "startswith(ExternalId,'C-')")).to.equal(3)
    const results = (await service.get(`imports/${whole.Id}/results.csv`)).text
    expect(results.split('\r\n')[1]).to.match(/^2,Created,tenant-/)
  })

  it('updates and upserts by a unique field, and leaves alone what is the same', async () => {
    const file = `${COLUMNS}Tenant 1,T-1,t1@example.org\nTenant 2 b,T-2,t2@example.org\nNew,T-99,\n`
    const update = await imported(service, 'tenant/import?mode=update', file)
    expect(checkIn(update)).to.include({ WouldUpdate: 1, Unchanged: 1, WouldFail: 1 })
    await service.post(`imports/${update.Id}/cancel`)
    const upsert = await imported(service, 'tenant/import?mode=upsert&commit=true', file)
    expect(countsIn(upsert)).to.include({ Created: 1, Updated: 1, Unchanged: 1, Failed: 0 })
    const [found] = (await service.list('tenant', { filter: "ExternalId eq 'T-2'" })).list
    expect(found!['Name']).to.equal('Tenant 2 b')
  })

  it('asks where columns do not say which field they are for, or how to read them', async () => {
    const file = 'Debiteur;Huur;Ingang\nTenant 1;1.234;03/04/2031\nTenant 1;2.500;04/05/2031\n'
    const whole = await imported(service, 'contract/import', file)
    expect(whole['State']).to.equal('NeedsMapping')
    const mapping = {
      Fields: {
        Tenant: { Column: 'Debiteur', LookupBy: 'Name' },
        MonthlyRent: { Amount: { Column: 'Huur' }, Currency: { Constant: 'EUR' } },
        StartDate: { Column: 'Ingang' },
      },
    }
    const asked = await service.put(`imports/${whole.Id}/mapping`, mapping)
    expect(asked.status, asked.text).to.equal(202)
    const questions = asked.data['Questions'] as readonly Data[]
    expect(questions.map(({ Field }) => Field)).to.deep.equal(['MonthlyRent', 'StartDate'])
    const answered = await service.put(`imports/${whole.Id}/mapping`, {
      ...mapping,
      Formats: { Decimal: ',', Date: ['D/M/YYYY'] },
    })
    const checked = await settled(service, answered.data.Id)
    expect([checked['State'], checkIn(checked)['WouldCreate']], JSON.stringify(checked)).to.deep.equal([
      'Checked',
      2,
    ])
    const done = await then(service, checked, 'commit')
    const { list } = await service.get(`imports/${done.Id}/rows`)
    const contract = await service.get(`contract/${list[0]!.Id}`)
    expect(contract.data['MonthlyRent']).to.deep.equal({ Amount: 1234, Currency: 'EUR' })
    expect(contract.data['StartDate']).to.equal('2031-04-03')
  })

  it('takes JSON, NDJSON and forms', async () => {
    const Records = [
      { Name: 'J', ExternalId: 'J-1' },
      { Name: 'K', ExternalId: 'J-2', Email: null },
    ]
    const json = { 'Content-Type': 'application/json' }
    const fromJson = await imported(service, 'tenant/import?commit=true', JSON.stringify({ Records }), json)
    expect(countsIn(fromJson)['Created'], JSON.stringify(fromJson)).to.equal(2)
    const lines = '{"Name":"L","ExternalId":"L-1"}\n{"Name":"M","ExternalId":"L-2"}\n'
    expect(countsIn(await imported(service, 'tenant/import?commit=true', lines))['Created']).to.equal(2)
    const form = new FormData()
    form.set('options', JSON.stringify({ Commit: true }))
    form.set('file', new Blob([`${COLUMNS}Form,F-1,\n`]), 'from a form.csv')
    const body = new Uint8Array(await new Response(form).arrayBuffer())
    const boundary = /^--(.*)\r\n/.exec(Buffer.from(body).toString('latin1'))![1]!
    const done = await imported(service, 'tenant/import', body, {
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
    })
    expect([done['State'], (done['File'] as Data)['Name']]).to.deep.equal(['Completed', 'from a form.csv'])
  })

  it('is refused where it cannot be meant', async () => {
    for (const [path, body, status] of [
      ['tenant/import', '', 400],
      ['nothing/import', 'a\n', 404],
      ['tenant/import?mode=replace', 'Name\nx\n', 400],
      ['tenant/import?color=red', 'Name\nx\n', 400],
      ['user/import', 'Name\nx\n', 404],
    ] as const)
      expect((await service.post(path, body, CSV)).status, path).to.equal(status)
    const html = await imported(service, 'tenant/import', '<html><table></table></html>')
    expect([html['State'], html['Reason']]).to.satisfy(
      ([state, reason]: string[]) => state === 'Failed' && /HTML/.test(reason!),
    )
    expect((await service.get('imports/import-00000000000000000000000000')).status).to.equal(404)
  })

  it('is in the list, in the audit, and among the events that are sent', async () => {
    const failed = await service.list('imports', { filter: "State eq 'Failed'" })
    expect(failed.pagination.TotalRecords).to.equal(1)
    const audit = await service.get('audit?object=import&event=import.completed')
    expect(audit.pagination.TotalRecords).to.be.greaterThan(3)
    const of = await service.list('audit', { key: failed.list[0]!.Id, event: 'import.received' })
    expect(failed.list[0]!['By']).to.deep.equal(of.list[0]!['By'])
    expect(failed.list[0]!['By'])
      .to.have.property('Name')
      .that.does.not.match(/^token-/)
    const names = await service.list('webhooks/events', { pageSize: '100', page: '2' })
    expect(JSON.stringify(names.list)).to.include('import.completed')
  })
})
