/** A word that is none of the few which a parameter, a member or a path takes: the answer has the one that was meant. */
import { expect } from 'chai'
import { testService, type TestService } from '../../support/service.ts'

describe('a word that is none of a few', function () {
  this.timeout(30_000)
  let service: TestService
  let webhook: string
  let integration: string
  let file: string
  const csv = { headers: { 'Content-Type': 'text/csv' }, body: 'Name\nA\n' }

  before(async () => {
    service = await testService({ settings: { WEBHOOK_ALLOW_ADDRESSES: '127.0.0.0/8' } })
    const made = { Url: 'http://127.0.0.1:9/x', Events: ['contract.created'] }
    webhook = (await service.post('webhooks', made)).data.Id
    integration = (await service.post('integrations', { Name: 'till', Definition: 'stripe' })).data.Id
    file = (await service.send('POST', 'tenant/import', csv)).data.Id
  })
  after(() => service.discard())

  const said = async (path: string) => (await service.get(path)).text

  it('of a parameter is answered with the words, and the one that was meant', async () => {
    const cases = [
      [`webhooks/${webhook}/deliveries?state=fail`, 'failed'],
      [`imports/${file}/rows?outcome=fail`, 'Failed'],
      [`integrations/${integration}/sent?state=fail`, 'failed'],
      [`integrations/${integration}/inbox?state=quarantine`, 'quarantined'],
      ['audit/export?format=jsnl', 'jsonl'],
      ['warehouse/wh_Leasing_Contract?format=prquet', 'parquet'],
      ['tenant/export?format=xls', 'xlsx'],
    ] as const
    for (const [path, meant] of cases) {
      const { status, error } = await service.get(path)
      expect(status, path).to.equal(400)
      expect(error.Details[0]!.Message).to.match(new RegExp(`^must be one of .*; did you mean ${meant}\\?$`))
    }
    expect(await said('waiting?object=contrct')).to.include('did you mean contract?')
    expect((await service.send('POST', 'tenant/import?mode=upsrt', csv)).faults).to.deep.equal([
      'Mode: must be one of create, update, upsert; did you mean upsert?',
    ])
  })

  it('is taken in other capitals', async () => {
    for (const path of [
      `webhooks/${webhook}/deliveries?state=FAILED`,
      `imports/${file}/rows?outcome=failed`,
      `integrations/${integration}/sent?state=Failed`,
      `integrations/${integration}/inbox?state=Applied`,
      'warehouse/wh_Leasing_Contract?format=CSV',
    ])
      expect((await service.get(path)).status, path).to.equal(200)
  })

  it('of a mapping is answered with the field or form that was meant', async () => {
    const mapped = async (mapping: object) => (await service.put(`imports/${file}/mapping`, mapping)).faults
    const Name = { Column: 'Name' }
    expect(await mapped({ Mode: 'create', Fields: { Nam: Name } })).to.deep.equal([
      'Fields.Nam: tenant has no such field; did you mean Name?',
    ])
    expect(await mapped({ Mode: 'update', KeyField: 'id', Fields: { Name } })).to.deep.equal([
      'KeyField: must be Id or a unique field; did you mean Id?',
    ])
    const [form] = await mapped({ Mode: 'create', Fields: { Name: { ...Name, Format: 'YYY-MM-DD' } } })
    expect(form).to.match(/^Fields\.Name\.Format: must be one of .*; did you mean YYYY-MM-DD\?$/)
  })

  it('of a strict field is answered with the choice that was meant', async () => {
    const { faults } = await service.post('contract', { Status: 'Actve' })
    expect(faults[0]).to.match(/^Status: must be one of .*; did you mean Active\?$/)
  })

  it('of a path is answered with the path that was meant', async () => {
    const cases = [
      ['health/redy', '/api/v1/health/ready'],
      ['helth', '/api/v1/health'],
      ['/health/redy', '/api/v1/health/ready'],
      ['openapi', '/api/v1/openapi.json'],
      ['/openapi.jsn', '/api/v1/openapi.json'],
      ['metrix', '/metrics'],
      ['/metrix', '/metrics'],
      ['/doc', '/docs'],
    ] as const
    for (const [path, meant] of cases) {
      const { status, text } = await service.get(path)
      expect(status, path).to.equal(404)
      expect(text, path).to.include(`did you mean ${meant}?`)
    }
    expect((await service.post('projections/record/rebuild')).text).to.include(
      'there is no projection record; did you mean records?',
    )
  })
})
