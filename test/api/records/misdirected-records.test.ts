/** A Key is good for the path of its own object only, and no path leads to what the service keeps for itself. */
import { expect } from 'chai'
import { testService, type TestService } from '../../support/service.ts'
import { contractBody } from '../../system/support/leasing.ts'

describe('a record over HTTP, by the path of another object', () => {
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.discard())

  for (const [method, what, suffix, body] of [
    ['GET', 'read', '', undefined],
    ['PUT', 'changed', '', { Notes: 'taken over' }],
    ['PATCH', 'changed', '', { Notes: 'taken over' }],
    ['PATCH', 'renamed', '', { Name: 'taken over' }],
    ['DELETE', 'deleted', '', undefined],
    ['POST', 'restored', '/restore', undefined],
  ] as const)
    it(`cannot be ${what} by ${method}`, async () => {
      const record = await service.create('contract', contractBody())
      const answer = await service.send(method, `tenant/${record.Id}${suffix}`, body ? { body } : {})
      expect([answer.status, answer.error.Code]).to.deep.equal([404, 'NOT_FOUND'])
      expect((await service.get(`contract/${record.Id}`)).data).to.deep.equal(record)
    })

  it('cannot be written to where the service keeps its own streams', async () => {
    const { Id } = await service.create('tenant', { Name: 'Inside', ExternalId: 'inside' })
    const streams = service.streams()
    expect(streams).to.include.members([Id, 'bootstrap'])
    for (const stream of streams.filter((stream) => stream !== Id)) {
      const path = `tenant/${encodeURIComponent(stream)}`
      const answers = [
        await service.get(path),
        await service.patch(path, { Name: 'x' }),
        await service.put(path, { Name: 'x' }),
        await service.delete(path),
        await service.post(`${path}/restore`),
      ]
      expect(
        answers.map(({ status }) => status),
        stream,
      ).to.deep.equal([404, 404, 404, 404, 404])
    }
  })

  it('leaves everything working', async () => {
    const record = await service.create('contract', contractBody({ Notes: 'still here' }))
    expect((await service.get(`contract/${record.Id}`)).data).to.deep.equal(record)
    expect((await service.list('contract', { search: 'still here' })).list).to.deep.equal([record])
    expect(service.logged).to.deep.equal([])
  })
})
