/** One POST: bounded in every way, to the address that was checked and no other. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import type { lookup as systemLookup } from 'node:dns'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { httpSender } from '../../../src/adapters/http/sender.ts'
import type { HttpSender, Post } from '../../../src/ports/http-sender.ts'
import { startReceiver, type Receiver } from '../../webhooks/receiver.ts'

const loopback = (address: string) => address.startsWith('127.')

/** Resolves names by a list of answers, one after the other; the last again and again. */
const names = (...answers: readonly (readonly string[])[]) => {
  const asked: string[] = []
  const lookup = ((hostname: string, _options: object, callback: (...result: unknown[]) => void) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)]!
    asked.push(hostname)
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }) as unknown as typeof systemLookup
  return { lookup, asked }
}

describe('the HTTP sender', () => {
  let receiver: Receiver
  let sender: HttpSender
  const raw: { server: Server; sockets: Set<Socket> }[] = []
  beforeEach(async () => {
    receiver = await startReceiver()
    sender = httpSender({ mayConnect: loopback })
  })
  afterEach(async () => {
    sender.close()
    await receiver.stop()
    for (const { server, sockets } of raw.splice(0)) {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  })

  const post = (more: Partial<Post> = {}, by = sender) =>
    by.post({
      url: `${receiver.url}/hook`,
      headers: { A: 'b' },
      body: '{"ä":1}',
      timeoutMs: 5_000,
      maxReplyBytes: 65_536,
      ...more,
    })

  /** A server that does with each connection what it is told; answers its URL. */
  const rawServer = async (work: (socket: Socket) => void) => {
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
      work(socket)
    })
    raw.push({ server, sockets })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }
  const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n'
  const later = (socket: Socket, work: () => void, ms: number) => {
    const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : work()), ms)
    socket.on('close', () => clearInterval(timer))
  }

  it('sends the bytes and headers, and answers what came back', async () => {
    receiver.answer((_request, response) => void response.writeHead(202, { 'X-Some': 'thing' }).end('taken'))
    const outcome = await post()
    expect(outcome).to.deep.include({ status: 202, body: 'taken' })
    expect('headers' in outcome && outcome.headers['x-some']).to.equal('thing')
    expect(receiver.received[0]?.text).to.equal('{"ä":1}')
    expect(receiver.received[0]?.headers).to.include({ a: 'b', 'content-length': '8' })
  })

  it('uses a connection again', async () => {
    for (let i = 0; i < 5; i++) await post()
    expect(receiver.connections()).to.equal(1)
  })

  it('uses as many again as were used at once', async () => {
    const atOnce = () => Promise.all(Array.from({ length: 150 }, () => post()))
    await atOnce()
    const made = receiver.connections()
    await atOnce()
    expect(receiver.connections()).to.equal(made)
  })

  it('follows no redirect', async () => {
    receiver.answer(
      (_request, response) => void response.writeHead(307, { Location: `${receiver.url}/elsewhere` }).end(),
    )
    expect(await post()).to.include({ status: 307 })
    expect(receiver.received).to.have.length(1)
  })

  it('reads so much of an answer and no more', async () => {
    const url = await rawServer((socket) => {
      socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`)
      later(socket, () => socket.write(`1000\r\n${'x'.repeat(4_096)}\r\n`), 1)
    })
    const outcome = await post({ url, maxReplyBytes: 10_000 })
    expect(outcome).to.include({ status: 200, body: 'x'.repeat(10_000) })
  })

  const bounded: readonly [string, (socket: Socket) => void][] = [
    ['is silent', () => {}],
    [
      'says its headers byte by byte',
      (socket) => {
        let said = 0
        later(socket, () => socket.write(`${HEAD}X-Long: ${'x'.repeat(1_000)}`[said++] ?? ''), 20)
      },
    ],
    [
      'says its body byte by byte',
      (socket) => {
        socket.write(`${HEAD}Content-Length: 1000\r\n\r\n`)
        later(socket, () => socket.write('x'), 20)
      },
    ],
  ]
  for (const [what, work] of bounded)
    it(`waits so long for a receiver that ${what}`, async () => {
      const began = performance.now()
      const outcome = await post({ url: await rawServer(work), timeoutMs: 300 })
      expect(outcome).to.deep.equal({ error: 'no complete answer in 0.3 s' })
      expect(performance.now() - began).to.be.lessThan(5_000)
    })

  it('takes an answer that was whole, whatever its receiver sent after it', async () => {
    const answers = {
      'HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok': { status: 204, body: '' },
      'HTTP/1.1 204 No Content\r\n\r\n<html></html>': { status: 204, body: '' },
      [`${HEAD}Content-Length: 2\r\n\r\nok\r\nand more\r\n`]: { status: 200, body: 'ok' },
    }
    for (const [answer, expected] of Object.entries(answers)) {
      const url = await rawServer((socket) => void socket.once('data', () => socket.write(answer)))
      expect(await post({ url }), answer).to.deep.include(expected)
    }
  })

  it('takes 101 for an answer, and does not wait for what a new protocol would bring', async () => {
    for (const headers of ['Upgrade: websocket\r\nConnection: Upgrade\r\n', '']) {
      const answer = `HTTP/1.1 101 Switching Protocols\r\n${headers}\r\n`
      const url = await rawServer((socket) => void socket.once('data', () => socket.write(answer)))
      expect(await post({ url }), headers).to.include({ status: 101 })
    }
  })

  it('says why there was no answer', async () => {
    const reset = await rawServer((socket) => socket.resetAndDestroy())
    expect(await post({ url: reset })).to.deep.equal({ error: 'the connection was reset' })
    const garbage = await rawServer((socket) => void socket.end('nonsense\r\n\r\n'))
    expect(await post({ url: garbage })).to.have.property('error')
    const cut = await rawServer((socket) => void socket.end(`${HEAD}Content-Length: 10\r\n\r\nabc`))
    expect(await post({ url: cut })).to.have.property('error')
    const { url } = receiver
    await receiver.stop()
    expect(await post({ url })).to.deep.equal({ error: 'the connection was refused', unsent: true })
  })

  it('replaces a kept connection that its server has closed', async () => {
    let connections = 0
    const url = await rawServer((socket) => {
      const first = ++connections === 1
      let requests = 0
      socket.on('data', () => {
        // The first connection takes one request, and is reset when it gets another.
        if (first && ++requests > 1) socket.resetAndDestroy()
        else socket.write(`${HEAD}Content-Length: 0\r\nConnection: keep-alive\r\n\r\n`)
      })
    })
    expect(await post({ url })).to.include({ status: 200 })
    expect(await post({ url })).to.include({ status: 200 })
    expect(connections).to.equal(2)
  })

  describe('connects to what it may only', () => {
    const inside = (url: string, by: HttpSender) => post({ url }, by)
    const to = (host: string) => `http://${host}:${receiver.port}/`

    it('not to an address that the URL names', async () => {
      const strict = httpSender({ mayConnect: () => false })
      for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '[::1]', 'localhost'])
        expect(await inside(to(host), strict), host).to.have.property('error')
      expect(receiver.connections()).to.equal(0)
      strict.close()
    })

    it('not to what a name leads to', async () => {
      const { lookup, asked } = names(['127.0.0.1', '::1'])
      const strict = httpSender({ mayConnect: () => false, lookup })
      const outcome = await inside(to('hooks.example'), strict)
      expect('error' in outcome && outcome.error).to.match(/(no|not an) address that deliveries may reach/)
      expect(asked).to.deep.equal(['hooks.example'])
      expect(receiver.connections()).to.equal(0)
      strict.close()
    })

    it('not to what a name leads to the next moment: the address that was checked is the one', async () => {
      const { lookup, asked } = names(['93.184.216.34'], ['127.0.0.1'])
      const strict = httpSender({ mayConnect: (address) => !loopback(address), lookup })
      const outcome = await post({ url: to('rebinding.example'), timeoutMs: 300 }, strict)
      expect(outcome).to.have.property('error')
      const second = await post({ url: to('rebinding.example'), timeoutMs: 300 }, strict)
      expect(second).to.have.property('error')
      expect(asked.length).to.be.greaterThanOrEqual(2)
      expect(receiver.connections()).to.equal(0)
      strict.close()
    })

    it('but to an allowed one among several', async () => {
      const { lookup } = names(['10.0.0.1', '127.0.0.1'])
      const some = httpSender({ mayConnect: loopback, lookup })
      expect(await inside(to('hooks.example'), some)).to.include({ status: 204 })
      some.close()
    })

    it('and tells http from https', async () => {
      const secure: boolean[] = []
      const some = httpSender({
        mayConnect: (_address, isSecure) => {
          secure.push(isSecure)
          return false
        },
      })
      await inside(`http://127.0.0.1:${receiver.port}/`, some)
      await inside(`https://127.0.0.1:${receiver.port}/`, some)
      expect(secure).to.deep.equal([false, true])
      some.close()
    })
  })

  it('trusts no certificate that it does not know', async () => {
    const folder = join(import.meta.dirname, '..', '..', 'support', 'tls')
    const [key, cert] = ['first-key.pem', 'first-cert.pem'].map((file) =>
      readFileSync(join(folder, file), 'utf8'),
    )
    const server = createTlsServer({ key, cert }, (_request, response) => void response.writeHead(204).end())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const { lookup } = names(['127.0.0.1'])
    const url = `https://localhost:${port}/`
    const strict = httpSender({ mayConnect: loopback, lookup })
    expect(await post({ url }, strict)).to.have.property('error')
    const trusting = httpSender({ mayConnect: loopback, lookup, ca: cert })
    expect(await post({ url }, trusting)).to.include({ status: 204 })
    for (const one of [strict, trusting]) one.close()
    server.closeAllConnections()
    server.close()
  })

  it('uses no proxy, whatever the environment says', async () => {
    const proxied = await startReceiver()
    const module = pathToFileURL(
      join(import.meta.dirname, '..', '..', '..', 'src', 'adapters', 'http', 'sender.ts'),
    ).href
    const script = `const { httpSender } = await import(${JSON.stringify(module)})
      const sender = httpSender({ mayConnect: () => true })
      const post = { url: ${JSON.stringify(receiver.url)}, headers: {}, body: '{}', timeoutMs: 5000, maxReplyBytes: 10 }
      console.log(JSON.stringify(await sender.post(post)))
      sender.close()`
    const { url } = proxied
    const proxies = { HTTP_PROXY: url, http_proxy: url, HTTPS_PROXY: url, ALL_PROXY: url }
    const env = { ...process.env, NODE_USE_ENV_PROXY: '1', ...proxies }
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      env,
    })
    expect(JSON.parse(stdout)).to.include({ status: 204 })
    expect(proxied.connections()).to.equal(0)
    await proxied.stop()
  })

  it('ends what is under way when it is closed, and says so', async () => {
    receiver.answer(() => {})
    const waiting = post()
    await receiver.got(1)
    sender.close()
    expect(await waiting).to.include({ aborted: true })
    expect(await post()).to.include({ aborted: true })
  })
})
