import { expect } from 'chai'
import { testService, TOKEN, type TestService } from '../../support/service.ts'

describe('a path that leads nowhere', () => {
  let service: TestService
  before(async () => (service = await testService()))
  after(() => service.discard())

  const messageOf = async (path: string): Promise<string> => {
    const answer = await fetch(`${service.url}${path}`, { headers: { Authorization: `Bearer ${TOKEN}` } })
    expect(answer.status, path).to.equal(404)
    return ((await answer.json()) as { Error: { Message: string } }).Error.Message
  }

  it('is answered with the one that was probably meant', async () => {
    const cases = {
      '/api/v1/contract/contract-1/histroy': '/api/v1/contract/contract-1/history',
      '/api/v1/contract/contract-1/worflow/approve': '/api/v1/contract/contract-1/workflow/approve',
      '/api/v1/webhooks/a/deliverys': '/api/v1/webhooks/a/deliveries',
      '/api/v1/audit/exprot': '/api/v1/audit/export',
      '/api/v1/webhook': '/api/v1/webhooks',
      '/api/v1/webhook/a/deliveries': '/api/v1/webhooks/a/deliveries',
      '/api/v1/audits': '/api/v1/audit',
      '/api/v1/identiy/users': '/api/v1/identity/users',
      '/api/v1/users': '/api/v1/identity/users',
      '/api/v1/user': '/api/v1/identity/users',
      '/api/v1/tokens/token-1': '/api/v1/identity/tokens/token-1',
      '/api/v1/contract/contract-1/audit': '/api/v1/contract/contract-1/history',
      '/api/v1/contract/contract-1/versions': '/api/v1/contract/contract-1/history',
      '/api/v1/identity/company': '/api/v1/identity/companies',
      '/api/v1/identity/sessions': '/api/v1/identity/users/{key}/sessions',
      '/contract': '/api/v1/contract',
      '/v1/tenant/tenant-1/history': '/api/v1/tenant/tenant-1/history',
      '/api/audit/export': '/api/v1/audit/export',
    }
    for (const [path, meant] of Object.entries(cases))
      expect(await messageOf(path), path).to.equal(`there is no GET ${path}; did you mean ${meant}?`)
  })

  it('is answered with the Key of a role that is named', async () =>
    expect(await messageOf('/api/v1/identity/roles/editor')).to.equal(
      'Role editor does not exist; did you mean role-editor?',
    ))

  it('is answered without a guess where nothing is near', async () => {
    for (const path of [
      '/api/v1/contract/contract-1/zzz',
      '/nothing/at/all',
      '/api/v1/zzzzz',
      `/${'a'.repeat(5_000)}`,
    ])
      expect(await messageOf(path), path.slice(0, 20)).to.not.include('did you mean')
  })
})
