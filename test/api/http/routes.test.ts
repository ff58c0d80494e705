/** What holds for every route: who may ask, by which method, and what is served beside records. */
import { expect } from 'chai'
import { unlike } from '../../support/unlike.ts'
import { testService, TOKEN, type Answer, type TestService } from '../../support/service.ts'
import { contractBody } from '../../system/support/leasing.ts'

describe('the routes of the API', () => {
  let service: TestService
  let path: string

  before(async () => {
    service = await testService()
    path = `contract/${(await service.create('contract', contractBody())).Id}`
  })
  after(() => service.discard())

  const expectError = (answer: Answer, status: number, code: string, tried?: string) => {
    expect([answer.status, answer.error.Code], tried).to.deep.equal([status, code])
    expect(answer.json).to.have.all.keys('Success', 'Error').and.to.include({ Success: false })
    expect(answer.error).to.have.all.keys('Code', 'Message', 'Details')
    expect(answer.headers.get('Content-Type')).to.equal('application/json; charset=utf-8')
  }

  describe('ask for a token', () => {
    const bad: { readonly [what: string]: string } = {
      nothing: '',
      'another token': 'Bearer another-token-0123456789',
      'the beginning of the token': `Bearer ${TOKEN.slice(0, -1)}`,
      'more than the token': `Bearer ${TOKEN}x`,
      'the token in another case': `Bearer ${TOKEN.toUpperCase()}`,
      'the token twice': `Bearer ${TOKEN} ${TOKEN}`,
      'no token': 'Bearer ',
      'another scheme': `Basic ${TOKEN}`,
      'no scheme': TOKEN,
      'a token of objects': 'Bearer {"$ne":null}',
    }
    for (const [what, Authorization] of Object.entries(bad))
      it(`and answer 401 to ${what}, on every route alike`, async () => {
        const answers = [
          await service.send('GET', 'contract', { headers: { Authorization } }),
          await service.send('GET', path, { headers: { Authorization } }),
          await service.send('POST', 'contract', { headers: { Authorization }, body: contractBody() }),
          await service.send('PUT', path, { headers: { Authorization }, body: {} }),
          await service.send('PATCH', path, { headers: { Authorization }, body: {} }),
          await service.send('DELETE', path, { headers: { Authorization } }),
          await service.send('POST', `${path}/restore`, { headers: { Authorization } }),
          await service.send('POST', 'contract/batch', { headers: { Authorization }, body: {} }),
          await service.send('PUT', 'tenant/by/ExternalId/x', { headers: { Authorization }, body: {} }),
          // Who is not known does not learn which objects, Keys and routes there are.
          await service.send('GET', 'nope', { headers: { Authorization } }),
          await service.send('GET', 'contract/nope', { headers: { Authorization } }),
          await service.send('GET', 'contract/a/b/c/d', { headers: { Authorization } }),
          await service.send('POST', 'contract', { headers: { Authorization }, body: '{not json' }),
        ]
        for (const answer of answers) {
          expectError(answer, 401, 'UNAUTHORIZED')
          expect(answer.headers.get('WWW-Authenticate')).to.match(/^Bearer /)
          expect(answer.text).to.equal(answers[0]?.text)
        }
      })

    it('and take it with the scheme in any case', async () => {
      for (const scheme of ['Bearer', 'bearer', 'BEARER'])
        expect((await service.get(path, { Authorization: `${scheme} ${TOKEN}` })).status).to.equal(200)
    })

    it('before they read the body', async () => {
      const body = 'x'.repeat(2_000_000)
      expectError(await service.post('contract', body, { Authorization: 'Bearer no' }), 401, 'UNAUTHORIZED')
    })
  })

  describe('that are not there', () => {
    it('are 404 in the Error wrapper', async () => {
      for (const to of [
        '/nope',
        '/api',
        '/api/v2/contract',
        'contract/a/b',
        'contract/a/b/c/d',
        '/metrics/x',
        '/docs/x',
      ])
        expectError(await service.get(to), 404, 'NOT_FOUND', to)
    })

    it('are 404 for unknown objects, whatever the method', async () => {
      for (const [method, to] of [
        ['GET', 'nope'],
        ['POST', 'nope'],
        ['GET', 'nope/nope-1'],
        ['PUT', 'nope/nope-1'],
        ['PATCH', 'nope/nope-1'],
        ['DELETE', 'nope/nope-1'],
        ['POST', 'nope/nope-1/restore'],
        ['POST', 'nope/batch'],
      ] as const) {
        const answer = await service.send(
          method,
          to,
          method === 'GET' || method === 'DELETE' ? {} : { body: {} },
        )
        expectError(answer, 404, 'NOT_FOUND', `${method} ${to}`)
      }
    })
  })

  describe('tell their methods', () => {
    const routes: { readonly [to: string]: () => readonly [string, readonly string[]] } = {
      'of a list': () => ['contract', ['GET', 'POST']],
      'of a record': () => [path, ['GET', 'PUT', 'PATCH', 'DELETE']],
      'of restore': () => [`${path}/restore`, ['POST']],
      'of an upsert': () => ['tenant/by/ExternalId/x', ['PUT']],
      'of a webhook': () => ['webhooks/webhook-0', ['GET', 'PATCH', 'DELETE']],
      'of the events that webhooks are sent': () => ['webhooks/events', ['GET']],
      'of the tables of the warehouse': () => ['warehouse', ['GET']],
      'of login': () => ['identity/login', ['POST']],
      'of logout': () => ['identity/logout', ['POST']],
      'of health': () => ['health/ready', ['GET']],
      'of what describes the API': () => ['openapi.json', ['GET']],
      'of its page': () => ['/docs', ['GET']],
    }
    for (const [what, route] of Object.entries(routes))
      it(`${what}, by OPTIONS and by 405`, async () => {
        const [to, methods] = route()
        const allow = [...methods, 'OPTIONS'].join(', ').replace('GET', 'GET, HEAD')
        const options = await service.send('OPTIONS', to)
        expect([options.status, options.headers.get('Allow'), options.text]).to.deep.equal([204, allow, ''])
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
          if (methods.includes(method)) continue
          const answer = await service.send(method, to, method.startsWith('P') ? { body: {} } : {})
          expectError(answer, 405, 'VALIDATION_ERROR', `${method} ${to}`)
          expect(answer.headers.get('Allow')).to.equal(allow)
        }
      })
  })

  describe('answer HEAD', () => {
    it('as GET, without the body', async () => {
      for (const to of [
        'contract?pageSize=1',
        path,
        '/docs',
        '/api/v1/openapi.json',
        '/api/v1/health/live',
      ]) {
        const [get, head] = [await service.get(to), await service.send('HEAD', to)]
        expect([head.status, head.text], to).to.deep.equal([200, ''])
        for (const name of ['Content-Type', 'Content-Length', 'ETag'])
          expect(head.headers.get(name), `${name} of ${to}`).to.equal(get.headers.get(name))
      }
    })

    it('also where there is nothing', async () => {
      for (const [to, status] of [
        ['nope', 404],
        ['contract/nope', 404],
        ['contract?page=0', 400],
      ] as const) {
        const head = await service.send('HEAD', to)
        expect([head.status, head.text], to).to.deep.equal([status, ''])
      }
      const unknown = await service.send('HEAD', 'contract', { headers: { Authorization: 'x' } })
      expect([unknown.status, unknown.text]).to.deep.equal([401, ''])
    })
  })

  describe('give every answer an X-Request-Id', () => {
    it('of their own, a new one each time', async () => {
      const ids = await Promise.all(
        [path, 'contract', 'nope', '/nope', '/docs'].map(async (to) =>
          (await service.get(to)).headers.get('X-Request-Id'),
        ),
      )
      for (const id of ids) expect(id).to.match(/^[0-9a-f-]{36}$/)
      expect(new Set(ids)).to.have.property('size', ids.length)
    })

    it('of the client, when it is harmless', async () => {
      for (const id of ['a', 'trace:1.2_3-4', 'x'.repeat(100)])
        for (const to of [path, '/nope'])
          expect((await service.get(to, { 'X-Request-Id': id })).headers.get('X-Request-Id')).to.equal(id)
      for (const id of ['', 'a b', 'x'.repeat(101), '<script>', 'a;b', 'a,b', 'é', '{{x}}'])
        expect((await service.get(path, { 'X-Request-Id': id })).headers.get('X-Request-Id')).not.to.equal(id)
    })
  })

  it('say nothing about what they are made with, and forbid caching and sniffing', async () => {
    for (const answer of [
      await service.get(path),
      await service.get('/nope'),
      await service.get('contract', { Authorization: 'x' }),
    ]) {
      for (const name of ['X-Powered-By', 'Server', 'Set-Cookie'])
        expect(answer.headers.get(name)).to.equal(null)
      expect(answer.headers.get('Cache-Control')).to.equal('no-store')
      expect(answer.headers.get('X-Content-Type-Options')).to.equal('nosniff')
    }
  })

  describe('without a token', () => {
    const without = { Authorization: '' }

    it('serve health', async () => {
      for (const [name, Status] of [
        ['live', 'live'],
        ['ready', 'ready'],
      ] as const) {
        const answer = await service.get(`health/${name}`, without)
        const { Status: shown, Checks = [] } = answer.data as unknown as {
          readonly Status: string
          readonly Checks?: readonly { readonly State: string }[]
        }
        expect([answer.status, shown]).to.deep.equal([200, Status])
        expect(Checks.filter(({ State }) => State !== 'up')).to.deep.equal([])
        expectError(await service.get(`health/${name}?x=1`, without), 400, 'VALIDATION_ERROR')
      }
    })

    it('serve the API’s description', async () => {
      const answer = await service.get('openapi.json', without)
      expect(answer.status).to.equal(200)
      expect(answer.headers.get('Content-Type')).to.equal('application/json; charset=utf-8')
      expect(answer.json)
        .to.have.property('openapi')
        .that.match(/^3\.1\./)
      expect(answer.json['servers']).to.deep.equal([{ url: service.url }])
      expect(answer.json['paths']).to.include.all.keys(
        '/api/v1/contract',
        '/api/v1/contract/{key}',
        '/api/v1/contract/batch',
      )
    })

    it('serve it as a page, too, that may load and run nothing', async () => {
      const answer = await service.get('/docs', without)
      expect(answer.status).to.equal(200)
      expect(answer.headers.get('Content-Type')).to.match(/^text\/html/)
      expect(answer.headers.get('Content-Security-Policy'))
        .to.include("default-src 'none'")
        .and.not.to.include('script-src')
      expect(answer.text)
        .to.match(/^<!doctype html>/i)
        .and.to.include('/api/v1/contract')
        .and.not.to.match(/<script/i)
    })

    it('lead from the bare address to that page', async () => {
      const answer = await fetch(`${service.url}/`, { redirect: 'manual' })
      expect([answer.status, answer.headers.get('Location')]).to.deep.equal([302, 'docs'])
      expect((await fetch(`${service.url}/`)).url).to.equal(`${service.url}/docs`)
    })

    it('serve numbers for Prometheus on loopback', async () => {
      await service.get(path)
      expect((await service.get(unlike(path))).status).to.equal(404)
      const answer = await service.get('/metrics', without)
      expect(answer.status).to.equal(200)
      expect(answer.headers.get('Content-Type')).to.match(/^text\/plain; version=0\.0\.4/)
      const line = (start: string) => answer.text.split('\n').find((one) => one.startsWith(start)) ?? ''
      const counted = 'daybook_http_request_duration_seconds_count{method="GET",route="/api/v1/:object/:key",'
      for (const status of ['status="200"}', 'status="404"}'])
        expect(Number(line(counted + status).split(' ')[1]), status).to.be.greaterThan(0)
      expect(line('daybook_projection_lag{projection="records"}')).to.match(/ 0$/)
      expect(line('daybook_projection_parked{projection="search"}')).to.match(/ 0$/)
      expect(answer.text)
        .to.include('daybook_append_group_size_bucket')
        .and.to.include('daybook_event_loop_delay_seconds')
      expect(answer.text).not.to.include(path.split('/')[1])
    })
  })

  describe('afterwards', () => {
    it('nothing has gone wrong inside', () => expect(service.logged).to.deep.equal([]))
  })
})
