/** Logins for tools of analysts over HTTP, with a real PostgreSQL behind the warehouse. */
import { expect } from 'chai'
import pg from 'pg'
import { NO_POSTGRES, postgresUnderTest } from '../../engines/postgres-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { whileRunning } from '../../engines/while-running.ts'
import { testService, type Data, type TestService } from '../../support/service.ts'
import {
  APP_ORIGIN,
  logIn,
  makeToken,
  makeUser,
  withCookie,
  withToken,
} from '../../api/identity/identity-support.ts'
import { eventually } from '../support/eventually.ts'

const postgres = postgresUnderTest()
const suite = suiteOf('logins for tools of analysts', postgres ? undefined : NO_POSTGRES)
/** What the driver says of a session that the server has ended. */
const ENDED = /terminat|connection error|not queryable/i
const LOGINS = 'identity/warehouse-logins'

suite('logins for tools of analysts', function () {
  this.timeout(90_000)
  whileRunning(postgres!)
  let service: TestService
  let ends: (() => Promise<unknown>)[] = []

  before(async () => {
    const settings = { WAREHOUSE_URL: await postgres!.server().newDatabase(), APP_ORIGIN }
    service = await testService({ settings })
    const tenant = await service.post('tenant', { Name: 'Zoë' })
    const seen = await service.post(
      'warehouse/query',
      { Sql: 'SELECT "Name" FROM "wh_Leasing_Tenant"' },
      { 'Daybook-At-Least': tenant.headers.get('Daybook-Position')! },
    )
    expect(seen.status, seen.text).to.equal(200)
  })
  afterEach(async () => {
    for (const end of ends) await end()
    ends = []
  })
  after(() => service?.discard())

  interface Login extends Data {
    readonly Login: string
    readonly Password: string
    readonly Host: string
    readonly Port: number
    readonly Database: string
  }
  const create = async (body: Readonly<Record<string, unknown>>, headers: Record<string, string> = {}) => {
    const answer = await service.post(LOGINS, body, headers)
    expect(answer.status, answer.text).to.equal(201)
    return answer.data as unknown as Login
  }
  const names = async ({ Login, Password, Host, Port, Database }: Login) => {
    const client = new pg.Client({
      host: Host,
      port: Port,
      database: Database,
      user: Login,
      password: Password,
    })
    client.on('error', () => {})
    await client.connect()
    ends.push(() => client.end().catch(() => {}))
    return async () => {
      const { rows } = await client.query<{ Name: string }>('SELECT "Name" FROM "wh_Leasing_Tenant"')
      return rows.map(({ Name }) => Name)
    }
  }
  const refused = (work: Promise<unknown>) =>
    work.then(
      () => 'let in',
      (error: Error) => error.message,
    )

  it('are made, used, listed without a password, and revoked at once', async () => {
    const login = await create({ Name: 'Metabase', Roles: ['auditor'] })
    const ask = await names(login)
    expect(await ask()).to.deep.equal(['Zoë'])
    const { list } = await service.list(LOGINS)
    expect(list.map(({ Name, Login }) => [Name, Login])).to.deep.include(['Metabase', login.Login])
    expect(JSON.stringify(list)).not.to.include(login.Password)
    const one = await service.get(`${LOGINS}/${login.Id}`)
    expect(one.text).not.to.include(login.Password)
    const revoked = await service.delete(`${LOGINS}/${login.Id}`)
    expect(revoked.status, revoked.text).to.equal(200)
    expect(await refused(ask())).to.match(ENDED)
    expect(await refused(names(login))).to.match(/authentication failed|role "[^"]*" does not exist/)
    const { list: told } = await service.list('audit', { object: 'warehouselogin' })
    expect(told.map(({ Event }) => Event)).to.have.members([
      'warehouselogin.created',
      'warehouselogin.deleted',
    ])
    expect((await service.delete(`${LOGINS}/${login.Id}`)).status).to.equal(404)
  })

  it('answer the same password to the same request', async () => {
    const key = { 'Idempotency-Key': 'tool-1' }
    const first = await create({ Name: 'again', Roles: ['auditor'] }, key)
    expect(await create({ Name: 'again', Roles: ['auditor'] }, key)).to.deep.equal(first)
    expect(await (await names(first))()).to.deep.equal(['Zoë'])
  })

  it('refuse roles that are unknown, or that grant no table whole', async () => {
    const unknown = await service.post(LOGINS, { Name: 'x', Roles: ['edtor'] })
    expect(unknown.status).to.equal(400)
    expect(unknown.text).to.include('"Roles"').and.to.include('edtor')
    const role = { Name: 'no_table', Grants: [{ Object: 'tenant', Actions: ['create'] }] }
    expect((await service.post('identity/roles', role)).status).to.equal(201)
    const none = await service.post(LOGINS, { Name: 'x', Roles: ['no_table'] })
    expect(none.status, none.text).to.equal(400)
    expect(none.text).to.include('grant no table of the warehouse whole')
    const listed = await service.list(LOGINS, { filter: `Name eq 'x'` })
    expect(listed.list).to.deep.equal([])
  })

  it('are for administrators only', async () => {
    const reader = withToken((await makeToken(service, ['auditor'])).value)
    for (const answer of [
      await service.post(LOGINS, { Name: 'x', Roles: ['auditor'] }, reader),
      await service.send('GET', LOGINS, { headers: reader }),
    ])
      expect(answer.status, answer.text).to.equal(403)
  })

  it('see no more than the user who made them may see, and nothing once that user is shut out', async () => {
    const user = await makeUser(service, ['system_admin'])
    const cookie = withCookie(await logIn(service, user))
    const login = await create({ Name: 'of a user', Roles: ['auditor'] }, cookie)
    const ask = await names(login)
    expect(await ask()).to.deep.equal(['Zoë'])
    const deactivated = await service.patch(`identity/users/${user.Id}`, { IsActive: false })
    expect(deactivated.status, deactivated.text).to.equal(200)
    await eventually(
      'the login is gone',
      async () => {
        expect(await refused(ask())).to.match(ENDED)
      },
      40_000,
    )
    expect(await refused(names(login))).to.match(/authentication failed|role "[^"]*" does not exist/)
  })
})
