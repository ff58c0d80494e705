/**
 * Nothing that a client sends makes a line of the log, a header of an answer or of a delivery that is not the service's
 * own: line breaks and what looks like an entry stay within the text that they came in. And the log, however talkative,
 * holds nothing of what clients write into paths and questions: people's names and addresses, mostly.
 */
import { expect } from 'chai'
import { client, type Client } from '../support/service.ts'
import type { Receiver } from '../webhooks/receiver.ts'
import { contractBody } from './support/leasing.ts'
import type { MainProcess } from './support/main-process.ts'
import { talkativeMain, type TalkativeMain } from './support/talkative-main.ts'
import { head, rawConnection } from './support/raw-http.ts'

const FORGED = '{"level":60,"msg":"forged"}'
/** Line breaks by every name: CR, LF, NEL, LS, PS, and a header that would follow. */
const BREAKS = ['\r\nX-Forged: 1', '\nX-Forged: 1', '\rX-Forged: 1', '\u0085X-Forged: 1', '\u2028X-Forged: 1']

describe('line breaks and names that clients send', function () {
  this.timeout(60_000)
  let talkative: TalkativeMain
  let main: MainProcess
  let receiver: Receiver
  let service: Client

  before(async () => {
    talkative = await talkativeMain()
    ;({ main, receiver } = talkative)
    service = client(() => main.url)
  })
  after(() => talkative.discard())

  const expectClean = (headers: Iterable<readonly [string, string]>, what: string) => {
    for (const [name, value] of headers) {
      expect(name.toLowerCase(), what).to.not.include('forged')
      expect(value, `${name} for ${what}`).to.not.match(/[\r\n\u0085\u2028]|X-Forged/)
    }
  }

  it('make no header of an answer', async () => {
    for (const text of BREAKS) {
      const coded = encodeURIComponent(`x${text}\n${FORGED}`)
      for (const answer of [
        await service.get(coded),
        await service.get(`contract/${coded}`),
        await service.get(`contract/${coded}/history`),
        await service.get(`contract?filter=${coded}&sort=${coded}&fields=${coded}&expand=${coded}`),
        await service.get(`contract?${coded}=${coded}`),
        await service.get(`contract/changes?since=${coded}`),
        await service.get(`warehouse/${coded}?format=csv`),
        await service.get(`warehouse/wh_Leasing_Tenant?format=${coded}`),
        await service.put(`tenant/by/ExternalId/${coded}`, { Name: `x${text}` }),
        await service.post(
          'tenant',
          { Name: `x${text}` },
          { 'Daybook-Reason': coded, 'X-Request-Id': coded },
        ),
        await service.post('identity/login', { Email: `x${text}`, Password: 'x', CompanyKey: `x${text}` }),
        await service.post('webhooks', { Url: `${receiver.url}/${text}`, Events: [text], Secret: text }),
        await service.send('OPTIONS', coded),
      ])
        expectClean(answer.headers, JSON.stringify(text))
    }
  })

  it('are refused within headers, on the wire', async () => {
    for (const line of [
      'X-Request-Id: a\rX-Forged: 1',
      'X-Request-Id: a\r X-Forged: 1',
      'Idempotency-Key: a\0b',
    ]) {
      const connection = await rawConnection(main.url)
      connection.write(head('GET /api/v1/contract HTTP/1.1', line))
      const answer = await connection.answer()
      expect(answer?.status, line).to.equal(400)
      expectClean(answer!.headers, line)
      await connection.destroy()
    }
  })

  it('make no header of a delivery', async () => {
    const name = BREAKS.join('')
    const hook = { Url: `${receiver.url}/hook`, Events: ['contract.*'], Description: name }
    expect((await service.post('webhooks', hook)).status).to.equal(201)
    await service.create('contract', contractBody({ Notes: `${name}\n${FORGED}` }))
    const [received] = await receiver.got(1)
    const headers = Object.entries(received!.headers).map(([key, value]) => [key, String(value)] as const)
    expectClean(headers, 'a delivery')
    expect(received!.json.Data['Notes']).to.equal(`${name}\n${FORGED}`)
  })

  it('are sent in paths and questions', async () => {
    const person = (place: string) => encodeURIComponent(`Zoë.Personal-${place}@example.com`)
    const nobody = { Authorization: 'Bearer personal-nobody' }
    for (const [path, status] of [
      [`tenant/by/ExternalId/${person('value')}`, 201],
      [`tenant/by/${person('field')}/x`, 404],
      [`tenant/${person('key')}`, 404],
    ] as const)
      expect((await service.put(path, { Name: 'x' })).status, path).to.equal(status)
    const search = `search=${person('word')}&filter=${encodeURIComponent("Name eq 'Personal'")}`
    expect((await service.get(`tenant?${search}`)).status).to.equal(200)
    expect((await service.get(person('object'))).status).to.equal(404)
    for (const path of [
      `/${person('nowhere')}/api/v1`,
      `tenant/${person('under')}/history`,
      `tenant/${person('a')}/${person('b')}/${person('c')}`,
      `identity/users/${person('user')}`,
      `warehouse/${person('table')}`,
      `webhooks/${person('hook')}/deliveries/${person('delivery')}`,
    ])
      for (const headers of [{}, nobody])
        expect((await service.get(path, headers)).status, path).to.be.within(400, 404)
    const refused = await service.put(`tenant/by/ExternalId/${person('refused')}`, { Name: 'x' }, nobody)
    expect(refused.status).to.equal(401)
  })

  it('make no line of the log', async () => {
    const { stdout, stderr } = await main.end('SIGTERM')
    const lines = stdout.split('\n').filter((line) => line.startsWith('{'))
    expect(lines.length).to.be.greaterThan(60)
    for (const line of lines) {
      const entry = JSON.parse(line) as { readonly level: number; readonly msg: string }
      expect([entry.level < 60, entry.msg], line).to.not.include('forged')
      expect(entry, line).to.include.keys('level', 'time', 'msg')
    }
    const others = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
    expect([...others, stderr].join('\n')).to.not.match(/forged/i)
    expect(stdout).to.not.match(/forged|personal/i)
    // What was asked for is still told: by the route, or, where it never came to one, by what is the service's own.
    const paths = new Set(lines.map((line) => (JSON.parse(line) as { readonly path?: string }).path))
    expect(paths).to.include.keys(
      '/api/v1/tenant/by/:field/:value',
      '/api/v1/tenant/…/…/…',
      '/api/v1/tenant/:key/history',
      '/api/v1/:object',
      '/api/v1/tenant',
      '/api/v1/webhooks',
      '/…/api/v1',
    )
  })
})
