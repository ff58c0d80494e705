/**
 * What one process takes away, another does not grant any more: not within a while, but with the next request. Two api
 * processes, and one that projects, over the distributed engines; and when the event store is gone, nobody gets in.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  APP_ORIGIN,
  logIn,
  makeToken,
  makeUser,
  withCookie,
  withToken,
} from '../api/identity/identity-support.ts'
import { mongoUnderTest, NOT_TESTED } from '../engines/mongodb-under-test.ts'
import { startPeer, type Peer } from '../peers/eventstoredb/start-peer.ts'
import { SECRETS_KEYS } from '../support/secrets-keys.ts'
import { client, newFolder, PASSWORD, TOKEN, type Client, type HeaderValues } from '../support/service.ts'
import { admin, passwordIn } from './support/admin-process.ts'
import { eventually } from './support/eventually.ts'
import { startMain, type MainProcess } from './support/main-process.ts'

const mongo = mongoUnderTest()

describe('two api processes on one store', function () {
  this.timeout(60_000)
  if (!mongo) {
    console.log(`NOT TESTED: revocation on a second process (${NOT_TESTED})`)
    it(`shut out at once whom the other shuts out: ${NOT_TESTED}`)
    return
  }
  let peer: Peer
  let processes: MainProcess[] = []
  let servers: HeaderValues
  let one: Client
  let other: Client

  const folder = newFolder()

  before(async () => {
    ;[peer] = await Promise.all([startPeer({ file: join(folder, 'peer.db') }), mongo.start()])
    servers = {
      EVENTSTORE_URL: peer.url,
      SECRETS_KEYS,
      MONGODB_URL: mongo.newDatabase(),
      BOOTSTRAP_TOKEN: TOKEN,
      BOOTSTRAP_PASSWORD: PASSWORD,
      RATE_LIMIT_PER_MINUTE: '0',
      APP_ORIGIN,
      AUTH_GRACE_SECONDS: '0',
    }
    processes = await Promise.all(
      ['projections', 'api', 'api'].map((ROLES, index) =>
        startMain({ ...servers, ROLES, DATA_DIR: join(folder, `process-${index}`) }),
      ),
    )
    ;[one, other] = processes.slice(1).map(({ url }) => client(() => url)) as [Client, Client]
  })
  after(async () => {
    await Promise.all(processes.map((process) => process.end('SIGTERM')))
    await peer.stop()
    await mongo.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const statusAt = async (service: Client, headers: HeaderValues) =>
    (await service.get('identity/me', headers)).status

  /** Is let in by both, many times, so that each knows it well; then it is taken away at one, and the other is asked. */
  const shutOut = async (
    headers: HeaderValues,
    act: (at: Client) => Promise<{ status: number; text: string }>,
  ) => {
    for (let i = 0; i < 3; i++)
      expect([await statusAt(one, headers), await statusAt(other, headers)]).to.deep.equal([200, 200])
    const answer = await act(one)
    expect(answer.status, answer.text).to.be.below(300)
    const statuses = await Promise.all(Array.from({ length: 5 }, () => statusAt(other, headers)))
    expect(statuses).to.deep.equal(Array<number>(5).fill(401))
  }

  it('share their sessions, tokens and keys', async () => {
    const session = withCookie(await logIn(one))
    expect(await statusAt(other, session)).to.equal(200)
    const { value } = await makeToken(other)
    expect(await statusAt(one, withToken(value))).to.equal(200)
  })

  it('shut out at once a token that the other revokes', async () => {
    for (let round = 0; round < 5; round++) {
      const { Id, value } = await makeToken(one)
      await shutOut(withToken(value), (at) => at.delete(`identity/tokens/${Id}`))
    }
  })

  it('and a session that logs out at the other', async () => {
    const session = withCookie(await logIn(one))
    await shutOut(session, (at) => at.post('identity/logout', undefined, session))
  })

  it('and a user whose password is changed, who is deactivated, who is removed at the other', async () => {
    for (const act of [
      (at: Client, user: string) => at.patch(`identity/users/${user}`, { Password: 'another horse' }),
      (at: Client, user: string) => at.patch(`identity/users/${user}`, { IsActive: false }),
      (at: Client, user: string) => at.delete(`identity/users/${user}`),
    ]) {
      const user = await makeUser(one)
      await shutOut(withCookie(await logIn(other, user)), (at) => act(at, user.Id))
    }
  })

  it('and all of a company that is suspended at the other', async () => {
    const firm = { Name: 'Suspended', AdminEmail: 'bo@example.com', AdminPassword: PASSWORD }
    const { Id } = (await one.post('identity/companies', firm)).data
    const login = { Email: firm.AdminEmail, Password: PASSWORD, CompanyKey: Id }
    const session = withCookie(await logIn(one, login))
    await shutOut(session, (at) => at.patch(`identity/companies/${Id}`, { IsSuspended: true }))
  })

  it('and a user whose forgotten password is made anew on the machine, beside both', async () => {
    const user = await makeUser(one)
    const session = withCookie(await logIn(other, user))
    expect(await statusAt(other, session)).to.equal(200)
    const reset = await admin({ ...servers, DATA_DIR: join(folder, 'admin') }, 'reset-password', user.Email)
    expect(reset.code, reset.stderr).to.equal(0)
    expect([await statusAt(one, session), await statusAt(other, session)]).to.deep.equal([401, 401])
    expect((await logIn(one, user)).status).to.equal(401)
    expect((await logIn(other, { ...user, Password: passwordIn(reset) })).status).to.equal(200)
  })

  it('hold a user to the roles that the other has given him', async () => {
    const user = await makeUser(one, ['system_admin'])
    const session = withCookie(await logIn(one, user))
    expect((await other.get('identity/users', session)).status).to.equal(200)
    expect((await one.patch(`identity/users/${user.Id}`, { Roles: [] })).status).to.equal(200)
    expect((await other.get('identity/users', session)).status).to.equal(403)
  })

  it('allow by a role what the other has just made of it', async () => {
    const Name = 'tenant_reader'
    const read = { Object: 'tenant', Actions: ['read'] }
    const role = await one.post('identity/roles', { Name, Grants: [read] })
    expect(role.status, role.text).to.equal(201)
    const { Id } = await one.create('tenant', { Name: 'Ann', Email: 'ann@example.com' })
    const as = withToken((await makeToken(one, [Name])).value)
    const at = (service: Client) => service.get(`tenant/${Id}`, as)
    await eventually('the tenant at the other', async () => expect((await at(other)).status).to.equal(200))
    const becomes = async (...Grants: object[]) =>
      expect((await one.patch(`identity/roles/${role.data.Id}`, { Grants })).status).to.equal(200)
    await becomes({ ...read, ReadFields: ['Name'] })
    expect((await at(other)).data).to.not.have.property('Email')
    await becomes({ ...read, Rows: "Name ne 'Ann'" })
    expect((await at(other)).status).to.equal(404)
    await becomes()
    expect((await at(other)).status).to.equal(403)
    await becomes(read)
    expect((await at(other)).data['Email']).to.equal('ann@example.com')
  })

  it('let nobody in while the event store is gone, and everyone again when it is back', async () => {
    const { value } = await makeToken(one)
    const headers = withToken(value)
    expect(await statusAt(one, headers)).to.equal(200)
    const { port } = peer
    await peer.stop()
    const began = performance.now()
    const answers = await Promise.all([one, other].map((service) => service.get('identity/me', headers)))
    for (const { status } of answers) expect(status).to.equal(503)
    // Bounded by 2 s, however long the store is gone; more is this machine's being busy.
    expect(performance.now() - began).to.be.below(8_000)
    peer = await startPeer({ file: join(folder, 'peer.db'), port })
    await eventually('both let it in again', async () => {
      expect([await statusAt(one, headers), await statusAt(other, headers)]).to.deep.equal([200, 200])
    })
  })
})
