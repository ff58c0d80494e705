/** A forgotten password, made anew on the machine itself: while the service runs, and while it does not. */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { logIn } from '../api/identity/identity-support.ts'
import { eventStoreUnderTest } from '../engines/event-store-under-test.ts'
import { startPeer } from '../peers/eventstoredb/start-peer.ts'
import { SECRETS_KEYS } from '../support/secrets-keys.ts'
import { client, newFolder, PASSWORD, TOKEN } from '../support/service.ts'
import { admin, firstLineOfAdmin, passwordIn } from './support/admin-process.ts'
import { startMain, type MainProcess } from './support/main-process.ts'

describe('a forgotten password', function () {
  this.timeout(60_000)
  let folder: string
  let main: MainProcess
  const service = client(() => main.url)
  const settings = () => ({ DATA_DIR: folder, BOOTSTRAP_TOKEN: TOKEN, BOOTSTRAP_PASSWORD: PASSWORD })
  const email = 'admin@example.com'

  before(async () => {
    folder = newFolder()
    main = await startMain(settings())
  })
  after(async () => {
    await main.end('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  })

  const companyOf = async () => (await service.get('identity/me')).data['Company'] as { Id: string }
  const run = (...words: string[]) => admin({ DATA_DIR: folder }, ...words)

  it('is reset while the service runs; the old one and its sessions are of no use any more', async () => {
    const before = await logIn(service)
    expect(before.status).to.equal(200)
    const reset = await run('reset-password', email.toUpperCase())
    expect(reset.code, reset.stderr).to.equal(0)
    const Password = passwordIn(reset)
    expect(Password).to.match(/^[\w-]{20}$/)
    expect((await logIn(service)).status).to.equal(401)
    expect((await logIn(service, { Password })).status).to.equal(200)
    const Cookie = (before.headers.get('Set-Cookie') ?? '').split(';')[0]!
    expect((await service.get('identity/me', { Authorization: '', Cookie })).status).to.equal(401)
  })

  it('is nobody’s but of the owner of the data folder', () =>
    expect(statSync(join(folder, 'admin.sock')).mode & 0o777).to.equal(0o600))

  it('of nobody, or of someone in several companies, is not reset, and why is said', async () => {
    const nobody = await run('reset-password', 'nobody@example.com')
    expect(nobody).to.deep.equal({ code: 1, stdout: '', stderr: 'User nobody@example.com does not exist.\n' })
    const firm = await service.post('identity/companies', {
      Name: 'Other',
      AdminEmail: email,
      AdminPassword: PASSWORD,
    })
    const both = await run('reset-password', email)
    expect([both.code, both.stdout]).to.deep.equal([1, ''])
    expect(both.stderr).to.include(firm.data.Id).and.to.include('Add one of these Keys')
    const one = await run('reset-password', email, firm.data.Id)
    expect(one.code).to.equal(0)
    const login = { CompanyKey: firm.data.Id, Password: passwordIn(one) }
    expect((await logIn(service, login)).status).to.equal(200)
    for (const words of [[], ['reset-password'], ['nonsense', email]])
      expect((await run(...words)).stderr).to.include('usage: npm run admin')
  })

  it('is not needed for a new token, which has the roles of the user', async () => {
    const made = await run('new-token', email, (await companyOf()).Id)
    expect(made.code, made.stderr).to.equal(0)
    const Authorization = `Bearer ${passwordIn(made)}`
    const me = await service.get('identity/me', { Authorization })
    expect(me.status, me.text).to.equal(200)
    expect((await service.post('tenant', { Name: 'By token' }, { Authorization })).status).to.equal(201)
    const { list } = await service.list('audit', { object: 'token', reason: 'made on the machine' })
    expect(list).to.have.length(1)
    expect(JSON.stringify(list)).to.not.include('Hash')
  })

  it('is not needed to administer again: a user is made active and an administrator', async () => {
    const lost = { Email: 'lost@example.com', Name: 'Lost', Password: PASSWORD, Roles: ['viewer'] }
    const { Id } = (await service.post('identity/users', { ...lost, IsActive: false })).data
    const made = await run('make-admin', lost.Email)
    expect(made).to.deep.equal({
      code: 0,
      stdout: `${lost.Email} administers ${(await companyOf()).Id} now.\n`,
      stderr: '',
    })
    const { data } = await service.get(`identity/users/${Id}`)
    expect(data).to.deep.include({ Roles: ['viewer', 'system_admin'], IsActive: true })
    expect(
      (await service.list('audit', { object: 'user', key: Id, reason: 'made on the machine' })).list,
    ).to.have.length(1)
  })

  it('is reset while the service is stopped', async () => {
    const { data } = await service.get('identity/me')
    const CompanyKey = (data['Company'] as { Id: string }).Id
    await main.end('SIGTERM')
    const reset = await run('reset-password', email, CompanyKey)
    expect(reset.code, reset.stderr).to.equal(0)
    main = await startMain(settings())
    expect((await logIn(service, { Password: passwordIn(reset) })).status).to.equal(200)
  })

  it('is looked for in a store that is there; none is begun for it', async () => {
    const empty = newFolder()
    const { code, stdout, stderr } = await admin({ DATA_DIR: empty }, 'reset-password', email)
    expect([code, stdout]).to.deep.equal([1, ''])
    expect(stderr).to.equal(`DATA_DIR: there is no store in ${empty}\n`)
    expect(readdirSync(empty)).to.deep.equal([])
    rmSync(empty, { recursive: true })
  })

  describe('with events on a server and read models in DATA_DIR', () => {
    const engine = eventStoreUnderTest()
    const on = (more = {}) => ({
      DATA_DIR: join(folder, 'of-server'),
      EVENTSTORE_URL: engine.url(),
      SECRETS_KEYS,
      ...more,
    })
    before(() => engine.start())
    after(() => engine.stop())

    it('is not looked for on a server without a store, where nothing is begun', async () => {
      // Another server of ours would have one.
      if (process.env['EVENTSTORE_URL'] !== undefined) return
      const { code, stdout, stderr } = await admin(on(), 'reset-password', email)
      expect([code, stdout, stderr]).to.deep.equal([
        1,
        '',
        'EVENTSTORE_URL: there is no store on this server\n',
      ])
    })

    it('is reset while the service runs', async () => {
      const other = await startMain(on({ BOOTSTRAP_TOKEN: TOKEN, BOOTSTRAP_PASSWORD: PASSWORD }))
      const reset = await admin(on(), 'reset-password', email)
      const Password = passwordIn(reset)
      const loggedIn = await logIn(
        client(() => other.url),
        { Password },
      )
      await other.end('SIGTERM')
      expect(reset.code, reset.stderr).to.equal(0)
      expect(loggedIn.status).to.equal(200)
    })
  })

  it('says that it waits for a server that is away', async () => {
    const away = await startPeer()
    const settings = { DATA_DIR: join(folder, 'of-no-server'), EVENTSTORE_URL: away.url, SECRETS_KEYS }
    await away.stop()
    expect(await firstLineOfAdmin(settings, 'reset-password', email)).to.include('waiting for EVENTSTORE_URL')
  })

  it('stands in the history of the user, without the password', async () => {
    const { data } = await service.get('identity/me')
    const company = (data['Company'] as { Id: string }).Id
    const { list } = await service.list('audit', { object: 'user', pageSize: '100' })
    const resets = list.filter((item) => item['Reason'] === 'reset on the machine')
    expect(resets, company).to.have.length(2)
    for (const item of resets) expect(JSON.stringify(item)).to.not.match(/argon2id|PasswordHash/)
  })
})
