/** Starting and ending the service as a process: what it prints, which faults stop it, and what survives. */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { SECRETS_KEYS } from '../support/secrets-keys.ts'
import { client, newFolder, TOKEN } from '../support/service.ts'
import { definitionsFolder, gadget } from './support/gadget.ts'
import { contractBody } from './support/leasing.ts'
import { companyOf } from '../api/identity/identity-support.ts'
import { failedStart, startMain, type Ended } from './support/main-process.ts'

const NOTIFICATIONS = /^Daybook notifications are ready on http:\/\/127\.0\.0\.1:\d+\n/m
const readyLines = (url: string, company: string) =>
  `Console: ${url}/console?company=${company}\nDaybook is ready on ${url}\n`

/** What was printed beside the line of the second listener, which has to be there. */
const withoutNotifications = (stdout: string) => {
  expect(stdout).to.match(NOTIFICATIONS)
  return stdout.replace(NOTIFICATIONS, '')
}

/** Nothing answers there any more. */
async function expectGone(url: string): Promise<void> {
  const answer = await fetch(`${url}/api/v1/health/live`).catch(() => undefined)
  expect(answer?.status).to.equal(undefined)
}

describe('the process', () => {
  let folder: string
  beforeEach(() => {
    folder = newFolder()
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  describe('that starts', () => {
    it('prints where its console is and that it is ready, and ends with code 0 on SIGTERM and SIGINT', async () => {
      await (await startMain({ DATA_DIR: folder, BOOTSTRAP_TOKEN: TOKEN })).end('SIGTERM')
      for (const signal of ['SIGTERM', 'SIGINT'] as const) {
        const main = await startMain({ DATA_DIR: folder, BOOTSTRAP_TOKEN: TOKEN })
        expect(main.url).to.match(/^http:\/\/127\.0\.0\.1:\d+$/)
        expect((await client(() => main.url).get('health/ready')).status).to.equal(200)
        const company = await companyOf(client(() => main.url))
        const { code, stdout, stderr } = await main.end(signal)
        expect({ code, stdout: withoutNotifications(stdout), stderr }).to.deep.equal({
          code: 0,
          stdout: readyLines(main.url, company),
          stderr: '',
        })
      }
    })

    it('ends with code 0 when npm start gets SIGTERM', async () => {
      const main = await startMain({ DATA_DIR: folder }, ['npm', 'start'])
      try {
        expect((await main.end('SIGTERM')).code).to.equal(0)
        await expectGone(main.url)
      } finally {
        main.killAll()
      }
    })

    it('shows what it made for a new store, once: the company, its administrator, his password, a token', async () => {
      const first = await startMain({ DATA_DIR: folder, BOOTSTRAP_COMPANY: 'Zoë & Co' })
      const shown = (name: string) => new RegExp(`^ +${name} +(\\S+)`, 'm').exec(first.stdout())?.[1] ?? ''
      const token = shown('API token')
      const login = {
        CompanyKey: shown('Company \\(CompanyKey\\)'),
        Email: shown('Administrator'),
        Password: shown('Password'),
      }
      const loggedIn = await client(() => first.url).post('identity/login', login, { Authorization: '' })
      expect(loggedIn.data['Company']).to.deep.equal({ Id: login.CompanyKey, Name: 'Zoë & Co' })
      const tenant = await client(() => first.url, token).create('tenant', { Name: 'Ada' })
      expect((await client(() => first.url).get('tenant')).status).to.equal(401)
      await first.end('SIGTERM')

      const second = await startMain({ DATA_DIR: folder })
      expect(withoutNotifications(second.stdout())).to.equal(readyLines(second.url, login.CompanyKey))
      expect((await client(() => second.url, token).get(`tenant/${tenant.Id}`)).data).to.deep.equal(tenant)
      await second.end('SIGTERM')
    })

    it('shows no password and no token that it was given', async () => {
      const settings = { BOOTSTRAP_TOKEN: TOKEN, BOOTSTRAP_PASSWORD: 'a given password' }
      const main = await startMain({ DATA_DIR: folder, LOG_LEVEL: 'trace', ...settings })
      const { stdout, stderr } = await main.end('SIGTERM')
      expect(stdout).to.include('company-').and.to.include('admin@example.com')
      for (const secret of Object.values(settings)) expect(stdout + stderr).to.not.include(secret)
    })

    it('keeps the token of the first start, whatever a later one is told', async () => {
      await (await startMain({ DATA_DIR: folder, BOOTSTRAP_TOKEN: TOKEN })).end('SIGTERM')
      const other = 'another-token-0123456789'
      const main = await startMain({ DATA_DIR: folder, BOOTSTRAP_TOKEN: other })
      expect((await client(() => main.url).get('tenant')).status).to.equal(200)
      expect((await client(() => main.url, other).get('tenant')).status).to.equal(401)
      await main.end('SIGTERM')
    })

    it('lets no other account of the machine read what it keeps', async () => {
      const data = join(folder, 'data')
      await (await startMain({ DATA_DIR: data })).end('SIGTERM')
      const all = readdirSync(data, { recursive: true, encoding: 'utf8' })
      expect(all).to.include.members(['events.db', 'warehouse'])
      for (const one of ['.', ...all]) expect(statSync(join(data, one)).mode & 0o007, one).to.equal(0)
    })

    it('takes an empty setting for one that is not set', async () => {
      const main = await startMain({ DATA_DIR: folder, HOST: '', DEFINITIONS_DIR: '', PUBLIC_URL: '' })
      expect(main.url).to.match(/^http:\/\/127\.0\.0\.1:/)
      await main.end('SIGTERM')
    })

    it('says in its log which settings are empty and have their defaults', async () => {
      const settings = { DATA_DIR: folder, LOG_LEVEL: 'info', HOST: '', PUBLIC_URL: '' }
      const { stdout } = await (await startMain(settings)).end('SIGTERM')
      const line = stdout.split('\n').find((one) => one.includes('are empty')) ?? '{}'
      expect(JSON.parse(line)).to.include({ msg: 'settings that are empty have their defaults' })
      expect(JSON.parse(line)).to.have.deep.property('settings', ['HOST', 'PUBLIC_URL'])
      const none = await (await startMain({ DATA_DIR: folder, LOG_LEVEL: 'info' })).end('SIGTERM')
      expect(none.stdout).to.not.include('are empty')
    })

    it('says where it is reached when that is elsewhere', async () => {
      const PUBLIC_URL = 'https://records.example.com/daybook'
      const main = await startMain({ DATA_DIR: folder, PUBLIC_URL })
      expect(main.url).to.equal(PUBLIC_URL)
      await main.end('SIGTERM')
    })
  })

  describe('that is killed', () => {
    it('has everything that it acknowledged when it starts again', async () => {
      const settings = { DATA_DIR: folder, BOOTSTRAP_TOKEN: TOKEN }
      let main = await startMain(settings)
      const service = client(() => main.url)
      const known: { Id: string; text: string }[] = []
      for (let round = 0; round < 3; round++) {
        const made = await Promise.all(
          Array.from({ length: 20 }, () => service.create('contract', contractBody())),
        )
        for (const { Id } of made) known.push({ Id, text: (await service.get(`contract/${Id}`)).text })
        await main.end('SIGKILL')
        main = await startMain(settings)
        for (const { Id, text } of known) expect((await service.get(`contract/${Id}`)).text).to.equal(text)
        expect((await service.list('contract')).pagination.TotalRecords).to.equal(known.length)
      }
      await main.end('SIGTERM')
    })
  })

  describe('that cannot start', () => {
    const stopped = ({ code, stdout, stderr }: Ended, ...messages: readonly (string | RegExp)[]) => {
      expect(code, stderr).to.equal(1)
      expect(stdout).to.equal('')
      expect(stderr).to.match(/^Daybook cannot start: /)
      for (const message of messages)
        if (typeof message === 'string') expect(stderr).to.include(message)
        else expect(stderr).to.match(message)
      expect(stderr, 'a fault of the operator is told, not traced').not.to.match(/\n\s+at /)
    }

    it('names every setting that it does not understand, and no secret', async () => {
      const bad = {
        PORT: '70000',
        LOG_LEVEL: 'loud',
        PUBLIC_URL: 'ftp://x',
        READ_YOUR_WRITES_MS: '-1',
        BOOTSTRAP_TOKEN: 's3cret short',
        EVENTSTORE_URL: 'http://user:s3cret@x',
        MONGODB_URL: 'nope://user:s3cret@x',
        ROLES: 'api,nonsense',
      }
      const end = await failedStart({ DATA_DIR: folder, ...bad })
      stopped(end, ...Object.keys(bad).map((name) => new RegExp(`^ +${name}\\b.*: \\S`, 'm')))
      expect(end.stderr).not.to.include('s3cret')
    })

    for (const [name, values] of Object.entries({
      PORT: ['x', '-1', '1.5', '65536', 'NaN'],
      LOG_LEVEL: ['INFO', '1'],
      READ_YOUR_WRITES_MS: ['soon', '1e9'],
      PUBLIC_URL: ['example.com', 'javascript:alert(1)'],
      BOOTSTRAP_TOKEN: ['short', 'with blanks in between it', 'x'.repeat(257)],
    }))
      it(`because of ${name} says so`, async () => {
        for (const value of values)
          stopped(await failedStart({ DATA_DIR: folder, [name]: value }), `${name}: `)
      })

    for (const [name, values] of Object.entries({
      EVENTSTORE_URL: [
        'esdb://a:s3cret@localhost?nonsense=1',
        'esdb://a:s3cret@localhost?tls=maybe',
        'esdb://a:s3cret@localhost?tlsVerifyCert=false',
        'esdb://a:s3cret@localhost?tlsCaFile=/nowhere',
      ],
      MONGODB_URL: [
        'mongodb://a:s3cret@localhost/?nonsense=1',
        'mongodb://a:s3cret@localhost/?tls=maybe',
        'mongodb://a:s3cret@localhost/a.b',
        'mongodb+srv://a:s3cret@example.com:27017',
      ],
      RABBITMQ_URL: ['amqps://a:s3cret@localhost?cacertfile=/nowhere'],
    }))
      it(`because the driver does not take ${name} says so, without its password`, async () => {
        for (const value of values) {
          const end = await failedStart({ DATA_DIR: folder, SECRETS_KEYS, [name]: value })
          stopped(end, `${name}: `)
          expect(end.stderr).not.to.include('s3cret')
        }
      })

    it('because of the roles of embedded engines says so', async () => {
      stopped(await failedStart({ DATA_DIR: folder, ROLES: 'api' }), 'ROLES', 'EVENTSTORE_URL', 'MONGODB_URL')
    })

    it('and whose lock.db is removed ends, before another takes its folder unseen', async () => {
      const main = await startMain({ DATA_DIR: folder, BOOTSTRAP_TOKEN: TOKEN })
      rmSync(join(folder, 'lock.db'))
      const { code, stdout } = await main.ended
      expect(code).to.equal(1)
      expect(stdout).to.match(/lock.db in .* was removed or replaced/)
    })

    it('because another process has its folder says so, and leaves that one alone', async () => {
      const main = await startMain({ DATA_DIR: folder, BOOTSTRAP_TOKEN: TOKEN })
      stopped(await failedStart({ DATA_DIR: folder }), 'another process', folder)
      const service = client(() => main.url)
      const { Id } = await service.create('tenant', { Name: 'Undisturbed' })
      expect((await service.list('tenant')).list[0]).to.include({ Id })
      await main.end('SIGTERM')
      await (await startMain({ DATA_DIR: folder })).end('SIGTERM')
    })

    it('because another has its port says so', async () => {
      const squatter = createServer()
      await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve))
      const { port } = squatter.address() as AddressInfo
      stopped(
        await failedStart({ DATA_DIR: folder, PORT: String(port) }),
        `PORT: another process listens on 127.0.0.1:${port} already`,
      )
      await new Promise((resolve) => squatter.close(resolve))
    })

    it('because another has the port of notifications names that setting, before it shows a secret', async () => {
      const squatter = createServer()
      await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve))
      const { port } = squatter.address() as AddressInfo
      const settings = { DATA_DIR: folder, NOTIFICATION_PORT: String(port) }
      stopped(
        await failedStart(settings),
        `NOTIFICATION_PORT: another process listens on 127.0.0.1:${port} already`,
      )
      await new Promise((resolve) => squatter.close(resolve))
      const main = await startMain(settings)
      expect(main.stdout(), 'the store is founded by this start').to.include('API token')
      await main.end('SIGTERM')
    })

    it('because it may not or cannot listen there says so', async () => {
      const end = await failedStart({ DATA_DIR: folder, HOST: '192.0.2.1', TRUST_PROXY: 'loopback' })
      stopped(end, /HOST, PORT: .*192\.0\.2\.1/)
    })

    it('because its folder is a file says so', async () => {
      const file = join(folder, 'file')
      writeFileSync(file, 'not a folder')
      stopped(await failedStart({ DATA_DIR: file }), file)
    })

    it('because its folder cannot be written to says so', async () => {
      // The system makes these up: not even root writes there.
      for (const folder of ['/proc/daybook', '/proc/self', '/sys/daybook', '/dev/null/daybook'])
        stopped(
          await failedStart({ DATA_DIR: folder }),
          `DATA_DIR: the folder ${folder} cannot be written to`,
        )
    })

    it('because plain HTTP would leave the machine says so, and what to set', async () => {
      stopped(await failedStart({ DATA_DIR: folder, HOST: '0.0.0.0' }), 'HOST', 'TLS_CERT', 'TRUST_PROXY')
    })

    it('because records have lost their definition says which', async function () {
      this.timeout(60_000)
      const own = definitionsFolder(gadget)
      const settings = { DATA_DIR: folder, BOOTSTRAP_TOKEN: TOKEN }
      const main = await startMain({ ...settings, DEFINITIONS_DIR: own.path })
      const { Id } = await client(() => main.url).create('gadget', { Name: 'Whatsit' })
      await main.end('SIGTERM')
      stopped(
        await failedStart({ ...settings, LOG_LEVEL: 'fatal' }),
        'the object gadget',
        Id,
        'DEFINITIONS_DIR',
      )
      const again = await startMain({ ...settings, DEFINITIONS_DIR: own.path })
      expect((await client(() => again.url).get(`gadget/${Id}`)).status).to.equal(200)
      await again.end('SIGTERM')
      own.remove()
    })

    describe('because of a definition', () => {
      const own = definitionsFolder()
      after(() => own.remove())
      afterEach(() => rmSync(join(own.path, 'Workshop'), { recursive: true, force: true }))

      const start = () => failedStart({ DATA_DIR: folder, DEFINITIONS_DIR: own.path })
      const write = (text: string, name = 'gadget.json') => {
        mkdirSync(join(own.path, 'Workshop'), { recursive: true })
        writeFileSync(join(own.path, 'Workshop', name), text)
      }

      it('says in which file, where in it, and why, of every fault at once', async () => {
        own.write({
          ...gadget,
          display: 'Nope',
          fields: [
            { name: 'Name', type: 'text', requird: true },
            { name: 'Size', type: 'size' },
            { name: 'Friend', type: 'lookup', target: 'nobody' },
            { name: 'lower', type: 'text' },
          ],
        })
        const file = join(own.path, 'Workshop', 'gadget.json')
        stopped(
          await start(),
          new RegExp(`${file}:\\d+:\\d+ \\$\\.fields\\[0\\]\\.requird: .*did you mean required`),
          new RegExp(`${file}:\\d+:\\d+ \\$\\.fields\\[1\\]\\.type: must be one of`),
          new RegExp(`${file}:\\d+:\\d+ \\$\\.fields\\[3\\]\\.name: must be PascalCase`),
        )
      })

      it('says which object a lookup does not find', async () => {
        own.write({
          ...gadget,
          fields: [...gadget.fields, { name: 'Friend', type: 'lookup', target: 'nobody' }],
        })
        stopped(await start(), /\$\.fields\[\d+\]\.target: there is no object nobody/)
      })

      it('says where a file is no JSON', async () => {
        write('{\n  "object": "gadget",\n  "name" "Gadget"\n}')
        stopped(await start(), /gadget\.json:3:\d+: is not JSON/)
      })

      it('says that a name is taken by the service', async () => {
        write(JSON.stringify({ ...gadget, object: 'webhooks', name: 'Webhooks' }), 'webhooks.json')
        stopped(await start(), '$.object', 'webhooks.json')
      })

      it('says that the folder is not there', async () => {
        const missing = join(folder, 'missing')
        stopped(await failedStart({ DATA_DIR: folder, DEFINITIONS_DIR: missing }), missing)
      })
    })
  })
})
