/** Cross-origin rules (docs/interface.md#cross-origin-headers): the strings are compared exactly, on every answer that there is. */
import { expect } from 'chai'
import type { Express } from 'express'
import { appsMadeBy, routesOf } from '../../matrix/routes.ts'
import { testService, TOKEN, type Answer, type TestService } from '../../support/service.ts'
import { logIn, makeToken, withCookie, withToken } from '../identity/identity-support.ts'
import { rawRequest } from '../../system/support/raw-http.ts'

const APP_ORIGIN = 'https://app.example.com'

const SPECIFIED = {
  'access-control-allow-origin': APP_ORIGIN,
  'access-control-allow-credentials': 'true',
  'access-control-allow-headers': 'Content-Type, Authorization',
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
}

const crossOriginHeaders = ({ headers }: Answer) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-allow-')))

describe('cross-origin rules', () => {
  let service: TestService
  let app: Express

  before(async () => {
    const started = await appsMadeBy(() => testService({ settings: { APP_ORIGIN } }))
    service = started.made
    app = started.api
  })
  after(() => service.discard())

  const preflight = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    service.send('OPTIONS', path, {
      headers: {
        Authorization: '',
        Origin: APP_ORIGIN,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type',
        ...headers,
      },
    })

  it('are told with every answer, whatever becomes of the request', async () => {
    const { Id } = await service.create('tenant', { Name: 'Ada' })
    const signedIn = await logIn(service)
    const session = withCookie(signedIn)
    const answers: { readonly [what: string]: Answer | undefined } = {
      list: await service.list('tenant'),
      record: await service.get(`tenant/${Id}`),
      created: await service.post('tenant', { Name: 'Bob' }),
      invalid: await service.post('tenant', {}),
      'no JSON': await service.post('tenant', '{'),
      'too large': await service.post('tenant', 'x'.repeat(1_100_000)),
      unauthorized: await service.get('tenant', { Authorization: 'Bearer nope' }),
      forbidden: await service.get('identity/users', withToken((await makeToken(service)).value)),
      'by a cookie, from elsewhere': await service.post(
        'tenant',
        {},
        { ...session, Origin: 'https://evil.example' },
      ),
      login: signedIn,
      'failed login': await logIn(service, { Password: 'not the password' }),
      logout: await service.post('identity/logout', undefined, session),
      'after the logout': await service.get('tenant', session),
      'not modified': await service.get(`tenant/${Id}`, { 'If-None-Match': '"1"' }),
      'of another version': await service.patch(`tenant/${Id}`, { Name: 'Eve' }, { 'If-Match': '"7"' }),
      'no record': await service.get('tenant/tenant-x'),
      'no route': await service.get('/nope'),
      'wrong method': await service.delete('tenant'),
      health: await service.get('health/live'),
      page: await service.get('/docs'),
      description: await service.get('openapi.json'),
      metrics: await service.get('/metrics'),
      head: await service.send('HEAD', 'tenant'),
      options: await service.send('OPTIONS', 'tenant'),
      'bytes that are no HTTP': await rawRequest(service.url, 'nonsense\r\n\r\n'),
      'headers that are too long': await rawRequest(
        service.url,
        `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      ),
      'no Host': await rawRequest(service.url, 'GET / HTTP/1.1\r\n\r\n'),
    }
    const status = (what: string) => answers[what]?.status
    expect(
      ['forbidden', 'by a cookie, from elsewhere', 'login', 'failed login', 'logout', 'after the logout'].map(
        status,
      ),
    ).to.deep.equal([403, 403, 200, 401, 200, 401])
    expect(['not modified', 'of another version'].map(status)).to.deep.equal([304, 412])
    for (const [what, answer] of Object.entries(answers))
      expect(answer && crossOriginHeaders(answer), what).to.deep.equal(SPECIFIED)
  })

  it('are told with what OPTIONS is answered, on every route that there is', async () => {
    const paths = new Set(routesOf(app).map(({ path }) => path.replaceAll(/:\w+/g, 'x')))
    expect(paths.size).to.be.greaterThan(40)
    for (const path of paths)
      for (const Authorization of [`Bearer ${TOKEN}`, '']) {
        const answer = await service.send('OPTIONS', path, { headers: { Authorization } })
        const { headers } = answer
        expect(crossOriginHeaders(answer), path).to.deep.equal(SPECIFIED)
        const others = ['Cache-Control', 'X-Content-Type-Options', 'X-Request-Id'].map((name) =>
          headers.get(name),
        )
        expect(others, path).to.deep.equal(['no-store', 'nosniff', others[2]])
        expect(others[2], path).to.match(/^[\w-]{36}$/)
        if (answer.status < 300) expect(headers.get('Allow'), path).to.match(/^[A-Z]+(, [A-Z]+)*$/)
      }
  })

  it('are the same for every origin: it is for the browser to compare', async () => {
    for (const Origin of ['https://evil.example', 'null', `${APP_ORIGIN}.evil.example`, APP_ORIGIN])
      expect(crossOriginHeaders(await service.list('tenant', {}, { Origin })), Origin).to.deep.equal(
        SPECIFIED,
      )
  })

  it('let the application read our own headers', async () => {
    const exposed = (await service.list('tenant')).headers.get('Access-Control-Expose-Headers')?.split(', ')
    expect(exposed).to.include.members(['ETag', 'Location', 'Retry-After', 'Daybook-Position'])
  })

  it('are asked for without authentication, on any path', async () => {
    for (const path of [
      'tenant',
      'tenant/tenant-x',
      'tenant/batch',
      'identity/login',
      'nope',
      '/nope',
      'health/live',
    ]) {
      const answer = await preflight(path)
      expect([answer.status, answer.text], path).to.deep.equal([204, ''])
      expect(crossOriginHeaders(answer), path).to.deep.equal(SPECIFIED)
      expect(answer.headers.get('Access-Control-Max-Age')).to.equal('600')
    }
  })

  it('promise a foreign origin nothing', async () => {
    const answer = await preflight('tenant', { Origin: 'https://evil.example' })
    expect(answer.status).to.equal(204)
    expect(crossOriginHeaders(answer)).to.deep.equal(SPECIFIED)
  })

  it('do not open OPTIONS beyond preflights', async () => {
    const answer = await service.send('OPTIONS', 'tenant', {
      headers: { Authorization: '', Origin: APP_ORIGIN },
    })
    expect(answer.status).to.equal(401)
  })

  describe('where no application is named', () => {
    before(() => service.restart({}))

    it('let none in', async () => {
      for (const answer of [await service.list('tenant'), await service.get('/nope')])
        expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))).to.deep.equal(
          [],
        )
      expect((await preflight('tenant')).status).to.equal(401)
    })
  })
})
