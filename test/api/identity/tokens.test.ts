/** API tokens (docs/open-facts.md 23 to 25). */
import { expect } from 'chai'
import { testService, textOf, type TestService } from '../../support/service.ts'
import { manualClock, type ManualClock } from '../../support/write-side.ts'
import { APP_ORIGIN, logIn, makeToken, makeUser, NOBODY, withCookie, withToken } from './identity-support.ts'

const DAY_MS = 86_400_000
const at = (time: number) => `${new Date(time).toISOString().slice(0, 19)}Z`

describe('API tokens', () => {
  let service: TestService
  let clock: ManualClock
  before(async () => {
    clock = manualClock()
    service = await testService({ settings: { APP_ORIGIN }, clock })
  })
  after(() => service.discard())

  const me = (value: string) => service.get('identity/me', withToken(value))
  const statusOf = async (value: string) => (await me(value)).status

  it('are made with a name and roles; the value is shown this once, random, and gets in', async () => {
    const answer = await service.post('identity/tokens', {
      Name: 'nightly sync',
      Roles: ['viewer', 'integration'],
    })
    expect(answer.status, answer.text).to.equal(201)
    const { Id, Token: _, ...record } = answer.data
    const value = textOf(answer.data, 'Token')
    expect(Id).to.match(/^token-/)
    expect(answer.headers.get('Location')).to.equal(`/api/v1/identity/tokens/${Id}`)
    expect(value).to.match(/^daybook_[\w-]{32}$/)
    expect(record).to.deep.include({
      Name: 'nightly sync',
      Roles: ['viewer', 'integration'],
      ExpiresAt: at(clock.now() + 90 * DAY_MS),
      Owner: null,
      Hint: `…${value.slice(-4)}`,
      LastUsedOn: null,
    })
    const own = await me(value)
    const { Company } = (await service.get('identity/me')).data
    expect(own.data).to.deep.equal({
      Id,
      Email: null,
      Name: 'nightly sync',
      Company,
      Roles: ['viewer', 'integration'],
    })
    for (const later of [
      await service.get(`identity/tokens/${Id}`),
      await service.get('identity/tokens', {}),
      await service.list('identity/tokens', { filter: `Name eq 'nightly sync'`, sort: '-CreatedAt' }),
    ]) {
      expect(later.status, later.text).to.equal(200)
      expect(later.text).to.include(Id).and.to.not.include(value)
      expect(later.text).to.not.match(/Hash/)
    }
  })

  it('cannot be asked for by what is secret of them', async () => {
    for (const query of [
      { filter: `startswith(Hash, 'a')` },
      { sort: 'Hash' },
      { fields: 'Hash' },
      { filter: `PreviousHash ne null` },
    ])
      expect((await service.list('identity/tokens', query)).status, JSON.stringify(query)).to.equal(400)
  })

  it('last 1 to 365 days', async () => {
    const make = (ahead: number | string) =>
      service.post('identity/tokens', {
        Name: 'x',
        Scopes: ['viewer'],
        ExpiresAt: typeof ahead === 'number' ? at(clock.now() + ahead) : ahead,
      })
    for (const ahead of [DAY_MS, 365 * DAY_MS]) expect((await make(ahead)).status).to.equal(201)
    for (const ahead of [DAY_MS - 3_600_000, 0, -DAY_MS, 366 * DAY_MS, 'tomorrow', '']) {
      const answer = await make(ahead)
      expect([answer.status, answer.error.Details[0]?.Field], String(ahead)).to.deep.equal([400, 'ExpiresAt'])
    }
  })

  it('with faults are refused, each fault named', async () => {
    const wrong: [object, string][] = [
      [{}, 'Roles: is required'],
      [{ Roles: 'viewer' }, 'Roles: must be an array of names of roles'],
      [{ Roles: [1] }, 'Roles[0]: must be text'],
      [{ Roles: [{ $ne: 1 }] }, 'Roles[0]: must be text'],
      [{ Roles: ['viewer', 'viewer'] }, 'Roles: names a role twice'],
      [{ Roles: ['viewr'] }, 'Roles: names an unknown role: "viewr"; did you mean viewer?'],
      [{ Roles: ['viewer'], Scopes: ['viewer'] }, 'Scopes: is another word for Roles: send one of them'],
      [{ Roles: ['viewer'], Name: null }, 'Name: must be text'],
      [{ Roles: ['viewer'], Name: { a: 1 } }, 'Name: must be text'],
    ]
    for (const [body, fault] of wrong) {
      const answer = await service.post('identity/tokens', { Name: 'x', ...body })
      expect([answer.status, answer.faults], JSON.stringify(body)).to.deep.equal([400, [fault]])
    }
    const none = await service.post('identity/tokens', {})
    expect(none.faults).to.deep.equal(['Name: is required', 'Roles: is required'])
    for (const member of ['Hash', 'Owner', 'Hint', 'LastUsedOn', 'Id', 'Company', '__proto__'])
      expect(
        (await service.post('identity/tokens', `{"Name":"x","Roles":["viewer"],"${member}":"y"}`)).status,
        member,
      ).to.equal(400)
  })

  describe('have no more roles than their maker', () => {
    it('when they are made', async () => {
      const integration = await makeToken(service, ['system_admin'])
      const by = withToken(integration.value)
      expect((await makeToken(service, ['editor'], by)).value).to.match(/^daybook_/)
      const beyond = await service.post('identity/tokens', { Name: 'x', Roles: ['operator'] }, by)
      expect([beyond.status, beyond.error.Code]).to.deep.equal([403, 'FORBIDDEN'])
      const viewer = withToken((await makeToken(service, ['viewer'])).value)
      expect(
        (await service.post('identity/tokens', { Name: 'x', Roles: ['viewer'] }, viewer)).status,
      ).to.equal(403)
    })

    it('and later: what a user loses his tokens lose, and those that they have made', async () => {
      const user = await makeUser(service, ['system_admin'])
      const session = withCookie(await logIn(service, user))
      const token = await makeToken(service, ['viewer', 'editor'], session)
      const child = await makeToken(service, ['viewer'], session)
      expect((await service.get(`identity/tokens/${token.Id}`)).data['Owner']).to.equal(user.Id)
      const rolesOf = async (value: string) => (await me(value)).data['Roles']
      expect(await rolesOf(token.value)).to.deep.equal(['viewer', 'editor'])
      await service.patch(`identity/users/${user.Id}`, { Roles: ['viewer'] })
      expect(await rolesOf(token.value)).to.deep.equal(['viewer'])
      await service.patch(`identity/users/${user.Id}`, { IsActive: false })
      expect([await statusOf(token.value), await statusOf(child.value)]).to.deep.equal([401, 401])
      await service.patch(`identity/users/${user.Id}`, { IsActive: true })
      expect(await statusOf(token.value)).to.equal(200)
      await service.delete(`identity/users/${user.Id}`)
      expect(await statusOf(token.value)).to.equal(401)
    })
  })

  describe('that are rotated', () => {
    it('have a new value; the old one holds for a day more', async () => {
      const token = await makeToken(service)
      clock.pass(DAY_MS)
      const answer = await service.post(`identity/tokens/${token.Id}/rotate`)
      expect(answer.status, answer.text).to.equal(200)
      const value = textOf(answer.data, 'Token')
      expect(value)
        .to.match(/^daybook_[\w-]{32}$/)
        .and.to.not.equal(token.value)
      expect(answer.data).to.include({
        Id: token.Id,
        ExpiresAt: at(clock.now() + 90 * DAY_MS),
        PreviousUntil: at(clock.now() + DAY_MS),
      })
      clock.pass(DAY_MS - 60_000)
      expect([await statusOf(token.value), await statusOf(value)]).to.deep.equal([200, 200])
      clock.pass(120_000)
      expect([await statusOf(token.value), await statusOf(value)]).to.deep.equal([401, 200])
    })

    it('several times at once get one new value; the one before stays valid for its day', async () => {
      for (let round = 0; round < 3; round++) {
        const token = await makeToken(service)
        const rotate = () =>
          service.post(`identity/tokens/${token.Id}/rotate`, undefined, withToken(token.value))
        const answers = await Promise.all([rotate(), rotate(), rotate(), rotate()])
        const [done, ...others] = answers.filter(({ status }) => status === 200)
        expect(others).to.deep.equal([])
        for (const { status } of answers) expect(status).to.be.oneOf([200, 403, 409])
        expect([await statusOf(textOf(done!.data, 'Token')), await statusOf(token.value)]).to.deep.equal([
          200, 200,
        ])
      }
    })

    it('twice have only the last two values', async () => {
      const token = await makeToken(service)
      const rotate = async () =>
        textOf((await service.post(`identity/tokens/${token.Id}/rotate`)).data, 'Token')
      const [second, third] = [await rotate(), await rotate()]
      expect([await statusOf(token.value), await statusOf(second), await statusOf(third)]).to.deep.equal([
        401, 200, 200,
      ])
    })

    it('are renewed by their newest value only: a stolen one that was replaced lives no longer than its day', async () => {
      const token = await makeToken(service)
      const path = `identity/tokens/${token.Id}/rotate`
      const once = { ...withToken(token.value), 'Idempotency-Key': 'renewed-once' }
      const renewed = await service.post(path, {}, once)
      const newest = textOf(renewed.data, 'Token')
      const again = await service.post(path, {}, withToken(token.value))
      expect([again.status, again.text.includes('daybook_')]).to.deep.equal([403, false])
      // The answer to the request that has replaced it may have been lost.
      const repeated = await service.post(path, {}, once)
      expect([repeated.status, textOf(repeated.data, 'Token')]).to.deep.equal([200, newest])
      expect([await statusOf(token.value), await statusOf(newest)]).to.deep.equal([200, 200])
      clock.pass(DAY_MS)
      expect([await statusOf(token.value), await statusOf(newest)]).to.deep.equal([401, 200])
      expect((await service.post(path, {}, withToken(newest))).status).to.equal(200)
      expect((await service.delete(`identity/tokens/${token.Id}`, withToken(newest))).status).to.equal(200)
    })

    it('tell of the end of the value that was replaced', async () => {
      const token = await makeToken(service)
      const { data } = await service.post(`identity/tokens/${token.Id}/rotate`)
      const told = async (value: string) => (await me(value)).headers.get('X-Token-Expires')
      expect(await told(token.value)).to.equal(at(clock.now() + DAY_MS))
      expect(await told(textOf(data, 'Token'))).to.equal(null)
    })

    it('may do so themselves, and with no right but that', async () => {
      const token = await makeToken(service)
      const other = await makeToken(service)
      const answer = await service.post(`identity/tokens/${token.Id}/rotate`, {}, withToken(token.value))
      expect(answer.status, answer.text).to.equal(200)
      const stranger = await service.post(`identity/tokens/${other.Id}/rotate`, {}, withToken(token.value))
      expect(stranger.status).to.equal(403)
    })
  })

  it('tell of their end in its last 14 days, then get in no more', async () => {
    const { value } = await makeToken(service)
    const expires = clock.now() + 90 * DAY_MS
    clock.pass(75 * DAY_MS)
    expect((await me(value)).headers.get('X-Token-Expires')).to.equal(null)
    clock.pass(2 * DAY_MS)
    expect((await me(value)).headers.get('X-Token-Expires')).to.equal(at(expires))
    expect((await service.get('nope', withToken(value))).headers.get('X-Token-Expires')).to.equal(at(expires))
    clock.pass(12 * DAY_MS)
    expect(await statusOf(value)).to.equal(200)
    clock.pass(DAY_MS)
    expect(await statusOf(value)).to.equal(401)
  })

  it('that are revoked get in no more, at once; they may give themselves up', async () => {
    const [one, other] = [await makeToken(service), await makeToken(service)]
    expect([await statusOf(one.value), await statusOf(other.value)]).to.deep.equal([200, 200])
    const answer = await service.delete(`identity/tokens/${one.Id}`)
    expect([answer.status, answer.data]).to.deep.equal([200, { Id: one.Id, IsDeleted: true }])
    expect(await statusOf(one.value)).to.equal(401)
    expect((await service.delete(`identity/tokens/${one.Id}`)).status).to.equal(404)
    expect((await service.delete(`identity/tokens/${other.Id}`, withToken(other.value))).status).to.equal(200)
    expect(await statusOf(other.value)).to.equal(401)
  })

  it('made by a request that is sent again are one token, with the value of the first answer', async () => {
    const make = (Name: string) =>
      service.post('identity/tokens', { Name, Roles: ['viewer'] }, { 'Idempotency-Key': 'a-token-once' })
    const [first, again] = [await make('once'), await make('once')]
    expect(first.status, first.text).to.equal(201)
    expect(again.text).to.equal(first.text)
    expect(again.headers.get('Idempotency-Replayed')).to.equal('true')
    expect((await make('twice')).status).to.equal(409)
    const value = textOf(first.data, 'Token')
    expect(await statusOf(value)).to.equal(200)
    const stored = service.streams().flatMap((stream) => service.eventsOf(stream))
    expect(JSON.stringify(stored)).to.not.include(value.slice(8))
  })

  it('are taken from the header only', async () => {
    const { value } = await makeToken(service)
    for (const path of [`identity/me?access_token=${value}`, `identity/me?token=${value}`])
      expect((await service.get(path, NOBODY)).status).to.equal(401)
    expect((await service.get('identity/me', { ...NOBODY, Cookie: `.svc.auth=${value}` })).status).to.equal(
      401,
    )
  })

  it('of another company are not there', async () => {
    const { data } = await service.post('identity/companies', {
      Name: 'Other',
      AdminEmail: 'bo@example.com',
      AdminPassword: 'correct horse battery staple',
    })
    const bo = { Email: 'bo@example.com', Password: 'correct horse battery staple', CompanyKey: data.Id }
    const other = withCookie(await logIn(service, bo))
    const token = await makeToken(service)
    const unknown = `token-${'0'.repeat(26)}`
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/rotate'],
    ] as const) {
      const asked = (key: string) => service.send(method, `identity/tokens/${key}${path}`, { headers: other })
      const [foreign, nobody] = [await asked(token.Id), await asked(unknown)]
      expect(foreign.status).to.equal(404)
      expect(foreign.text.replaceAll(token.Id, unknown)).to.equal(nobody.text)
    }
    expect((await service.list('identity/tokens', {}, other)).list).to.deep.equal([])
    expect(await statusOf(token.value)).to.equal(200)
  })

  it('nothing has gone wrong inside', () => expect(service.logged).to.deep.equal([]))
})
