/** A company keeps somebody who may administer its users. */
import { expect } from 'chai'
import { PASSWORD, testService, type Answer, type TestService } from '../../support/service.ts'
import { APP_ORIGIN, logIn, makeUser, withCookie } from './identity-support.ts'

const WHY =
  /^user-\S+ is the only active user of the company who may administer users; give another the role system_admin first\.$/

describe('the last administrator', () => {
  let service: TestService
  let first: string
  beforeEach(async () => {
    service = await testService({ settings: { APP_ORIGIN } })
    const { list } = await service.list('identity/users')
    first = `identity/users/${list[0]!.Id}`
  })
  afterEach(() => service.discard())

  const refused = ({ status, error }: Answer) => {
    expect([status, error.Code]).to.deep.equal([409, 'CONFLICT'])
    expect(error.Message).to.match(WHY)
  }

  it('loses neither the role nor access, nor is deleted, by a token either', async () => {
    await makeUser(service, ['editor'])
    refused(await service.patch(first, { Roles: ['viewer'] }))
    refused(await service.patch(first, { IsActive: false }))
    refused(await service.delete(first))
    const kept = await service.patch(first, { Roles: ['system_admin'], Name: 'Still there' })
    expect(kept.status, kept.text).to.equal(200)
    expect((await logIn(service)).status).to.equal(200)
  })

  it('goes when another is there, who then is the last; one who is not active does not count', async () => {
    const other = await makeUser(service, ['system_admin'])
    const path = `identity/users/${other.Id}`
    expect((await service.patch(path, { IsActive: false })).status).to.equal(200)
    refused(await service.delete(first))
    expect((await service.patch(path, { IsActive: true })).status).to.equal(200)
    expect((await service.patch(first, { Roles: ['viewer'] })).status).to.equal(200)
    refused(await service.patch(path, { Roles: [] }))
    expect((await service.patch(first, { IsActive: false })).status, 'who is none any more').to.equal(200)
    expect((await service.delete(first)).status).to.equal(200)
  })

  it('may have a role of the company that administers', async () => {
    const role = { Name: 'people', Grants: [{ Object: '*', Actions: ['administer'] }] }
    expect((await service.post('identity/roles', role)).status).to.equal(201)
    const other = await makeUser(service, ['people'])
    expect((await service.patch(first, { Roles: ['viewer'] })).status).to.equal(200)
    refused(await service.delete(`identity/users/${other.Id}`))
  })

  it('is one of two who are taken away at once', async () => {
    const other = await makeUser(service, ['system_admin'])
    const answers = await Promise.all([
      service.patch(first, { Roles: ['viewer'] }),
      service.delete(`identity/users/${other.Id}`),
    ])
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409])
    refused(answers.find(({ status }) => status === 409)!)
  })

  it('is another in each company', async () => {
    const login = { AdminEmail: 'bo@example.com', AdminPassword: PASSWORD }
    const { data } = await service.post('identity/companies', { Name: 'Other', ...login })
    const headers = withCookie(
      await logIn(service, { Email: login.AdminEmail, Password: PASSWORD, CompanyKey: data.Id }),
    )
    await makeUser(service, ['system_admin'], headers)
    refused(await service.delete(first))
  })
})
