/** Users and companies, and that whatever shuts somebody out does so at once. */
import { expect } from 'chai'
import {
  EMAIL,
  PASSWORD,
  testService,
  textOf,
  type HeaderValues,
  type TestService,
} from '../../support/service.ts'
import {
  APP_ORIGIN,
  companyOf,
  logIn,
  makeToken,
  makeUser,
  withCookie,
  withToken,
} from './identity-support.ts'

describe('users', () => {
  let service: TestService
  before(async () => {
    service = await testService({ settings: { APP_ORIGIN } })
  })
  after(() => service.discard())

  const statusOf = async (headers: HeaderValues) => (await service.get('identity/me', headers)).status
  const session = async (login: object) => withCookie(await logIn(service, login))

  it('are made, read, listed, changed and removed; a password is never answered', async () => {
    const body = { Email: 'Ada@Example.com', Name: 'Ada', Password: 'correct horse', Roles: ['editor'] }
    const made = await service.post('identity/users', body)
    expect(made.status, made.text).to.equal(201)
    const { Id, CreatedAt, ModifiedAt, ...record } = made.data
    expect([CreatedAt, ModifiedAt].every((time) => typeof time === 'string')).to.equal(true)
    expect(record).to.deep.equal({ Email: 'ada@example.com', Name: 'Ada', Roles: ['editor'], IsActive: true })
    expect(made.headers.get('Location')).to.equal(`/api/v1/identity/users/${Id}`)
    const path = `identity/users/${Id}`
    expect((await service.get(path)).data).to.deep.equal(made.data)
    const { list } = await service.list('identity/users', { search: 'ada', filter: 'IsActive eq true' })
    expect(list).to.deep.equal([made.data])
    const changed = await service.patch(path, { Name: 'Ada L.', Roles: [] }, { 'If-Match': '"1"' })
    expect(changed.data).to.deep.include({ Name: 'Ada L.', Roles: [] })
    expect((await service.patch(path, { Name: 'x' }, { 'If-Match': '"1"' })).status).to.equal(412)
    expect((await service.delete(path)).data).to.deep.equal({ Id, IsDeleted: true })
    expect((await service.get(path)).status).to.equal(404)
  })

  it('have an address that no other user of the company has, in any case', async () => {
    const { Email } = await makeUser(service)
    const body = { Email: Email.toUpperCase(), Name: 'Twin', Password: 'correct horse' }
    const twin = await service.post('identity/users', body)
    expect([twin.status, twin.faults]).to.deep.equal([409, ['Email: another user has this value']])
  })

  it('with faults are refused, each fault named', async () => {
    const right = { Email: 'x@example.com', Name: 'X', Password: 'correct horse' }
    const wrong: [object, string][] = [
      [{ Email: 'x' }, 'Email: must be an e-mail address'],
      [{ Email: { $ne: 1 } }, 'Email: must be text'],
      [{ Email: ['x@example.com'] }, 'Email: must be text'],
      [{ Password: 'short' }, 'Password: must have 8 to 256 characters'],
      [{ Password: 'x'.repeat(257) }, 'Password: must have 8 to 256 characters'],
      [{ Password: 12_345_678 }, 'Password: must be text'],
      [{ Password: undefined }, 'Password: is required'],
      [{ Roles: ['viewr'] }, 'Roles: names an unknown role: "viewr"; did you mean viewer?'],
      [{ IsActive: 'yes' }, 'IsActive: must be true or false'],
    ]
    for (const [body, fault] of wrong) {
      const answer = await service.post('identity/users', { ...right, ...body })
      expect([answer.status, answer.faults], JSON.stringify(body)).to.deep.equal([400, [fault]])
    }
    const none = await service.post('identity/users', { Roles: 'viewer' })
    expect(none.faults).to.deep.equal([
      'Email: is required',
      'Name: is required',
      'Password: is required',
      'Roles: must be an array of names of roles',
    ])
    const every = { Email: 'b@', Name: '', Password: 'longenough1', Roles: ['viewr', 'king'], Colour: 1 }
    const shared = (await service.list('identity/roles')).list.map(({ Name }) => Name as string).sort()
    const roles = [
      'Roles: names an unknown role: "viewr"; did you mean viewer?',
      `Roles: names an unknown role: "king"; there are ${shared.join(', ')}`,
    ]
    const all = await service.post('identity/users', every)
    expect(all.status).to.equal(400)
    expect(all.faults).to.include.members(['Email: must be an e-mail address', 'Name: is required', ...roles])
    expect(all.faults.filter((fault) => fault.startsWith('Colour: is unknown'))).to.have.length(1)
    expect(all.faults).to.have.length(5)
    const strange = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`X${index}`, 1]))
    const many = await service.post('identity/users', { ...strange, Email: 5, Roles: {}, __proto__: [] })
    expect(many.status, many.text).to.equal(400)
    const user = await makeUser(service)
    const changed = await service.patch(`identity/users/${user.Id}`, {
      Name: '',
      Email: 'b@',
      Roles: every.Roles,
    })
    expect([changed.status, changed.faults]).to.deep.equal([
      400,
      ['Email: must be an e-mail address', ...roles, 'Name: is required'],
    ])
    for (const member of ['PasswordHash', 'SessionEpoch', 'Id', 'CreatedAt', 'Company', '$set'])
      expect((await service.post('identity/users', { ...right, [member]: 1 })).status, member).to.equal(400)
    for (const query of [{ filter: `startswith(PasswordHash, '$')` }, { sort: 'SessionEpoch' }])
      expect((await service.list('identity/users', query)).status).to.equal(400)
    const { Id } = await makeUser(service)
    for (const body of [
      { Roles: null },
      { IsActive: null },
      { Password: null },
      { Email: null },
      { Name: null },
    ])
      expect((await service.patch(`identity/users/${Id}`, body)).status, JSON.stringify(body)).to.equal(400)
  })

  describe('are shut out at once', () => {
    const shut: [string, (user: string) => Promise<unknown>][] = [
      ['by a new password', (user) => service.patch(`identity/users/${user}`, { Password: 'another horse' })],
      [
        'when they are not active any more',
        (user) => service.patch(`identity/users/${user}`, { IsActive: false }),
      ],
      ['when they are removed', (user) => service.delete(`identity/users/${user}`)],
    ]
    for (const [how, act] of shut)
      it(how, async () => {
        const user = await makeUser(service)
        const [one, other] = [await session(user), await session(user)]
        expect([await statusOf(one), await statusOf(other)]).to.deep.equal([200, 200])
        await act(user.Id)
        expect([await statusOf(one), await statusOf(other)]).to.deep.equal([401, 401])
      })

    it('for good: who is let in again logs in anew', async () => {
      const user = await makeUser(service)
      const path = `identity/users/${user.Id}`
      const cookie = await session(user)
      expect((await service.patch(path, { IsActive: false })).status).to.equal(200)
      expect((await service.patch(path, { IsActive: true })).status).to.equal(200)
      expect(await statusOf(cookie)).to.equal(401)
      const next = await session(user)
      // Nothing is taken from who is active, and stays so.
      expect((await service.patch(path, { IsActive: true, Name: 'Same' })).status).to.equal(200)
      expect(await statusOf(next)).to.equal(200)
    })

    it('and what they may do changes at once', async () => {
      const user = await makeUser(service, ['system_admin'])
      const cookie = await session(user)
      expect((await service.get('identity/users', cookie)).status).to.equal(200)
      await service.patch(`identity/users/${user.Id}`, { Roles: [] })
      expect((await service.get('identity/users', cookie)).status).to.equal(403)
      expect((await service.get('identity/me', cookie)).data['Roles']).to.deep.equal([])
    })

    it('but not by what leaves them as they are', async () => {
      const user = await makeUser(service)
      const cookie = await session(user)
      await service.patch(`identity/users/${user.Id}`, { Name: 'Renamed' })
      expect((await service.get('identity/me', cookie)).data['Name']).to.equal('Renamed')
    })
  })

  describe('give nobody more than they have', () => {
    it('nor take over those who have more', async () => {
      const admin = await makeUser(service, ['system_admin'])
      const cookie = await session(admin)
      const [boss] = (await service.list('identity/users', { filter: `Email eq '${EMAIL}'` })).list
      for (const answer of [
        await service.post(
          'identity/users',
          { Email: 'o@example.com', Name: 'O', Password: 'correct horse', Roles: ['operator'] },
          cookie,
        ),
        await service.patch(`identity/users/${boss!.Id}`, { Password: 'taken over' }, cookie),
        await service.delete(`identity/users/${boss!.Id}`, cookie),
      ])
        expect([answer.status, answer.error.Code], answer.text).to.deep.equal([403, 'FORBIDDEN'])
      expect((await logIn(service)).status).to.equal(200)
    })

    it('and nobody without the right to administer sees or changes users', async () => {
      const headers = withToken((await makeToken(service, ['viewer'])).value)
      const { Id } = await makeUser(service)
      for (const answer of [
        await service.get('identity/users', headers),
        await service.get(`identity/users/${Id}`, headers),
        await service.patch(`identity/users/${Id}`, { Roles: ['system_admin'] }, headers),
        await service.get('identity/tokens', headers),
        await service.get('identity/companies', headers),
      ])
        expect(answer.status, answer.text).to.equal(403)
    })

    it('and nobody locks himself out', async () => {
      const admin = await makeUser(service, ['system_admin'])
      const cookie = await session(admin)
      const path = `identity/users/${admin.Id}`
      for (const answer of [
        await service.patch(path, { Roles: ['viewer'] }, cookie),
        await service.patch(path, { IsActive: false }, cookie),
        await service.delete(path, cookie),
      ])
        expect(answer.status).to.equal(409)
      const own = withToken((await makeToken(service, ['system_admin'], cookie)).value)
      for (const answer of [
        await service.patch(path, { IsActive: false }, own),
        await service.delete(path, own),
      ])
        expect(answer.status, 'by a token of theirs').to.equal(409)
      expect((await service.patch(path, { Roles: ['system_admin'], Name: 'Me' }, cookie)).status).to.equal(
        200,
      )
    })
  })

  describe('change themselves', () => {
    it('their name, and their password when they know it: every other session ends, theirs goes on', async () => {
      const user = await makeUser(service)
      const [mine, other] = [await session(user), await session(user)]
      const change = (body: object) => service.patch('identity/me', body, mine)
      expect((await change({ Password: 'another horse', CurrentPassword: 'wrong' })).status).to.equal(403)
      expect((await change({ Password: 'another horse' })).status).to.equal(400)
      expect((await change({ Password: 'short', CurrentPassword: user.Password })).status).to.equal(400)
      expect((await change({ Roles: ['system_admin'] })).status).to.equal(400)
      const changed = await change({ Name: 'Me', Password: 'another horse', CurrentPassword: user.Password })
      expect(changed.status, changed.text).to.equal(200)
      expect(changed.data['Name']).to.equal('Me')
      expect([await statusOf(mine), await statusOf(other)]).to.deep.equal([401, 401])
      expect(await statusOf(withCookie(changed))).to.equal(200)
      expect((await logIn(service, user)).status).to.equal(401)
      expect((await logIn(service, { ...user, Password: 'another horse' })).status).to.equal(200)
    })
  })

  describe('of several companies', () => {
    const AdminPassword = 'correct horse battery staple'
    const found = async (Name: string) => {
      const answer = await service.post('identity/companies', {
        Name,
        AdminEmail: EMAIL,
        AdminPassword,
        AdminName: 'Bo',
      })
      expect(answer.status, answer.text).to.equal(201)
      const login = { Email: EMAIL, Password: AdminPassword, CompanyKey: answer.data.Id }
      return { ...answer.data, headers: await session(login), login }
    }

    it('are apart: the same address, another password, other records', async () => {
      const firm = await found('Harbour')
      expect((firm as { Admin?: object }).Admin).to.deep.include({
        Email: EMAIL,
        Name: 'Bo',
        Roles: ['system_admin'],
      })
      expect((await logIn(service, { CompanyKey: firm.Id })).status, 'the other’s password').to.equal(401)
      const tenant = await service.post('tenant', { Name: 'Canary' }, firm.headers)
      expect(tenant.status, tenant.text).to.equal(201)
      expect((await service.get(`tenant/${tenant.data.Id}`)).status).to.equal(404)
      const users = await service.list('identity/users', {}, firm.headers)
      expect(users.list.map(({ Email }) => Email)).to.deep.equal([EMAIL])
    })

    it('are listed, changed and suspended by operators only, who see nothing else of them', async () => {
      const firm = await found('Quay')
      const path = `identity/companies/${firm.Id}`
      const { list } = await service.list('identity/companies', { search: 'quay' })
      expect(list.map(({ Id }) => Id)).to.deep.equal([firm.Id])
      for (const answer of [
        await service.get('identity/companies', firm.headers),
        await service.get(path, firm.headers),
        await service.patch(path, { Name: 'x' }, firm.headers),
        await service.post('identity/companies', {}, firm.headers),
      ])
        expect(answer.status).to.equal(403)
      expect((await service.patch(path, { Name: 'Quay & Co' })).data).to.include({ Name: 'Quay & Co' })
      const token = await makeToken(service, ['viewer'], firm.headers)
      await service.patch(path, { IsSuspended: true })
      expect([await statusOf(firm.headers), await statusOf(withToken(token.value))]).to.deep.equal([401, 401])
      expect((await logIn(service, firm.login)).status).to.equal(401)
      await service.patch(path, { IsSuspended: false })
      expect([await statusOf(firm.headers), await statusOf(withToken(token.value))]).to.deep.equal([200, 200])
      const own = `identity/companies/${await companyOf(service)}`
      expect((await service.patch(own, { IsSuspended: true })).status).to.equal(409)
    })

    it('with faults are refused, each fault named, and nothing is left of them', async () => {
      const answer = await service.post('identity/companies', {
        SessionTimeoutMinutes: 0,
        AdminEmail: 'x',
        AdminPassword: 'short',
      })
      expect(answer.status).to.equal(400)
      expect(answer.error.Details.map(({ Field }) => Field).toSorted()).to.deep.equal([
        'AdminEmail',
        'AdminPassword',
        'Name',
        'SessionTimeoutMinutes',
      ])
    })

    it('are made once when the request is sent again', async () => {
      const make = () =>
        service.post(
          'identity/companies',
          { Name: 'Once', AdminEmail: EMAIL, AdminPassword: PASSWORD },
          { 'Idempotency-Key': 'a-company-once' },
        )
      const [first, again] = [await make(), await make()]
      expect(first.status, first.text).to.equal(201)
      expect(again.text).to.equal(first.text)
      expect((await service.list('identity/companies', { search: 'once' })).list).to.have.length(1)
    })
  })

  it('survive a restart with their sessions and tokens', async () => {
    const user = await makeUser(service)
    const cookie = await session(user)
    const { value } = await makeToken(service)
    await service.restart()
    expect([await statusOf(cookie), await statusOf(withToken(value))]).to.deep.equal([200, 200])
    expect((await service.get('identity/users')).text).to.include(user.Id)
    expect(textOf((await service.get('identity/me', cookie)).data, 'Email')).to.equal(user.Email)
  })

  it('nothing has gone wrong inside', () => expect(service.logged).to.deep.equal([]))
})
