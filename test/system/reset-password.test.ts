/** A forgotten password, made anew on the machine itself: while the service runs, and while it does not. */
import { execFile } from 'node:child_process'
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { logIn } from '../api/identity-support.ts'
import { client, newFolder, PASSWORD, TOKEN } from '../support/service.ts'
import { startMain, type MainProcess } from './main-process.ts'

const ADMIN = join(import.meta.dirname, '..', '..', 'scripts', 'admin.ts')

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

  const admin = (...words: string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const { PATH = '' } = process.env
      execFile(
        process.execPath,
        [ADMIN, ...words],
        { env: { PATH, DATA_DIR: folder } },
        (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      )
    })
  const passwordIn = (stdout: string) => /^ {2}(\S+)$/m.exec(stdout)?.[1] ?? ''

  it('is reset while the service runs; the old one and its sessions are of no use any more', async () => {
    const before = await logIn(service)
    expect(before.status).to.equal(200)
    const { code, stdout, stderr } = await admin('reset-password', email.toUpperCase())
    expect(code, stderr).to.equal(0)
    const Password = passwordIn(stdout)
    expect(Password).to.match(/^[\w-]{20}$/)
    expect((await logIn(service)).status).to.equal(401)
    expect((await logIn(service, { Password })).status).to.equal(200)
    const Cookie = (before.headers.get('Set-Cookie') ?? '').split(';')[0]!
    expect((await service.get('identity/me', { Authorization: '', Cookie })).status).to.equal(401)
  })

  it('is nobody’s but of the owner of the data folder', () =>
    expect(statSync(join(folder, 'admin.sock')).mode & 0o777).to.equal(0o600))

  it('of nobody, or of someone in several companies, is not reset, and why is said', async () => {
    const nobody = await admin('reset-password', 'nobody@example.com')
    expect(nobody).to.deep.equal({ code: 1, stdout: '', stderr: 'there is no user nobody@example.com\n' })
    const firm = await service.post('identity/companies', {
      Name: 'Other',
      AdminEmail: email,
      AdminPassword: PASSWORD,
    })
    const both = await admin('reset-password', email)
    expect([both.code, both.stdout]).to.deep.equal([1, ''])
    expect(both.stderr).to.include(firm.data.Id).and.to.include('say which')
    const { code, stdout } = await admin('reset-password', email, firm.data.Id)
    expect(code).to.equal(0)
    const login = { CompanyKey: firm.data.Id, Password: passwordIn(stdout) }
    expect((await logIn(service, login)).status).to.equal(200)
    for (const words of [[], ['reset-password'], ['nonsense', email]])
      expect((await admin(...words)).stderr).to.include('usage: npm run admin')
  })

  it('is reset while the service is stopped', async () => {
    const { data } = await service.get('identity/me')
    const CompanyKey = (data['Company'] as { Id: string }).Id
    await main.end('SIGTERM')
    const { code, stdout, stderr } = await admin('reset-password', email, CompanyKey)
    expect(code, stderr).to.equal(0)
    main = await startMain(settings())
    expect((await logIn(service, { Password: passwordIn(stdout) })).status).to.equal(200)
  })
})
