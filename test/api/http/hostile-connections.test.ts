/** HTTP that no decent client speaks: on the bytes of the connection itself. */
import { expect } from 'chai'
import { testService, TOKEN, type TestService } from '../../support/service.ts'
import { eventually } from '../../system/support/eventually.ts'
import { head, rawConnection, rawRequest, type RawConnection } from '../../system/support/raw-http.ts'
import { expectRefusal } from '../../system/support/refusal.ts'

describe('a hostile connection', () => {
  let service: TestService

  before(async () => {
    service = await testService()
  })
  after(() => service.discard())

  afterEach(async () => {
    expect((await service.list('tenant')).pagination.TotalRecords).to.equal(0)
  })

  const json = (length: number) => ['Content-Type: application/json', `Content-Length: ${length}`]
  const chunked = ['Content-Type: application/json', 'Transfer-Encoding: chunked']
  const post = 'POST /api/v1/tenant HTTP/1.1'
  const get = 'GET /api/v1/tenant HTTP/1.1'

  describe('is refused in the Error wrapper', () => {
    const requests: { readonly [what: string]: readonly [string, readonly number[]] } = {
      'a line feed in a header value': [head(get, 'Daybook-Reason: a\nb'), [400]],
      'a carriage return in a header value': [head(get, 'Daybook-Reason: a\rb'), [400]],
      'a NUL in a header value': [head(get, 'Daybook-Reason: a\u0000b'), [400]],
      'a header without a name': [head(get, ': x'), [400]],
      'a header name with a blank': [head(get, 'X Y: z'), [400]],
      'no HTTP at all': ['\x16\x03\x01\x02\x00\x01\r\n\r\n', [400]],
      'a method that nobody knows': [head('FROBNICATE /api/v1/tenant HTTP/1.1'), [400, 405]],
      'a path without a slash': [head('GET api/v1/tenant HTTP/1.1'), [400]],
      'a path with a NUL': [head('GET /api/v1/ten\u0000ant HTTP/1.1'), [400]],
      'a path with bytes that are not ASCII': [head('GET /api/v1/ten\u00e9 HTTP/1.1'), [400, 404]],
      'headers of 20 KB': [head(get, `X-Large: ${'x'.repeat(20_000)}`), [431]],
      'a path of 20 KB': [head(`GET /api/v1/tenant/${'x'.repeat(20_000)} HTTP/1.1`), [431]],
      'two lengths': [head(post, ...json(2), 'Content-Length: 3') + '{}', [400]],
      'a length that is no number': [head(post, 'Content-Length: abc'), [400]],
      'a negative length': [head(post, 'Content-Length: -1'), [400]],
      'a length and chunks': [head(post, ...json(2), 'Transfer-Encoding: chunked') + '0\r\n\r\n', [400]],
      'chunks of no length': [head(post, ...chunked) + 'zz\r\n{}\r\n0\r\n\r\n', [400]],
      'chunks of an unknown coding': [head(post, 'Transfer-Encoding: rot13') + '{}', [400, 415]],
      'a coding beside chunks': [
        head(post, 'Content-Type: application/json', 'Transfer-Encoding: gzip, chunked') + '0\r\n\r\n',
        [400],
      ],
      'a coding that does nothing beside chunks': [
        head(post, 'Content-Type: application/json', 'Transfer-Encoding: identity, chunked') +
          'c\r\n{"Name":"x"}\r\n0\r\n\r\n',
        [400],
      ],
      'two Hosts': [head(get, 'host: y', 'Connection: close'), [400]],
      'no Host': [`${get}\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`, [400]],
      'an expectation that nobody fulfils': [head(get, 'Expect: the-unexpected', 'Connection: close'), [417]],
    }
    for (const [what, [bytes, statuses]] of Object.entries(requests))
      it(`for ${what}`, async () => {
        expectRefusal(await rawRequest(service.url, bytes), statuses, what)
      })
  })

  it('learns nothing by TRACE', async () => {
    const answer = await rawRequest(
      service.url,
      head('TRACE /api/v1/tenant HTTP/1.1', 'X-Secret: s3cret', 'Connection: close'),
    )
    expectRefusal(answer, [405], 'TRACE')
    expect(answer?.text).not.to.include('s3cret')
  })

  it('cannot turn the service into a proxy', async () => {
    const bytes = head('GET http://127.0.0.1:9/secret HTTP/1.1', 'Connection: close')
    expectRefusal(await rawRequest(service.url, bytes), [400, 404], 'an absolute address')
    const tunnel = await rawRequest(service.url, head('CONNECT 127.0.0.1:9 HTTP/1.1'))
    expect(tunnel === undefined || tunnel.status >= 400, 'CONNECT').to.equal(true)
  })

  it('is refused with two tokens, whichever suits', async () => {
    const twice = (...tokens: string[]) =>
      [
        get,
        'Host: x',
        ...tokens.map((token) => `Authorization: Bearer ${token}`),
        'Connection: close',
        '',
        '',
      ].join('\r\n')
    for (const other of ['wrong-token-0123456789', TOKEN]) {
      expectRefusal(await rawRequest(service.url, twice(other, TOKEN)), [400], 'two tokens')
      expectRefusal(await rawRequest(service.url, twice(TOKEN, other)), [400], 'two tokens')
    }
  })

  it('is answered request by request when it does not wait for answers', async () => {
    const connection = await rawConnection(service.url)
    connection.write(
      `${head(get)}${head('GET /nope HTTP/1.1')}${head(post, ...json(2))}{}${head(get, 'Connection: close')}`,
    )
    const statuses: (number | undefined)[] = []
    for (let i = 0; i < 4; i++) statuses.push((await connection.answer())?.status)
    expect(statuses).to.deep.equal([200, 404, 400, 200])
    expect(await connection.answer()).to.equal(undefined)
  })

  it('writes nothing when it is cut off within a body', async () => {
    const body = '{"Name":"Never sent whole"}'
    for (const start of [
      head(post, ...json(body.length)) + body.slice(0, -1),
      head(post, ...json(body.length + 1)) + body,
      head(post, ...chunked) + `${body.length.toString(16)}\r\n${body}\r\n`,
      head(post, ...chunked) + `ff\r\n${body}`,
      head(post, ...json(body.length)),
    ]) {
      const connection = await rawConnection(service.url)
      connection.write(start)
      // Another request in between: the first has been seen by then.
      expect((await service.list('tenant')).status).to.equal(200)
      await connection.destroy()
    }
  })

  it('holds up nobody with a slow body', async () => {
    const body = '{"Nope":"slow"}'
    const slow: RawConnection[] = []
    for (let i = 0; i < 50; i++) {
      const connection = await rawConnection(service.url)
      connection.write(head(post, ...json(body.length), 'Connection: close'))
      connection.write(body.slice(0, 5))
      slow.push(connection)
    }
    for (let i = 0; i < 20; i++) expect((await service.list('tenant')).status).to.equal(200)
    for (const connection of slow) {
      for (const byte of body.slice(5)) connection.write(byte)
      expectRefusal(await connection.answer(), [400], 'the slow body in the end')
    }
  })

  it('holds up nobody by never reading its answers', async () => {
    const deaf = await rawConnection(service.url, { deaf: true })
    for (let i = 0; i < 200; i++) deaf.write(head('GET /api/v1/openapi.json HTTP/1.1'))
    for (let i = 0; i < 20; i++) expect((await service.list('tenant')).status).to.equal(200)
    await deaf.destroy()
  })

  it('is told when its body is too large before it has sent it all', async () => {
    const connection = await rawConnection(service.url)
    connection.write(head(post, ...json(1_000_000_000)))
    connection.write('x'.repeat(1_000))
    expectRefusal(await connection.answer(), [413], 'a length of 1 GB')
    await connection.destroy()
  })

  it('is told when its chunks grow too large', async () => {
    const connection = await rawConnection(service.url)
    connection.write(head(post, ...chunked))
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
    for (let i = 0; i < 20; i++) connection.write(chunk)
    expectRefusal(await connection.answer(), [413], 'chunks of 1.25 MB')
    await connection.destroy()
  })

  it('is told when its token is wrong before it has sent its body', async () => {
    const connection = await rawConnection(service.url)
    connection.write(
      [post, 'Host: x', 'Authorization: Bearer wrong-token-0123456789', ...json(1_000_000), '', ''].join(
        '\r\n',
      ),
    )
    expectRefusal(await connection.answer(), [401], 'a wrong token')
    await connection.destroy()
  })

  it('leaves room for others however often it comes', async () => {
    const many = await Promise.all(Array.from({ length: 300 }, () => rawConnection(service.url)))
    for (const connection of many) connection.write(`${get}\r\nHost: x\r\n`)
    await eventually('a decent client is answered', async () =>
      expect((await service.list('tenant')).status).to.equal(200),
    )
    await Promise.all(many.map((connection) => connection.destroy()))
  })

  describe('afterwards', () => {
    it('nothing has gone wrong inside', () =>
      expect(service.logged.filter(({ level }) => level === 'error')).to.deep.equal([]))
  })
})
