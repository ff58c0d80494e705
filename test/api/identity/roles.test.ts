/** Roles over HTTP: those that every company has, those that a company makes, and what they then allow. */
import { expect } from 'chai'
import { testService, type Answer, type TestService } from '../../support/service.ts'
import { makeToken, makeUser, withToken } from './identity-support.ts'
import { unlike } from '../../support/unlike.ts'

const read = (Object: string, more: object = {}) => ({ Object, Actions: ['read'], ...more })

describe('roles', () => {
  let service: TestService
  before(async () => (service = await testService()))
  after(() => service.discard())

  let count = 0
  const make = async (Grants: readonly object[], more: object = {}) => {
    const answer = await service.post('identity/roles', { Name: `role_${++count}`, Grants, ...more })
    expect(answer.status, answer.text).to.equal(201)
    return { Id: answer.data.Id, Name: `role_${count}` }
  }
  const expectError = (answer: Answer, status: number, ...faults: string[]) => {
    expect(answer.status, answer.text).to.equal(status)
    expect(answer.faults).to.deep.equal(faults)
  }

  it('that every company has come first in the list, and are found by their names', async () => {
    const own = await make([read('contract')], { Description: 'Reads.' })
    const { list, pagination } = await service.get('identity/roles?pageSize=100')
    const shared = list.filter(({ CreatedAt }) => CreatedAt === null)
    expect(list.slice(0, shared.length)).to.deep.equal(shared)
    expect(shared.map(({ Id }) => Id)).to.include.members([
      'role-system_admin',
      'role-viewer',
      'role-operator',
    ])
    expect(list.at(shared.length)).to.deep.include({
      ...own,
      Description: 'Reads.',
      Grants: [read('contract')],
    })
    expect(pagination.TotalRecords).to.equal(list.length)

    const paged = []
    for (let page = 1; page <= Math.ceil(list.length / 3); page++)
      paged.push(...(await service.get(`identity/roles?pageSize=3&page=${page}`)).list)
    expect(paged).to.deep.equal(list)
    expect((await service.get('identity/roles/role-viewer')).data).to.deep.equal(
      list.find(({ Id }) => Id === 'role-viewer'),
    )
  })

  it('that every company has stay as they are', async () => {
    const changed = await service.patch('identity/roles/role-viewer', { Grants: [] })
    expect([changed.status, (await service.delete('identity/roles/role-viewer')).status]).to.deep.equal([
      409, 409,
    ])
    expectError(
      await service.post('identity/roles', { Name: 'viewer', Grants: [] }),
      409,
      'Name: is the name of a role that every company has',
    )
  })

  it('are refused with every fault named', async () => {
    const Grants = [
      { Object: 'contract', Actions: ['read'], Rows: 'Rent gt 5', ReadFields: ['Rent'] },
      { Actions: ['read'] },
      { Object: '*', Actions: ['operate'] },
    ]
    expectError(
      await service.post('identity/roles', { Name: 'a', Grants: Grants.slice(0, 1) }),
      400,
      'Grants[0].Rows: unknown field Rent at 1; did you mean MonthlyRent?',
      'Grants[0].ReadFields[0]: contract has no field Rent; did you mean MonthlyRent?',
    )
    const never = { Object: 'contract', Actions: ['read'], Rows: "Status eq 'Actve'" }
    expectError(
      await service.post('identity/roles', { Name: 'a', Grants: [never] }),
      400,
      "Grants[0].Rows: Status is never 'Actve' at 11; did you mean Active?",
    )
    expectError(
      await service.post('identity/roles', { Name: 'A b', Grants: Grants.slice(1, 2) }),
      400,
      'Name: must be lowercase words joined by underscores',
      'Grants[0]: must name an Object or an Application',
    )
    expectError(
      await service.post('identity/roles', { Name: 'a', Grants: Grants.slice(2) }),
      400,
      'Grants[0].Actions: cannot include operate in a role of a company',
    )
    const every = { Object: 'contrakt', Actions: ['reed'], Rows: 'Rent gt 5', ReadFields: ['Rent'] }
    const all = await service.post('identity/roles', { Name: 'A b', Grants: [every] })
    expect(all.status).to.equal(400)
    expect(all.faults.map((fault) => fault.split(':')[0])).to.have.members([
      'Name',
      'Grants[0].Actions[0]',
      'Grants[0].Object',
      'Grants[0].Rows',
      'Grants[0].ReadFields[0]',
    ])
    expect(all.text).to.include('did you mean contract?').and.include('did you mean read?')
    expectError(
      await service.post('identity/roles', { Nmae: 'a', Grants: [{ Object: '*', Actions: ['reed'] }] }),
      400,
      'Grants[0].Actions[0]: must be one of read, create, update, delete, import, export, audit, administer, notify, operate, workflow:<action>, workflow:*; did you mean read?',
      'Nmae: is unknown or assigned by the service; it takes Name, Description, Grants; did you mean Name?',
    )
    const company = await service.post('identity/companies', { Naem: 'A', Locale: 'xx-', AdminEmail: 'a' })
    for (const said of ['AdminPassword: is required', 'Locale: must be a language', 'did you mean Name?'])
      expect(company.faults.join('\n')).to.include(said)
    for (const Name of [{ $ne: null }, ['a'], 7, null])
      expect((await service.post('identity/roles', { Name, Grants: [] })).status).to.equal(400)
    const unknown = await service.post('identity/roles', { Name: 'a', Grants: [], Roles: ['system_admin'] })
    expect(unknown.status).to.equal(400)
  })

  it('are made and changed by a system_admin only', async () => {
    const own = await make([{ Object: '*', Actions: ['read', 'administer'] }])
    const { value } = await makeToken(service, [own.Name])
    const as = withToken(value)
    expect((await service.get('identity/roles', as)).status).to.equal(200)
    const body = { Name: 'more', Grants: [{ Object: '*', Actions: ['delete'] }] }
    for (const answer of [
      await service.post('identity/roles', body, as),
      await service.patch(`identity/roles/${own.Id}`, { Grants: body.Grants }, as),
      await service.delete(`identity/roles/${own.Id}`, as),
    ])
      expect([answer.status, answer.error.Code]).to.deep.equal([403, 'FORBIDDEN'])
    const viewer = withToken((await makeToken(service)).value)
    expect((await service.get('identity/roles', viewer)).status).to.equal(403)
  })

  it('allow what they say from the next request on, whatever is changed about them', async () => {
    const tenant = await service.create('tenant', { Name: 'Ann', Email: 'ann@example.com' })
    const own = await make([read('tenant')])
    const as = withToken((await makeToken(service, [own.Name])).value)
    const path = `tenant/${tenant.Id}`
    expect((await service.get(path, as)).data['Email']).to.equal('ann@example.com')
    expect((await service.get('contract', as)).status).to.equal(403)

    const change = async (Grants: readonly object[]) =>
      expect((await service.patch(`identity/roles/${own.Id}`, { Grants })).status).to.equal(200)
    await change([read('tenant', { ReadFields: ['Name'] }), read('contract')])
    expect((await service.get(path, as)).data).to.not.have.property('Email')
    expect((await service.get('contract', as)).status).to.equal(200)
    await change([read('tenant', { Rows: "Name ne 'Ann'" })])
    expect((await service.get(path, as)).status).to.equal(404)
    expect((await service.get('contract', as)).status).to.equal(403)
    await change([])
    expect((await service.get(path, as)).status).to.equal(403)
  })

  it('keep their names, and stay while somebody has them', async () => {
    const own = await make([read('tenant')])
    const path = `identity/roles/${own.Id}`
    expectError(
      await service.patch(path, { Name: 'other' }),
      400,
      'Name: cannot be changed: users and tokens have the role by its name',
    )
    const user = await makeUser(service, [own.Name])
    const token = await makeToken(service, [own.Name])
    expectError(await service.delete(path), 409, `Name: is a role of ${user.Id}, ${token.Id}`)
    await service.delete(`identity/users/${user.Id}`)
    await service.delete(`identity/tokens/${token.Id}`)
    expect((await service.delete(path)).status).to.equal(200)
    expect((await service.get(path)).status).to.equal(404)
    expect(
      (
        await service.post('identity/users', {
          Email: 'x@example.com',
          Name: 'X',
          Password: 'long enough',
          Roles: [own.Name],
        })
      ).faults,
    ).to.satisfy(([fault]: string[]) => fault?.startsWith(`Roles: names an unknown role: "${own.Name}"`))
  })

  it('of one company are not there for another', async () => {
    const own = await make([read('tenant')])
    const company = await service.post('identity/companies', {
      Name: 'Other',
      AdminEmail: 'admin@other.example',
      AdminPassword: 'correct horse battery staple',
    })
    const login = await service.post('identity/login', {
      Email: 'admin@other.example',
      Password: 'correct horse battery staple',
      CompanyKey: company.data.Id,
    })
    const [cookie = ''] = (login.headers.get('Set-Cookie') ?? '').split(';')
    const there = { Authorization: '', Cookie: cookie, Origin: 'https://app.example.com' }
    const { list } = await service.get('identity/roles?pageSize=100', there)
    expect(list.map(({ Id }) => Id)).to.not.include(own.Id)
    const unknown = unlike(own.Id)
    for (const send of [(key: string) => service.get(`identity/roles/${key}`, there)]) {
      const [foreign, none] = [await send(own.Id), await send(unknown)]
      expect(foreign.status).to.equal(404)
      expect(foreign.text.replace(own.Id, unknown)).to.equal(none.text)
    }
  })
})
