/** `?dryRun=true`: what a write would come to, with nothing stored, used or sent. */
import { expect } from 'chai'
import { contractBody } from '../../system/support/leasing.ts'
import { testService, type Answer, type Data, type TestService } from '../../support/service.ts'

describe('a dry run of a write', () => {
  let service: TestService
  let tenant: Data
  let contract: Data
  before(async () => {
    service = await testService()
    tenant = await service.create('tenant', { Name: 'Ann', ExternalId: 'E-1' })
    contract = await service.create('contract', { ...contractBody(), Tenant: tenant.Id })
  })
  after(() => service.discard())

  const stored = () => service.streams().length + service.eventsOf(contract.Id).length
  const judged = async (ask: () => Promise<Answer>): Promise<Answer> => {
    const before = stored()
    const answer = await ask()
    expect(stored(), 'nothing is stored').to.equal(before)
    if (answer.status < 400) expect(answer.headers.get('Daybook-Dry-Run')).to.equal('true')
    return answer
  }

  it('shows the record that a create would make, without what would be assigned', async () => {
    const body = { ...contractBody(), Tenant: tenant.Id }
    const answer = await judged(() => service.post('contract?dryRun=true', body))
    expect(answer.status, answer.text).to.equal(200)
    const { Id, ContractNumber, CreatedAt, ModifiedAt, Status, Tenant } = answer.data
    expect([Id, ContractNumber, CreatedAt, ModifiedAt]).to.deep.equal([null, null, null, null])
    expect([Status, Tenant]).to.deep.equal(['Draft', { Id: tenant.Id, Name: 'Ann' }])
    expect(answer.headers.get('ETag')).to.equal(null)
    const next = await service.create('contract', body)
    expect(next['ContractNumber'], 'no number is used').to.match(/-0002$/)
  })

  it('refuses what the write would be refused for', async () => {
    const missing = await judged(() => service.post('contract?dryRun=true', {}))
    expect(missing.faults).to.include('MonthlyRent: is required')
    const duplicate = await judged(() => service.post('tenant?dryRun=true', { Name: 'B', ExternalId: 'E-1' }))
    expect(duplicate.status).to.equal(409)
    const referred = await judged(() => service.delete(`tenant/${tenant.Id}?dryRun=true`))
    expect(referred.status).to.equal(409)
    const late = await judged(() =>
      service.patch(`contract/${contract.Id}?dryRun=true`, { Duration: 3 }, { 'If-Match': '"9"' }),
    )
    expect(late.status).to.equal(412)
    expect((await service.post('tenant?dryRun=yes', { Name: 'B' })).status).to.equal(400)
    expect((await service.get(`tenant/${tenant.Id}?dryRun=true`)).status).to.equal(400)
  })

  it('judges changes, deletes and workflow actions', async () => {
    const path = `contract/${contract.Id}`
    const patched = await judged(() => service.patch(`${path}?dryRun=true`, { Duration: 24 }))
    expect([patched.data.Id, patched.data['Duration'], patched.data['ModifiedAt']]).to.deep.equal([
      contract.Id,
      24,
      null,
    ])
    const put = await judged(() => service.put(`${path}?dryRun=true`, { LeaseType: 'Renewal' }))
    expect(put.data['LeaseType']).to.equal('Renewal')
    const submitted = await judged(() => service.post(`${path}/workflow/submit?dryRun=true`, {}))
    expect(submitted.data['Status']).to.equal('PendingApproval')
    const deleted = await judged(() => service.delete(`${path}?dryRun=true`))
    expect(deleted.data).to.deep.equal({ Id: contract.Id, IsDeleted: true })
    expect((await service.get(path)).data['Status']).to.equal('Draft')
    const upserted = await judged(() => service.put('tenant/by/ExternalId/E-9?dryRun=true', { Name: 'New' }))
    expect([upserted.status, upserted.data.Id]).to.deep.equal([200, null])
  })

  it('judges the rows of a batch, each beside those before it', async () => {
    const Records = ['E-7', 'E-1', 'E-7'].map((ExternalId) => ({ Name: 'X', ExternalId }))
    const { list } = await judged(() => service.post('tenant/batch?dryRun=true', { Records }))
    expect(list.map(({ Id, ['Status']: status }) => [status, Id])).to.deep.equal([
      [201, null],
      [409, undefined],
      [409, undefined],
    ])
  })

  it('leaves the Idempotency-Key unused', async () => {
    const key = { 'Idempotency-Key': 'judge-first' }
    await judged(() => service.post('tenant?dryRun=true', { Name: 'First' }, key))
    const made = await service.post('tenant', { Name: 'Then' }, key)
    expect([made.status, made.data['Name']]).to.deep.equal([201, 'Then'])
  })
})
