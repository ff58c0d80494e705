/** Query parameters that cannot be understood are refused by name: one that is passed over would show everything (docs/open-facts.md 12). */
import { expect } from 'chai'
import { testService, type Data, type TestService } from '../../support/service.ts'
import { contractBody } from '../../system/support/leasing.ts'

describe('query parameters', () => {
  let service: TestService
  let contract: Data

  before(async () => {
    service = await testService()
    contract = await service.create('contract', contractBody())
  })
  after(() => service.discard())

  it('that are unknown are refused by name, also in another case', async () => {
    for (const name of [
      'foo',
      'Page',
      'PAGESIZE',
      '$filter',
      'filter[$ne]',
      'page[]',
      '__proto__',
      'constructor',
      '',
      'asof',
    ])
      for (const path of ['contract', `contract/${contract.Id}`]) {
        const answer = await service.get(`${path}?${encodeURIComponent(name)}=1`)
        expect([answer.status, answer.error.Code], name).to.deep.equal([400, 'VALIDATION_ERROR'])
        expect(answer.error.Details.map(({ Field }) => Field)).to.deep.equal([name])
      }
  })

  it('that are repeated are refused by name', async () => {
    for (const name of ['page', 'pageSize', 'sort', 'filter', 'fields', 'expand', 'search']) {
      const answer = await service.get(`contract?${name}=1&${name}=1`)
      expect([answer.status, answer.error.Details], name).to.deep.equal([
        400,
        [{ Field: name, Message: 'was given more than once' }],
      ])
    }
  })

  it('are all reported at once', async () => {
    const answer = await service.list('contract', {
      page: '0',
      pageSize: 'x',
      sort: 'No',
      filter: 'No',
      fields: 'No',
      expand: 'No',
      search: '!',
    })
    expect(answer.error.Details.map(({ Field }) => Field)).to.have.members([
      'page',
      'pageSize',
      'sort',
      'filter',
      'fields',
      'expand',
      'search',
    ])
  })

  it('are never passed over, however many stand before them', async () => {
    const none = encodeURIComponent("Status eq 'Expired'")
    for (const before of ['&'.repeat(10), '&'.repeat(1_001), '&'.repeat(5_000)]) {
      const answer = await service.get(`contract?${before}filter=${none}`)
      if (answer.status === 200)
        expect(answer.pagination.TotalRecords, `${before.length} times &`).to.equal(0)
      else expect(answer.status).to.equal(400)
    }
    const unknown = Array.from({ length: 1_001 }, (_, i) => `p${i}=`).join('&')
    expect((await service.get(`contract?${unknown}&filter=${none}`)).status).to.equal(400)
  })

  it('are not taken by routes that have none', async () => {
    const path = `contract/${contract.Id}`
    for (const [method, to] of [
      ['POST', 'contract'],
      ['PUT', path],
      ['PATCH', path],
      ['DELETE', path],
      ['POST', `${path}/restore`],
      ['POST', 'contract/batch'],
    ] as const) {
      const answer = await service.send(
        method,
        `${to}?simulate=true`,
        method === 'DELETE' ? {} : { body: {} },
      )
      expect(
        [answer.status, answer.error.Details.map(({ Field }) => Field)],
        `${method} ${to}`,
      ).to.deep.equal([400, ['simulate']])
    }
    expect((await service.get(path)).status).to.equal(200)
  })

  it('nothing has gone wrong inside', () => expect(service.logged).to.deep.equal([]))
})
