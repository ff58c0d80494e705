/** Whose imports are seen: those who may read and import an object only in part see their own (docs/imports.md). */
import { expect } from 'chai'
import { client, testService, textOf, type Client, type TestService } from '../support/service.ts'
import { imported } from './import-support.ts'

describe('imports of others', () => {
  let service: TestService
  before(async () => (service = await testService()))
  after(() => service.discard())

  /** One with a token and a role that grants this on tenants. */
  const personWith = async (name: string, Grants: readonly object[]): Promise<Client> => {
    await service.post('identity/roles', { Name: name, Grants })
    const made = await service.post('identity/tokens', { Name: name, Roles: [name] })
    return client(() => service.url, textOf(made.data, 'Token'))
  }

  it('are seen by those who may import and read all of the object, and by no other', async () => {
    const [write, some] = [['create', 'update', 'import'], "Name eq 'Mine'"]
    const inPart = [
      { Object: 'tenant', Actions: write },
      { Object: 'tenant', Actions: ['read'], Rows: some },
    ]
    const one = await personWith('one', inPart)
    const other = await personWith('other', inPart)
    const all = await personWith('all', [{ Object: 'tenant', Actions: ['import', 'read'] }])
    const reader = await personWith('reader', [{ Object: 'tenant', Actions: ['read'] }])

    const { Id } = await imported(one, 'tenant/import', 'Name,Phone\nMine,1\n')
    const seen = async (by: Client) => [
      (await by.get(`imports/${Id}`)).status,
      (await by.get(`imports/${Id}/rows`)).status,
      (await by.list('imports')).list.some((whole) => whole.Id === Id),
    ]
    expect(await seen(one), 'its own').to.deep.equal([200, 200, true])
    expect(await seen(all), 'who sees all of the object').to.deep.equal([200, 200, true])
    expect(await seen(other), 'who sees a part').to.deep.equal([404, 404, false])
    expect((await seen(reader)).slice(0, 2), 'who may not import').to.deep.equal([403, 403])
    for (const action of ['commit', 'cancel', 'undo'])
      expect((await other.post(`imports/${Id}/${action}`)).status, action).to.equal(404)
    expect((await service.get(`imports/${Id}`)).data['State']).to.equal('Checked')
  })
})
