/**
 * One story with marked secrets: a password, a token, a cookie, the secret of a webhook. Afterwards every place is searched
 * where they might have been left: every answer but the one that shows a secret, exports, tables of the warehouse, the log at
 * its most talkative, the event file and a backup of it, the read models, everything else in the data folder.
 */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { client, newFolder, textOf, type Answer, type Client, type HeaderValues } from '../support/service.ts'
import { backupEventFile } from '../../scripts/backup/backup-event-file.ts'
import { admin, passwordIn } from './support/admin-process.ts'
import { startMain, type MainProcess } from './support/main-process.ts'

const APP_ORIGIN = 'https://app.example.com'

describe('what is secret', function () {
  this.timeout(60_000)
  let folder: string
  let main: MainProcess
  let service: Client
  let companyKey = ''
  /** Every answer, as it came: status, headers, body. */
  const heard: string[] = []
  const secrets = new Map<string, string>([
    ['the first token', 'marked-bootstrap-token-1a2b3c'],
    ['the first password', 'marked bootstrap password 4d5e'],
    ['a password', 'marked password of a user 6f7a'],
    ['a changed password', 'marked changed password 8b9c'],
    ['a wrong password', 'marked wrong password 0d1e'],
    ['the secret of a webhook', 'marked-webhook-secret-2f3a4b5c6d7e'],
    ['the next secret of a webhook', 'marked-next-webhook-secret-8f9a0b'],
    ['the last secret of a webhook', 'marked-last-webhook-secret-1c2d3e'],
    ['a token that was made up', 'daybook_marked-token-nobody-has'],
  ])
  const secret = (name: string) => secrets.get(name)!

  before(async () => {
    folder = newFolder()
    main = await startMain({
      DATA_DIR: folder,
      LOG_LEVEL: 'trace',
      APP_ORIGIN,
      BOOTSTRAP_TOKEN: secret('the first token'),
      BOOTSTRAP_PASSWORD: secret('the first password'),
    })
    service = client(() => main.url, secret('the first token'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const hear = (answer: Answer, shows = ''): Answer => {
    const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
    const whole = `${answer.status}\n${headers}\n${answer.text}`
    heard.push(shows === '' ? whole : whole.replaceAll(shows, '(shown here)'))
    return answer
  }
  const cookieIn = (answer: Answer) =>
    /^\.svc\.auth=([^;]+)/.exec(answer.headers.get('Set-Cookie') ?? '')?.[1] ?? ''

  it('is used in every way that there is', async () => {
    const nobody: HeaderValues = { Authorization: '' }
    const { data: me } = hear(await service.get('identity/me'))
    const CompanyKey = (me['Company'] as { Id: string }).Id
    companyKey = CompanyKey
    const Email = 'marked@example.com'
    const Password = secret('a password')
    const once = { 'Idempotency-Key': 'user-once' }
    for (let i = 0; i < 2; i++)
      hear(
        await service.post(
          'identity/users',
          { Email, Name: 'Marked', Password, Roles: ['system_admin'] },
          once,
        ),
      )
    hear(
      await service.post(
        'identity/login',
        { Email, Password: secret('a wrong password'), CompanyKey },
        nobody,
      ),
    )
    hear(await service.post('identity/login', { Email, Password: [Password], CompanyKey }, nobody))
    hear(await service.send('POST', 'identity/login', { body: `{"Password":"${Password}"`, headers: nobody }))
    const login = await service.post('identity/login', { Email, Password, CompanyKey }, nobody)
    secrets.set('a cookie', cookieIn(login))
    hear(login, secret('a cookie'))
    const cookie = { ...nobody, Cookie: `.svc.auth=${secret('a cookie')}`, Origin: APP_ORIGIN }
    hear(await service.get('identity/me', cookie))
    hear(await service.get('identity/users', cookie))
    hear(await service.get(`nope/${encodeURIComponent('x')}`, cookie))
    for (const [name, key] of [
      ['a token', 'token-once'],
      ['another token', 'token-twice'],
    ] as const) {
      const made = await service.post(
        'identity/tokens',
        { Name: 'sync', Roles: ['viewer'] },
        { 'Idempotency-Key': key },
      )
      secrets.set(name, textOf(made.data, 'Token'))
      hear(made, secret(name))
      const rotated = await service.post(`identity/tokens/${made.data.Id}/rotate`)
      secrets.set(`${name}, rotated`, textOf(rotated.data, 'Token'))
      hear(rotated, secret(`${name}, rotated`))
      hear(await service.get(`identity/tokens/${made.data.Id}`))
      hear(await service.get('identity/me', { Authorization: `Bearer ${secret(name)}` }))
      hear(await service.delete(`identity/tokens/${made.data.Id}`))
    }
    hear(await service.get('identity/me', { Authorization: `Bearer ${secret('a token that was made up')}` }))
    const changed = await service.patch(
      'identity/me',
      { Password: secret('a changed password'), CurrentPassword: Password },
      cookie,
    )
    expect(changed.status, changed.text).to.equal(200)
    secrets.set('the next cookie', cookieIn(changed))
    hear(changed, secret('the next cookie'))
    const hook = {
      Url: 'https://hooks.example.com/x',
      Events: ['*'],
      Secret: secret('the secret of a webhook'),
    }
    const made = hear(await service.post('webhooks', hook))
    expect(made.status, made.text).to.equal(201)
    hear(await service.get(`webhooks/${made.data.Id}`))
    hear(await service.get('webhooks'))
    const next = { Secret: secret('the next secret of a webhook') }
    const given = hear(await service.post(`webhooks/${made.data.Id}/rotate-secret`, next))
    expect(given.status, given.text).to.equal(200)
    const last = { Secret: secret('the last secret of a webhook') }
    expect(hear(await service.patch(`webhooks/${made.data.Id}`, last)).status).to.equal(200)
    const own = await service.post(`webhooks/${made.data.Id}/rotate-secret`)
    secrets.set('a secret that was made up', textOf(own.data, 'Secret'))
    hear(own, secret('a secret that was made up'))
    hear(await service.post(`webhooks/${made.data.Id}/ping`))
    hear(await service.get(`webhooks/${made.data.Id}/deliveries`))
    const firm = { Name: 'Other', AdminEmail: Email, AdminPassword: Password }
    hear(await service.post('identity/companies', firm))
    for (const path of [
      'audit',
      'audit?pageSize=100',
      'audit/export',
      'projections',
      'openapi.json',
      '/docs',
      '/metrics',
    ])
      hear(await service.get(path))
    await service.create('tenant', { Name: 'Marked', Email })
    for (const format of ['json', 'csv', 'jsonl', 'parquet']) {
      const table = hear(await service.get(`warehouse/wh_Leasing_Tenant?format=${format}`))
      expect(table.status, table.text).to.equal(200)
    }
    hear(await service.get('warehouse'))
    hear(await service.post('warehouse/query', { Sql: 'SELECT * FROM sqlite_schema' }))
    hear(await service.post('warehouse/query', { Sql: 'SELECT * FROM wh_Leasing_Tenant_history' }))
    for (const table of ['wh_Daybook_User', 'wh_Daybook_Token', 'wh_Daybook_Webhook'])
      expect(hear(await service.get(`warehouse/${table}`)).status, table).to.equal(404)
    const { Id: userKey } = (await service.list('identity/users', { filter: `Email eq '${Email}'` })).list[0]!
    for (const path of [
      `audit?key=${userKey}`,
      `user/${userKey}/history`,
      `user/${userKey}`,
      'user',
      'token',
    ])
      hear(await service.get(path))
    hear(
      await service.post('identity/logout', undefined, {
        ...cookie,
        Cookie: `.svc.auth=${secret('the next cookie')}`,
      }),
    )
    for (const [name, value] of secrets) expect(value, name).to.have.length.greaterThan(15)
  })

  it('is told by nobody on the machine, but the one that is made there', async () => {
    const reset = await admin({ DATA_DIR: folder }, 'reset-password', 'admin@example.com', companyKey)
    expect(reset.code, reset.stderr).to.equal(0)
    secrets.set('a password made on the machine', passwordIn(reset))
    heard.push(reset.stderr, reset.stdout.replaceAll(passwordIn(reset), '(shown here)'))
    const backup = join(folder, 'backup')
    heard.push(JSON.stringify(await backupEventFile(folder, backup)))
    expect(readdirSync(backup)).to.include('events.db')
  })

  it('is in no answer, but in the one that shows it', () => {
    expect(heard.length).to.be.greaterThan(30)
    for (const [name, value] of secrets)
      for (const answer of heard)
        expect(answer.includes(value), `${name} in ${answer.slice(0, 300)}`).to.equal(false)
    // Hashes are nobody's business either.
    for (const answer of heard) expect(answer).to.not.match(/\$argon2id|PasswordHash|PreviousHash|"Hash":"/)
  })

  it('is not in the log, however talkative', async () => {
    const { stdout, stderr } = await main.end('SIGTERM')
    expect(stdout.split('\n').length).to.be.greaterThan(30)
    for (const [name, value] of secrets) expect((stdout + stderr).includes(value), name).to.equal(false)
  })

  it('is in no file: neither events nor read models nor anything else', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile())
    expect(files.some((path) => path.endsWith('events.db'))).to.equal(true)
    expect(files.some((path) => path.includes('read-models-'))).to.equal(true)
    expect(files.some((path) => path.includes('warehouse'))).to.equal(true)
    expect(files.filter((path) => path.endsWith('events.db'))).to.have.length(2)
    let marked = 0
    for (const path of files) {
      const bytes = readFileSync(path)
      for (const [name, value] of secrets) {
        expect(bytes.includes(value), `${name} in ${path}`).to.equal(false)
        expect(
          bytes.includes(Buffer.from(value).toString('base64').slice(0, -4)),
          `${name} in ${path}`,
        ).to.equal(false)
      }
      if (bytes.includes('marked@example.com')) marked++
    }
    // Else nothing would be found anywhere.
    expect(marked).to.be.greaterThan(1)
    const models = files.filter((path) => path.includes('read-models-'))
    for (const path of models) expect(readFileSync(path).includes('$argon2id'), path).to.equal(false)
  })
})
