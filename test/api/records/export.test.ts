/** A list as a file: its columns, filter and order, its moment, what rights leave of it, and that it can be imported again. */
import { expect } from 'chai'
import { TOKEN, testService, type TestService } from '../../support/service.ts'

describe('the export of a list', () => {
  let service: TestService
  before(async () => {
    service = await testService()
    const tenant = await service.create('tenant', { Name: 'Ann, "the" Øst', ExternalId: '=1+1' })
    const Records = Array.from({ length: 450 }, (_, index) => ({
      Tenant: tenant.Id,
      MonthlyRent: { Amount: 1_000.5 + index, Currency: 'EUR' },
      StartDate: '2031-01-01',
      Duration: 12,
    }))
    expect((await service.post('contract/batch', { Records })).status).to.equal(200)
  })
  after(() => service.discard())

  const exported = async (parameters: Readonly<Record<string, string>>, object = 'contract') => {
    const answer = await service.list(`${object}/export`, parameters)
    expect(answer.status, answer.text).to.equal(200)
    return answer
  }

  it('has all pages, in the order and with the columns that were asked for', async () => {
    const fields = 'ContractNumber,Tenant,MonthlyRent,StartDate'
    const { text, headers } = await exported({ fields, sort: '-MonthlyRent', filter: 'MonthlyRent gt 1001' })
    const [header, first, ...rest] = text.replace('\ufeff', '').trimEnd().split('\r\n')
    expect(header).to.equal('ContractNumber,Tenant,MonthlyRent.Amount,MonthlyRent.Currency,StartDate')
    expect(first).to.equal(
      'CON-2026-0450,"Ann, ""the"" Øst",1449.5,EUR,2031-01-01'.replace('2026', first!.slice(4, 8)),
    )
    expect(rest).to.have.length(448)
    expect(new Set(rest).size).to.equal(448)
    expect(headers.get('Content-Disposition')).to.equal('attachment; filename="contract.csv"')
  })

  it('defuses what a spreadsheet would take for a formula', async () => {
    const { text } = await exported({ fields: 'ExternalId' }, 'tenant')
    expect(text).not.to.match(/^=1/m)
  })

  it('is a workbook with numbers and dates as such, which an import reads back', async () => {
    const response = await fetch(
      `${service.url}/api/v1/contract/export?format=xlsx&fields=MonthlyRent,StartDate&sort=ContractNumber`,
      {
        headers: { Authorization: `Bearer ${TOKEN}` },
      },
    )
    const bytes = Buffer.from(await response.arrayBuffer())
    const sent = await service.send('POST', 'contract/import', { body: bytes })
    expect(sent.status, sent.text).to.equal(202)
    let one = sent
    do one = await service.get(`imports/${sent.data.Id}?wait=10`)
    while (one.data['State'] === 'Reading')
    expect(one.data['Check'], one.text).to.include({ WouldCreate: 450, WouldFail: 0 })
    const preview = await service.get(`imports/${sent.data.Id}/preview`)
    expect(preview.text).to.include(
      '{"MonthlyRent":{"Amount":1000.5,"Currency":"EUR"},"StartDate":"2031-01-01"}',
    )
  })

  it('is of one moment, however much changes meanwhile', async () => {
    const { headers } = await service.list('contract', { asOf: 'now' })
    const position = headers.get('Daybook-Position')!
    await service.create('contract', { MonthlyRent: { Amount: 5, Currency: 'EUR' }, StartDate: '2031-01-01' })
    const lines = (text: string) => text.trimEnd().split('\r\n').length - 1
    expect(lines((await exported({ fields: 'Id', asOf: `@${position}` })).text)).to.equal(450)
    expect(lines((await exported({ fields: 'Id' })).text)).to.equal(451)
  })

  it('takes nothing that it does not know, and no pages', async () => {
    for (const [name, value] of [
      ['page', '2'],
      ['format', 'pdf'],
      ['filter', 'Nothing eq 1'],
      ['columns', 'Id'],
    ] as const) {
      const { status, error } = await service.list('contract/export', { [name]: value })
      expect([status, error.Details[0]!.Field]).to.deep.equal([400, name])
    }
  })

  it('is refused without the grant, and shows what a narrowed grant shows', async () => {
    const role = {
      Name: 'seller',
      Grants: [
        {
          Object: 'contract',
          Actions: ['read', 'export'],
          ReadFields: ['ContractNumber'],
          Rows: 'MonthlyRent gt 1440',
        },
      ],
    }
    expect((await service.post('identity/roles', role)).status).to.equal(201)
    const { data } = await service.post('identity/tokens', { Name: 'seller', Roles: ['seller'] })
    const as = { Authorization: `Bearer ${data['Token'] as string}` }
    const { text } = await service.get('contract/export', as)
    expect(text.split('\r\n')[0]).to.include('ContractNumber').and.not.include('MonthlyRent')
    expect(text.trimEnd().split('\r\n')).to.have.length(11)
    expect((await service.get('tenant/export', as)).status).to.equal(403)
    expect((await service.get('contract/export?asOf=now', as)).status).to.equal(403)
  })
})
