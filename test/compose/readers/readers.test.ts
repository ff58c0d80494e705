/** Several threads on one port answer as one: whatever connection a request comes by (docs/decisions/readers-on-one-port.md). */
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import type { Fields } from '../../../src/domain/json.ts'
import {
  APP_ORIGIN,
  logIn,
  makeToken,
  makeUser,
  withCookie,
  withGrants,
  withToken,
} from '../../api/identity/identity-support.ts'
import { connections, type Connection, type PlainAnswer } from '../../support/connections.ts'
import { testService, TOKEN, type HeaderValues, type TestService } from '../../support/service.ts'

const WORKERS = '3'
/** From request to request. */
const DIFFERS = ['x-request-id', 'date', 'daybook-position']

describe('three threads on one port', function () {
  this.timeout(60_000)
  let service: TestService
  let all: readonly Connection[]

  const start = async (settings: HeaderValues = {}) => {
    service = await testService({ settings: { WORKERS, APP_ORIGIN, ...settings } })
    all = connections(service.url)
  }
  const end = async () => {
    all.forEach((one) => one.close())
    await service.discard()
  }
  const everywhere = <T>(ask: (one: Connection) => Promise<T>) => Promise.all(all.map(ask))
  const statuses = async (path: string, headers: HeaderValues = {}) => [
    ...new Set((await everywhere((one) => one.get(path, headers))).map(({ status }) => status)),
  ]

  describe('what was written by one connection', () => {
    before(() => start())
    after(end)

    it('is in the next get, list, total, filter and search of every other', async () => {
      for (let i = 1; i <= 25; i++) {
        const by = all[i % all.length]!
        const made = await by.send('POST', 'tenant', { body: { Name: `word${i}x` } })
        expect(made.status, made.text).to.equal(201)
        const { Id } = made.json['Data'] as { Id: string }
        const seen = await everywhere(async (one) => [
          (await one.get(`tenant/${Id}`)).status,
          totalOf(await one.get('tenant?pageSize=1')),
          totalOf(await one.get(`tenant?filter=Name%20eq%20'word${i}x'`)),
          totalOf(await one.get(`tenant?search=word${i}x`)),
        ])
        expect(seen).to.deep.equal(all.map(() => [200, i, 1, 1]))
      }
    })

    it('is so too for changes, deletes and restores, while others write', async () => {
      const round = async (name: string, by: Connection) => {
        const { Id } = (await by.send('POST', 'tenant', { body: { Name: name } })).json['Data'] as {
          Id: string
        }
        const found = async (search: string) =>
          new Set(await everywhere(async (one) => totalOf(await one.get(`tenant?search=${search}`))))
        expect([...(await found(name))]).to.deep.equal([1])
        await by.send('PATCH', `tenant/${Id}`, { body: { Name: `new${name}` } })
        expect([...(await found(`new${name}`))]).to.deep.equal([1])
        await by.send('DELETE', `tenant/${Id}`)
        expect([...(await found(`new${name}`)), ...(await statuses(`tenant/${Id}`))]).to.deep.equal([0, 404])
        await by.send('POST', `tenant/${Id}/restore`)
        expect([...(await found(`new${name}`)), ...(await statuses(`tenant/${Id}`))]).to.deep.equal([1, 200])
      }
      await Promise.all(['anna', 'bert', 'cara', 'dirk'].map((name, i) => round(`${name}q`, all[i]!)))
    })

    it('is still so when the read models have been rebuilt', async () => {
      const listed = await service.get('/api/v1/projections')
      const name = (listed.list as readonly Fields[])[0]!['Name'] as string
      expect((await service.post(`projections/${name}/rebuild`)).status).to.be.below(300)
      for (let i = 0; i < 15; i++) {
        const made = await all[i]!.send('POST', 'building', { body: { Name: `b${i}` } })
        const { Id } = made.json['Data'] as { Id: string }
        expect(await statuses(`building/${Id}`)).to.deep.equal([200])
        expect(new Set(await everywhere(async (one) => totalOf(await one.get('building'))))).to.deep.equal(
          new Set([i + 1]),
        )
        await delay(20)
      }
    })
  })

  describe('who is shut out by one connection', () => {
    before(() => start())
    after(end)

    const shutOut = async (headers: HeaderValues, act: () => Promise<{ status: number; text: string }>) => {
      for (let i = 0; i < 3; i++) expect(await statuses('tenant', headers)).to.deep.equal([200])
      const answer = await act()
      expect(answer.status, answer.text).to.be.below(300)
      expect(await statuses('tenant', headers)).to.deep.equal([401])
    }

    it('is refused by all at once: a token that is deleted', async () => {
      for (let i = 0; i < 5; i++) {
        const { Id, value } = await makeToken(service)
        await shutOut(withToken(value), () => all[i]!.send('DELETE', `identity/tokens/${Id}`))
      }
    })

    it('a session that logs out, and a user who is deactivated', async () => {
      const user = await makeUser(service)
      const first = withCookie(await logIn(service, user))
      await shutOut(first, () =>
        all[3]!.send('POST', 'identity/logout', { headers: { ...first, Origin: APP_ORIGIN } }),
      )
      const second = withCookie(await logIn(service, user))
      await shutOut(second, () =>
        all[4]!.send('PATCH', `identity/users/${user.Id}`, { body: { IsActive: false } }),
      )
    })

    it('sees no more than a role still grants', async () => {
      const headers = await withGrants(service, [{ Object: 'tenant', Actions: ['read'] }])
      expect(await statuses('tenant', headers)).to.deep.equal([200])
      const role = (await service.get('identity/roles')).list.find(({ Name }) =>
        /^role_/.test(Name as string),
      )
      const changed = await all[5]!.send('PATCH', `identity/roles/${role!.Id}`, {
        body: { Grants: [{ Object: 'building', Actions: ['read'] }] },
      })
      expect(changed.status, changed.text).to.equal(200)
      expect([await statuses('tenant', headers), await statuses('building', headers)]).to.deep.equal([
        [403],
        [200],
      ])
    })
  })

  describe('an answer', () => {
    let tenant: string
    before(async () => {
      await start()
      tenant = (await service.create('tenant', { Name: 'Ünsal & Co', Email: 'ada@example.com' })).Id
    })
    after(end)

    /** All that does not differ from request to request. */
    const shapeOf = ({ status, headers, text }: PlainAnswer) => {
      const rest = Object.entries(headers).filter(([name]) => !DIFFERS.includes(name))
      return { status, headers: Object.fromEntries(rest), text: text.replaceAll(/"[^"]*At":"[^"]*"/g, '') }
    }
    const asked: readonly (readonly [string, string, { body?: unknown; headers?: HeaderValues }?])[] = [
      ['GET', 'tenant'],
      ['HEAD', 'tenant'],
      ['OPTIONS', 'tenant'],
      ['GET', 'tenant?fields=Name&sort=-Name&pageSize=1'],
      ['GET', 'tenant?filter=Nope%20eq%201'],
      ['GET', 'tenant?nope=1'],
      ['GET', 'tenant?page=0'],
      ['GET', 'tenant?as%4Ff=now'],
      ['GET', 'tenant?asOf=now'],
      ['GET', 'tenant?atLeast=12'],
      ['GET', 'tenant', { headers: { 'Daybook-At-Least': '12' } }],
      ['GET', 'tenant', { headers: { Authorization: 'Bearer nobody' } }],
      ['GET', 'tenant', { headers: { Cookie: 'x=y' } }],
      ['GET', 'tenant', { headers: { Expect: 'nonsense' } }],
      ['GET', 'tenant', { body: '{}' }],
      ['GET', 'tenant/tenant-00000000000000000000000000'],
      ['GET', 'tenant/changes'],
      ['GET', 'tenants'],
      ['GET', 'user'],
      ['GET', 'Tenant'],
      ['GET', '/api//v1/tenant'],
      ['GET', '/api/v1/tenant/'],
      ['GET', 'contract?expand=Tenant,Nope'],
      ['GET', 'objects'],
      ['GET', 'identity/me'],
      ['GET', 'health/live'],
      ['GET', '/api/v1/openapi.json'],
      ['GET', 'tenant/export?format=csv'],
      ['POST', 'tenant', { body: '{' }],
      ['POST', 'tenant'],
      ['POST', 'tenant', { body: { Name: '' } }],
      ['POST', 'tenant', { body: `{"Name":"${'x'.repeat(2_000_000)}"}` }],
      // Refused before its body is read; the next request comes by the same connection.
      ['POST', 'tenant', { body: 'x'.repeat(3_000_000), headers: { Authorization: 'Bearer nobody' } }],
      ['PUT', 'tenant', { body: {} }],
      ['POST', 'tenant/batch', { body: { Records: [] } }],
      ['GET', '/nowhere'],
    ]

    for (const [method, path, sent = {}] of asked)
      it(`is the same by every connection: ${method} ${path} ${JSON.stringify(sent).slice(0, 60)}`, async () => {
        const answers = (await everywhere((one) => one.send(method, path, sent))).map(shapeOf)
        for (const answer of answers.slice(1)) expect(answer).to.deep.equal(answers[0])
      })

    it('is the same for one record, and for who has it already', async () => {
      for (const headers of [{}, { 'If-None-Match': '"1"' }, { 'If-None-Match': '"2"' }]) {
        const answers = (await everywhere((one) => one.get(`tenant/${tenant}`, headers))).map(shapeOf)
        for (const answer of answers.slice(1)) expect(answer).to.deep.equal(answers[0])
      }
    })

    it('comes in order to requests that were sent at once, and by HTTP/1.0 ends the connection', async () => {
      const { port } = new URL(service.url)
      const head = `Host: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n`
      const raw = (text: string) =>
        new Promise<string>((resolve, reject) => {
          const socket = connect(Number(port), '127.0.0.1', () => socket.write(text))
          let got = ''
          socket.on('data', (chunk) => (got += chunk.toString())).once('close', () => resolve(got))
          socket.once('error', reject)
        })
      const body = '{"Name":"at once"}'
      const three =
        `GET /api/v1/tenant/${tenant} HTTP/1.1\r\n${head}\r\n` +
        `POST /api/v1/building HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}` +
        `GET /api/v1/nowhere HTTP/1.1\r\n${head}Connection: close\r\n\r\n`
      const old = `GET /api/v1/objects HTTP/1.0\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`
      for (let i = 0; i < 12; i++) {
        const statuses = (await raw(three)).match(/HTTP\/1\.1 \d{3}/g)
        expect(statuses).to.deep.equal(['HTTP/1.1 200', 'HTTP/1.1 201', 'HTTP/1.1 404'])
        expect(await raw(old)).to.match(/^HTTP\/1.1 200 [^]*Connection: close[^]*"Success":true/)
      }
    })

    it('is of this service alone: no other can share its port', async () => {
      const { port } = new URL(service.url)
      const other = await testService({ settings: { WORKERS, PORT: port } }).then(
        () => 'it started',
        (error: Error) => error.message,
      )
      expect(other).to.equal(`PORT: another process listens on 127.0.0.1:${port} already`)
    })

    it('is counted in the metrics, whichever thread gave it', async () => {
      const count = async () => {
        const page = (await all[0]!.get('/metrics')).text
        const line =
          /duration_seconds_count\{method="GET",route="\/api\/v1\/:object\/:key",status="200"\} (\d+)/.exec(
            page,
          )
        return Number(line?.[1] ?? 0)
      }
      const before = await count()
      for (let i = 0; i < 3; i++) await everywhere((one) => one.get(`tenant/${tenant}`))
      expect(await count()).to.equal(before + 3 * all.length)
    })

    it('that nobody waits for any more is not made to its end', async () => {
      const rows = Array.from({ length: 500 }, (_, i) => ({ Name: `${i} ${'x'.repeat(180)}` }))
      for (let i = 0; i < 8; i++)
        expect((await all[i]!.send('POST', 'tenant/batch', { body: { Records: rows } })).status).to.be.below(
          300,
        )
      const { port } = new URL(service.url)
      const head = `Host: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`
      const leave = () =>
        new Promise<void>((resolve) => {
          const socket = connect(Number(port), '127.0.0.1', () =>
            socket.write(`GET /api/v1/tenant/export?format=jsonl HTTP/1.1\r\n${head}`),
          )
          socket.once('data', () => socket.destroy()).once('close', () => resolve())
        })
      for (let i = 0; i < 12; i++) await leave()
      const running = async () =>
        /daybook_exports\{state="running"\} (\d+)/.exec((await all[0]!.get('/metrics')).text)?.[1]
      while ((await running()) !== '0') await delay(20)
    })
  })

  describe('a rate limit', () => {
    before(() => start({ RATE_LIMIT_PER_MINUTE: '60', RATE_LIMIT_BURST: '60' }))
    after(end)

    it('holds for all of them together', async () => {
      const began = performance.now()
      const answers: PlainAnswer[] = []
      for (let i = 0; i < 6; i++) answers.push(...(await everywhere((one) => one.get('tenant'))))
      const seconds = (performance.now() - began) / 1_000
      const passed = answers.filter(({ status }) => status === 200).length
      const refused = answers.filter(({ status }) => status === 429)
      expect(passed + refused.length).to.equal(answers.length)
      // Never more than the limit; what a thread has reserved and did not need may be missing.
      expect(passed).to.be.within(60 - 2 * 10, 60 + Math.ceil(seconds))
      for (const { headers } of refused) expect(Number(headers['retry-after'])).to.be.at.least(1)
      const page = (await all[0]!.get('/metrics', { Authorization: 'none' })).text
      expect(page).to.match(new RegExp(`daybook_rate_limited_total\\{limit="client"\\} ${refused.length}\\n`))
    })
  })
})

function totalOf(answer: PlainAnswer): number {
  return (answer.json['Pagination'] as unknown as { TotalRecords: number }).TotalRecords
}
