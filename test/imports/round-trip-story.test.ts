/** What was exported and is imported as it is changes nothing, whatever the records hold. */
import { expect } from 'chai'
import { TOKEN, testService, type Data, type TestService } from '../support/service.ts'
import { countsIn, imported, then } from './import-support.ts'

describe('an export that is imported again', () => {
  let service: TestService
  before(async () => {
    service = await testService()
    await fill(service)
  })
  after(() => service.discard())

  const exported = async (object: string, format: string, parameters = ''): Promise<Uint8Array> => {
    const response = await fetch(`${service.url}/api/v1/${object}/export?format=${format}${parameters}`, {
      headers: { Authorization: `Bearer ${TOKEN}` },
    })
    expect(response.status).to.equal(200)
    return new Uint8Array(await response.arrayBuffer())
  }
  const sentBack = (object: string, file: string | Uint8Array) =>
    imported(service, `${object}/import?mode=update&commit=true&again=true`, file, {})

  const expectUnchanged = async (whole: Data, count: number) => {
    expect(whole['Questions'], JSON.stringify(whole['Questions'])).to.deep.equal([])
    const failed = await service.get(`imports/${whole.Id}/rows?outcome=failed`)
    expect(failed.list, failed.text).to.deep.equal([])
    expect(countsIn(whole)).to.include({ Unchanged: count, Updated: 0, Created: 0 })
  }

  for (const [object, formats] of Object.entries({
    tenant: ['csv', 'xlsx'],
    unit: ['csv'],
    contract: ['csv', 'xlsx'],
    payment: ['csv', 'xlsx'],
    servicerequest: ['csv'],
  }))
    for (const format of formats)
      it(`leaves every ${object} as it is, as ${format}`, async () => {
        const count = (await service.list(object)).pagination.TotalRecords
        expect(count).to.be.greaterThan(0)
        await expectUnchanged(await sentBack(object, await exported(object, format)), count)
      })

  for (const object of ['tenant', 'contract'])
    it(`leaves every ${object} as it is, as the JSON Lines of a list`, async () => {
      const { list } = await service.list(object, { pageSize: '100' })
      const lines = list.map((record) => JSON.stringify(record)).join('\n')
      await expectUnchanged(await sentBack(object, lines), list.length)
    })

  it('passes over what the service assigns, and says so', async () => {
    const whole = await sentBack('contract', await exported('contract', 'csv'))
    const assigned = ['ContractNumber', 'CreatedAt', 'ModifiedAt']
    expect((whole['Mapping'] as { IgnoreColumns: string[] }).IgnoreColumns).to.have.members(assigned)
    const { data } = await service.get(`imports/${whole.Id}/preview`)
    const notices = data['Notices'] as unknown as { code: string; message: string }[]
    for (const column of assigned)
      expect(notices.map(({ message }) => message)).to.include(
        `${column} is assigned by the service: the column is passed over.`,
      )
  })

  it('passes over it beside a mapping and in a profile, too', async () => {
    const Fields = { Id: { Column: 'Id' }, Phone: { Column: 'Phone' } }
    const Mapping = { Mode: 'update', KeyField: 'Id', Fields }
    const sent = await service.post('import-profiles', { Name: 'Phones', Object: 'tenant', Mapping })
    expect(sent.status, sent.text).to.equal(201)
    const file = await exported('tenant', 'csv', '&fields=Id,Phone,CreatedAt')
    const path = `tenant/import?commit=true&again=true&profile=${sent.data.Id}`
    await expectUnchanged(await imported(service, path, file, {}), 3)
    const columns = { Object: 'tenant', Columns: ['Id', 'Phone', 'CreatedAt'] }
    const suggested = await service.post('import-profiles/suggest', columns)
    expect(suggested.text).to.include(sent.data.Id)
  })

  it('says of a mapping to such a field that the service assigns it', async () => {
    const Fields = { Id: { Column: 'Id' }, CreatedAt: { Column: 'CreatedAt' } }
    const Mapping = { Mode: 'update', KeyField: 'Id', Fields }
    const { status, faults } = await service.post('import-profiles', {
      Name: 'Wrong',
      Object: 'tenant',
      Mapping,
    })
    expect([status, faults]).to.deep.equal([400, ['Fields.CreatedAt: is assigned by the service']])
  })

  it('makes no second record of each when nobody has said that it is an update', async () => {
    const file = await exported('tenant', 'csv')
    const whole = await imported(service, 'tenant/import?commit=true&again=true', file, {})
    expect(whole['State']).to.equal('NeedsMapping')
    expect(JSON.stringify(whole['Questions'])).to.include('names records that there are')
  })

  it('writes what was changed, and only that', async () => {
    const file = Buffer.from(await exported('tenant', 'csv', '&fields=Id,Phone,Notes')).toString()
    const whole = await sentBack('tenant', file.replace('+47 22 33 44 55', '+47 66 77 88 99'))
    expect(countsIn(whole)).to.include({ Updated: 1, Unchanged: 2 })
    const { list } = await service.list('tenant', { filter: "startswith(Name, '=1+1')" })
    expect(list[0]).to.include({ Phone: '+47 66 77 88 99', Notes: '-5 @home' })
  })

  it('comes back from an error file as it was', async () => {
    const names = ["'=1", '=1', "''@", '-5', "'t"]
    const rows = names.map((Name, i) => JSON.stringify({ Name, ExternalId: `E-${i}`, Email: 'no address' }))
    const whole = await imported(service, 'tenant/import', rows.join('\n'), {})
    await then(service, whole, 'commit')
    for (const format of ['csv', 'xlsx']) {
      const response = await fetch(`${service.url}/api/v1/imports/${whole.Id}/errors.${format}`, {
        headers: { Authorization: `Bearer ${TOKEN}` },
      })
      const file = new Uint8Array(await response.arrayBuffer())
      const back = await imported(service, 'tenant/import?again=true', file, {})
      const { data } = await service.get(`imports/${back.Id}/preview`)
      const shown = data['Rows'] as unknown as { Cells: { Name: string } }[]
      expect(shown.map(({ Cells }) => Cells.Name)).to.deep.equal(names)
    }
  })
})

async function fill(service: TestService): Promise<void> {
  const odd = await service.create('tenant', {
    Name: '=1+1; "odd" | \'x',
    ExternalId: "'+E-1",
    Phone: '+47 22 33 44 55',
    Notes: '-5 @home',
  })
  const ann = await service.create('tenant', { Name: 'Ann', Notes: '  two lines,\r\n\tand blanks  ' })
  await service.create('tenant', { Name: 'Ann', Phone: "'s" })
  const building = await service.create('building', { Name: 'House' })
  const unit = await service.create('unit', { Number: '00.1', Building: building.Id, Area: 1.234 })
  const contract = await service.create('contract', {
    Tenant: ann.Id,
    Building: building.Id,
    Unit: unit.Id,
    MonthlyRent: { Amount: 1_234.5, Currency: 'EUR' },
    StartDate: '2031-04-03',
    Duration: 12,
    LeaseType: 'Something else',
    Notes: '@x',
  })
  await service.create('contract', {
    Tenant: odd.Id,
    MonthlyRent: { Amount: 1, Currency: 'NOK' },
    StartDate: '2031-01-02',
  })
  expect((await service.post(`contract/${contract.Id}/workflow/submit`)).status).to.equal(200)
  const Amount = { Amount: -5, Currency: 'EUR' }
  await service.create('payment', { Tenant: ann.Id, Contract: contract.Id, Amount, DueDate: '2031-02-03' })
  const Status = 'Received'
  await service.create('payment', { Amount, Status, ReceivedAt: '2026-01-02T03:04:05Z', PayerName: '=A' })
  await service.create('servicerequest', { Subject: '+ tap', Unit: unit.Id, Tenant: odd.Id })
}
