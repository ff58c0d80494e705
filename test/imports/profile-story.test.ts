/** Mappings with names: made once, used by every file that comes again, and proposed where they fit. */
import { expect } from 'chai'
import { client, testService, type Data, type TestService } from '../support/service.ts'
import { countsIn, CSV, imported, settled, then } from './import-support.ts'

const mapping = { Fields: { Name: { Column: 'Naam' }, ExternalId: { Column: 'Nummer' } } }
const file = (from: number) => `Naam,Nummer\nTenant ${from},P-${from}\n`

describe('profiles of imports', function () {
  this.timeout(60_000)
  let service: TestService
  let profile: Data
  before(async () => {
    service = await testService()
    const made = await service.post('import-profiles', { Name: 'Dutch', Object: 'tenant', Mapping: mapping })
    expect(made.status, made.text).to.equal(201)
    expect(made.headers.get('location')).to.equal(`/api/v1/import-profiles/${made.data.Id}`)
    profile = made.data
  })
  after(() => service.discard())

  it('are kept, listed, replaced and deleted', async () => {
    const { Id } = profile
    expect((await service.get(`import-profiles/${Id}`)).data).to.include({ Name: 'Dutch', Object: 'tenant' })
    expect(
      (await service.post('import-profiles', { Name: 'Dutch', Object: 'tenant', Mapping: mapping })).status,
    ).to.equal(409)
    const other = await service.post('import-profiles', {
      Name: 'Other',
      Object: 'building',
      Mapping: { Fields: { Name: { Column: 'x' } } },
    })
    const replaced = await service.put(`import-profiles/${other.data.Id}`, {
      Name: 'Another',
      Object: 'building',
      Mapping: { Fields: { Name: { Column: 'y' } } },
    })
    expect(replaced.data['Name'], replaced.text).to.equal('Another')
    const { list } = await service.get("import-profiles?filter=Object eq 'building'")
    expect(list.map(({ Name }) => Name)).to.deep.equal(['Another'])
    expect((await service.delete(`import-profiles/${other.data.Id}`)).status).to.equal(200)
    expect((await service.get(`import-profiles/${other.data.Id}`)).status).to.equal(404)
  })

  it('say what is wrong with them', async () => {
    const refused = await service.post('import-profiles', {
      Name: 'Wrong',
      Object: 'tenant',
      Mapping: { Fields: { Nothing: { Column: 'x' } } },
    })
    expect(refused.status).to.equal(400)
    expect(refused.error.Details).to.deep.equal([
      { Field: 'Fields.Nothing', Message: 'tenant has no such field' },
    ])
    expect(
      (await service.post('import-profiles', { Name: 'x', Object: 'nothing', Mapping: mapping })).status,
    ).to.equal(400)
  })

  it('map files that are sent with them, and know content again for themselves', async () => {
    const whole = await imported(service, `tenant/import?commit=true&profile=${profile.Id}`, file(1))
    expect(countsIn(whole), JSON.stringify(whole)).to.include({ Created: 1, Failed: 0 })
    const again = await service.post(`tenant/import?profile=${profile.Id}`, file(1), CSV)
    expect(again.status).to.equal(409)
    expect((await service.post(`building/import?profile=${profile.Id}`, file(1), CSV)).status).to.equal(404)
    const asked = await imported(service, 'tenant/import', file(2))
    expect(asked['State']).to.equal('NeedsMapping')
    await service.put(`imports/${asked.Id}/mapping`, { Profile: profile.Id })
    expect(countsIn(await then(service, await settled(service, asked.Id), 'commit'))['Created']).to.equal(1)
  })

  it('are proposed where they fit, as mappings of imports with the same columns are', async () => {
    const asked = await imported(service, 'tenant/import', file(3))
    const { list } = await service.get(`imports/${asked.Id}/suggestions`)
    expect(list.map(({ Profile, Name }) => [Profile, Name])).to.deep.equal([[profile.Id, 'Dutch']])
    const columns = 'Nom,Reference\nAlice,F-1\n'
    const first = await imported(service, 'tenant/import', columns)
    const french = { Fields: { Name: { Column: 'Nom' }, ExternalId: { Column: 'Reference' } } }
    await service.put(`imports/${first.Id}/mapping`, french)
    await then(service, await settled(service, first.Id), 'commit')
    const found = await service.post('import-profiles/suggest', {
      Object: 'tenant',
      Columns: ['Nom', 'Reference'],
    })
    expect(found.list.map(({ Profile, Import }) => [Profile, Import])).to.deep.equal([[null, first.Id]])
    const [suggested] = found.list
    expect((suggested!['Mapping'] as { Fields: object }).Fields).to.deep.equal(french.Fields)
    const none = await service.post('import-profiles/suggest', { Object: 'tenant', Columns: ['Else'] })
    expect(none.list).to.deep.equal([])
  })

  it('are seen and changed by those who may import into their object', async () => {
    const Grants = [{ Object: 'building', Actions: ['read', 'create', 'import'] }]
    await service.post('identity/roles', { Name: 'buildings', Grants })
    const token = await service.post('identity/tokens', { Name: 'other', Roles: ['buildings'] })
    const other = client(() => service.url, token.data['Token'] as string)
    expect((await other.get('import-profiles')).list).to.deep.equal([])
    expect((await other.get(`import-profiles/${profile.Id}`)).status).to.equal(403)
    const body = { Name: 'Mine', Object: 'tenant', Mapping: mapping }
    expect((await other.put(`import-profiles/${profile.Id}`, body)).status).to.equal(403)
    expect((await other.post('import-profiles', body)).status).to.equal(403)
    expect((await other.post('import-profiles/suggest', { Object: 'tenant', Columns: [] })).status).to.equal(
      403,
    )
  })
})
