/** What is answered about the rows of a file of which none could be read. */
import { expect } from 'chai'
import { testService, type TestService } from '../support/service.ts'

describe('an import of a file that cannot be read', () => {
  let service: TestService
  before(async () => (service = await testService()))
  after(() => service.discard())

  it('has no rows, and no errors of rows', async () => {
    const headers = { 'Content-Type': 'application/json' }
    const { data } = await service.send('POST', 'tenant/import', { headers, body: '[{' })
    const key = `imports/${data.Id}`
    expect((await service.get(`${key}?wait=10`)).data['State']).to.equal('Failed')
    const { status, list } = await service.get(`${key}/rows`)
    expect([status, list]).to.deep.equal([200, []])
    const errors = await service.get(`${key}/errors.csv`)
    expect(errors.status, errors.text).to.equal(200)
    for (const other of ['results.csv', 'preview'])
      expect((await service.get(`${key}/${other}`)).status, other).to.be.below(500)
  })
})
