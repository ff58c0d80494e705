/** What is said of a path that names nothing, and of a request without a token: what would be right. */
import { expect } from 'chai'
import { client, testService, type TestService } from '../../support/service.ts'

describe('a request for what is not there', () => {
  let service: TestService
  before(async () => (service = await testService()))
  after(() => service.discard())

  it('is shown what was meant, or where all is listed', async () => {
    const said = async (path: string) => (await service.get(path)).text
    expect(await said('contracts')).to.include('did you mean contract?')
    expect(await said('webhook')).to.include('did you mean /api/v1/webhooks?')
    expect(await said('zzzzz')).to.include('GET /api/v1/objects lists them, and /docs all routes')
    const table = await said('warehouse/wh_Leasing_Contrat')
    expect(table).to.include('did you mean wh_Leasing_Contract?"')
  })

  it('is shown how to send a token where it has none', async () => {
    for (const token of ['', 'daybook_wrong']) {
      const { status, text } = await client(() => service.url, token).get('contract')
      expect(status).to.equal(401)
      expect(text).to.include('send Authorization: Bearer <token>')
    }
  })
})
