/** What a user may do and why, and where a user is logged in. */
import { expect } from 'chai'
import { contractBody } from '../../system/support/leasing.ts'
import { testService, textOf, type HeaderValues, type TestService } from '../../support/service.ts'
import {
  APP_ORIGIN,
  companyOf,
  logIn,
  makeToken,
  makeUser,
  withCookie,
  withToken,
} from './identity-support.ts'

interface Right {
  readonly Action: string
  readonly Allowed: boolean
  readonly Because: readonly string[]
}

describe('what a user may do, and why', () => {
  let service: TestService
  before(async () => {
    service = await testService({ settings: { APP_ORIGIN } })
    const clerk = {
      Name: 'kiel_clerk',
      Grants: [
        { Object: 'contract', Actions: ['read'], Rows: "Notes eq 'Kiel'", ReadFields: ['Notes', 'Status'] },
        { Application: 'Leasing', Actions: ['export'] },
      ],
    }
    await service.post('identity/roles', clerk)
  })
  after(() => service.discard())

  const rightsOf = async (user: string, query = '', headers: HeaderValues = {}) => {
    const answer = await service.get(`identity/users/${user}/rights${query}`, headers)
    const rights = answer.status === 200 ? (answer.data['Rights'] as unknown as readonly Right[]) : []
    return {
      answer,
      of: (action: string) => {
        const { Allowed, Because } = rights.find(({ Action }) => Action === action) ?? { Because: ['?'] }
        return [Allowed, ...Because]
      },
    }
  }

  it('names the role that grants it, and the records and fields', async () => {
    const { Id } = await makeUser(service, ['kiel_clerk', 'approver'])
    const { of } = await rightsOf(Id, '?object=contract')
    expect(of('read')).to.deep.include(
      "the role kiel_clerk grants read on contract where Notes eq 'Kiel', of the fields Notes, Status",
    )
    expect(of('export')).to.deep.equal([true, 'the role kiel_clerk grants export on all objects of Leasing'])
    expect(of('delete')).to.deep.equal([
      false,
      "none of the user's roles (kiel_clerk, approver) grants delete on contract",
    ])
    expect(of('workflow:approve')[0]).to.equal(true)
    expect((await rightsOf(Id)).of('operate')[0]).to.equal(false)
  })

  it('judges one record: its rows, its state, who submitted it', async () => {
    const kiel = await service.create('contract', contractBody({ Notes: 'Kiel' }))
    const rome = await service.create('contract', contractBody({ Notes: 'Rome' }))
    const clerk = await makeUser(service, ['kiel_clerk'])
    expect((await rightsOf(clerk.Id, `?object=contract&key=${kiel.Id}`)).of('read')[0]).to.equal(true)
    expect((await rightsOf(clerk.Id, `?object=contract&key=${rome.Id}`)).of('read')).to.deep.equal([
      false,
      "the role kiel_clerk grants read on contract where Notes eq 'Kiel', of the fields Notes, Status; " +
        'this record is not among them',
    ])
    const admin = await makeUser(service, ['system_admin'])
    const on = `?object=contract&key=${kiel.Id}`
    expect((await rightsOf(admin.Id, on)).of('workflow:approve')[1]).to.match(/Draft.*PendingApproval/)
    const cookie = withCookie(await logIn(service, { ...admin, CompanyKey: await companyOf(service) }))
    await service.post(`contract/${kiel.Id}/workflow/submit`, undefined, cookie)
    const [may, because] = (await rightsOf(admin.Id, on)).of('workflow:approve')
    expect([may, because]).to.deep.equal([
      false,
      'The user made it PendingApproval: someone else must approve it.',
    ])
    const other = await makeUser(service, ['approver'])
    expect((await rightsOf(other.Id, on)).of('workflow:approve')[0]).to.equal(true)
  })

  it('allows nothing to a user who is not active, or has no role', async () => {
    const { Id } = await makeUser(service, ['viewer'])
    await service.patch(`identity/users/${Id}`, { IsActive: false })
    expect((await rightsOf(Id, '?object=tenant')).of('read')).to.deep.equal([false, 'the user is not active'])
    const { Id: nobody } = await makeUser(service, [])
    expect((await rightsOf(nobody, '?object=tenant')).of('read')).to.deep.equal([
      false,
      'the user has no role',
    ])
  })

  it('shows no record to those who may not see it, and refuses what is not there', async () => {
    const { Id } = await makeUser(service, ['viewer'])
    const contract = await service.create('contract', contractBody())
    await service.post('identity/roles', {
      Name: 'people',
      Grants: [{ Object: '*', Actions: ['administer'] }],
    })
    const people = withToken((await makeToken(service, ['people'])).value)
    const on = `?object=contract&key=${contract.Id}`
    expect((await rightsOf(Id, on, people)).answer.status).to.equal(404)
    expect((await rightsOf(Id, on)).answer.status).to.equal(200)
    expect((await rightsOf(Id, '?object=user')).answer.faults).to.deep.equal(['object: is not an object'])
    expect((await rightsOf(Id, '?key=x')).answer.faults[0]).to.match(/^key: needs the object/)
    expect((await rightsOf(`user-${'0'.repeat(26)}`)).answer.status).to.equal(404)
  })
})

describe('the sessions of a user', () => {
  let service: TestService
  before(async () => {
    service = await testService({ settings: { APP_ORIGIN } })
  })
  after(() => service.discard())

  it('are listed for the user and for administrators, newest first, until they end', async () => {
    const user = await makeUser(service)
    const path = `identity/users/${user.Id}/sessions`
    const [one, other] = [withCookie(await logIn(service, user)), withCookie(await logIn(service, user))]
    const own = (await service.get(path, other)).list
    expect(own.map(({ IsCurrent, ExpiresAt }) => [IsCurrent, ExpiresAt])).to.deep.equal([
      [true, null],
      [false, null],
    ])
    expect((await service.get(path)).list.map(({ Id }) => Id)).to.deep.equal(own.map(({ Id }) => Id))
    const stranger = withCookie(await logIn(service, await makeUser(service)))
    expect((await service.get(path, stranger)).status).to.equal(403)
    expect((await service.delete(`${path}/${own[1]!.Id}`, stranger)).status).to.equal(403)

    const ended = await service.delete(`${path}/${own[1]!.Id}`, { ...other, 'Idempotency-Key': 'end' })
    expect([ended.status, ended.data]).to.deep.equal([200, { Id: own[1]!.Id, IsDeleted: true }])
    expect((await service.get('identity/me', one)).status).to.equal(401)
    expect((await service.get(path)).list).to.have.length(1)
    expect((await service.delete(`${path}/${own[1]!.Id}`)).status).to.equal(404)
    const again = await service.delete(`${path}/${own[1]!.Id}`, { ...other, 'Idempotency-Key': 'end' })
    expect(again.status).to.equal(200)

    await service.patch(`identity/users/${user.Id}`, { Password: 'another long password' })
    expect((await service.get(path)).list).to.deep.equal([])
  })

  it('of another user are not found', async () => {
    const [user, other] = [await makeUser(service), await makeUser(service)]
    await logIn(service, user)
    const [session] = (await service.get(`identity/users/${user.Id}/sessions`)).list
    const answer = await service.delete(`identity/users/${other.Id}/sessions/${session!.Id}`)
    expect(answer.status).to.equal(404)
    expect((await service.get(`identity/users/${user.Id}/sessions`)).list).to.have.length(1)
  })

  it('cannot be ended by administrators who could not give the roles of the user', async () => {
    await service.post('identity/roles', {
      Name: 'people',
      Grants: [{ Object: '*', Actions: ['administer'] }],
    })
    const people = withToken((await makeToken(service, ['people'])).value)
    const boss = await makeUser(service, ['system_admin'])
    await logIn(service, boss)
    const path = `identity/users/${boss.Id}/sessions`
    const [session] = (await service.get(path, people)).list
    expect((await service.delete(`${path}/${session!.Id}`, people)).status).to.equal(403)
  })

  it('end at a known time where they are not extended', async () => {
    const company = await companyOf(service)
    await service.patch(`identity/companies/${company}`, {
      SessionRenewal: 'Fixed',
      SessionTimeoutMinutes: 60,
    })
    const user = await makeUser(service)
    await logIn(service, user)
    const [session] = (await service.get(`identity/users/${user.Id}/sessions`)).list
    const at = (field: string) => Date.parse(textOf(session, field))
    const lasts = at('ExpiresAt') - at('CreatedAt')
    expect(lasts).to.equal(3_600_000)
  })
})
