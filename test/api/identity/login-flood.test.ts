/** One company cannot keep another from logging in by having passwords hashed. */
import { expect } from 'chai'
import { PASSWORD, testService, type TestService } from '../../support/service.ts'
import { APP_ORIGIN, logIn, withCookie } from './identity-support.ts'

describe('logging in while another company makes users', () => {
  let service: TestService
  before(async () => {
    service = await testService({ settings: { APP_ORIGIN } })
  })
  after(() => service.discard())

  it('goes first', async () => {
    const company = { Name: 'Flooding', AdminEmail: 'flood@example.com', AdminPassword: PASSWORD }
    const { data } = await service.post('identity/companies', company)
    const flooder = withCookie(await logIn(service, { Email: 'flood@example.com', CompanyKey: data.Id }))
    const user = (n: number) => ({ Email: `n${n}@example.com`, Name: 'x', Password: PASSWORD })
    const flood = Array.from({ length: 60 }, (_, n) => service.post('identity/users', user(n), flooder))
    expect((await logIn(service)).status).to.equal(200)
    const statuses = new Set((await Promise.all(flood)).map(({ status }) => status))
    expect(statuses).to.deep.equal(new Set([201, 503]))
  })
})
