/** HTTPS only (docs/interface.md#transport): by TLS here, or by a proxy that is known to end it. */
import { readFileSync, writeFileSync, copyFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { expect } from 'chai'
import type { Request } from 'express'
import { clientAddress } from '../../../src/api/http/transport.ts'
import { readConfig } from '../../../src/config.ts'
import { startService, type Service } from '../../../src/compose/start-service.ts'
import { rawRequest } from '../../system/support/raw-http.ts'
import { newFolder, testService, TOKEN, type HeaderValues, type TestService } from '../../support/service.ts'
import { rmSync } from 'node:fs'

const FIXTURES = join(import.meta.dirname, '..', '..', 'support', 'tls')
const HSTS = 'Strict-Transport-Security'

describe('behind a proxy', () => {
  let service: TestService

  afterEach(() => service.discard())

  const through = async (TRUST_PROXY: string) => {
    service = await testService({ settings: { TRUST_PROXY } })
  }
  const https = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '203.0.113.7' }

  it('what came by HTTPS is served, and told to come so for ever', async () => {
    await through('loopback')
    const answer = await service.list('tenant', {}, https)
    expect([answer.status, answer.headers.get(HSTS)]).to.deep.equal([200, 'max-age=63072000'])
    expect((await service.get('/nope', https)).headers.get(HSTS)).to.equal('max-age=63072000')
  })

  it('what came by plain HTTP is refused, before anything is looked at', async () => {
    await through('1')
    for (const path of ['tenant', '/docs', '/nope']) {
      const answer = await service.get(path, {
        ...https,
        'X-Forwarded-Proto': 'http',
        Authorization: 'Bearer x',
      })
      expect([answer.status, answer.error.Code, answer.headers.get(HSTS)]).to.deep.equal([
        403,
        'FORBIDDEN',
        null,
      ])
    }
  })

  it('health is told to probes', async () => {
    await through('loopback')
    expect((await service.get('health/ready', { 'X-Forwarded-Proto': 'http' })).status).to.equal(200)
  })

  it('what is asked on the machine itself is served as it is', async () => {
    await through('10.0.0.0/8')
    const answer = await service.list('tenant')
    expect([answer.status, answer.headers.get(HSTS)]).to.deep.equal([200, null])
  })

  it('one that is not known is not believed', async () => {
    await through('10.0.0.0/8')
    expect((await service.list('tenant', {}, https)).headers.get(HSTS)).to.equal(null)
  })

  it('numbers are not served to those who come through it, but to operators', async () => {
    await through('loopback')
    expect((await service.get('/metrics', { Authorization: '' })).status).to.equal(200)
    expect((await service.get('/metrics', { ...https, Authorization: '' })).status).to.equal(401)
    expect((await service.get('/metrics', https)).status).to.equal(200)
  })

  it('numbers are not served through one that nobody has named, either', async () => {
    service = await testService()
    const asked = async (headers: HeaderValues) =>
      (await service.get('/metrics', { Authorization: '', ...headers })).status
    expect(await asked({ 'X-Request-Id': 'x', 'X-Other': 'x' })).to.equal(200)
    for (const header of [
      ...['X-Forwarded-For', 'X-Forwarded-Proto', 'X-Forwarded-Host', 'X-Forwarded-Port', 'Forwarded', 'Via'],
      ...['X-Real-IP', 'X-Client-IP', 'True-Client-IP', 'CF-Connecting-IP', 'X-Original-Forwarded-For'],
    ])
      expect(await asked({ [header]: 'x' }), header).to.equal(401)
  })

  it('numbers are not served to those who ask for another host than this machine', async () => {
    service = await testService()
    const asked = async (Host: string) =>
      (await rawRequest(service.url, `GET /metrics HTTP/1.1\r\nHost: ${Host}\r\nConnection: close\r\n\r\n`))
        ?.status
    for (const Host of ['localhost', 'LOCALHOST:80', '127.0.0.1:3000', '127.1.2.3', '[::1]:3000'])
      expect(await asked(Host), Host).to.equal(200)
    for (const Host of [
      'daybook.example.com',
      'localhost.example.com',
      '127.0.0.1.example.com',
      '10.0.0.1',
      '',
    ])
      expect(await asked(Host), Host).to.equal(401)
  })
})

describe('the address of a client', () => {
  const seen = (remoteAddress: string, ip = remoteAddress) =>
    clientAddress({ ip, socket: { remoteAddress } } as unknown as Request)

  it('is that of the connection', () => {
    expect(seen('192.0.2.1')).to.equal('192.0.2.1')
    expect(seen('::ffff:192.0.2.1')).to.equal('192.0.2.1')
  })

  it('is the network of an IPv6 address, however it is written', () => {
    for (const address of [
      '2001:db8:1:2::1',
      '2001:0db8:0001:0002:ffff:ffff:ffff:ffff',
      '2001:DB8:1:2:0:0:0:9',
      '[2001:db8:1:2::7]:443',
    ])
      expect(seen('127.0.0.1', address), address).to.equal('2001:db8:1:2::/64')
    expect(seen('::1')).to.equal('0:0:0:0::/64')
    expect(seen('fe80::1%eth0')).to.equal('fe80:0:0:0::/64')
  })

  it('has no port, and is none of a client’s inventions', () => {
    expect(seen('10.0.0.1', '203.0.113.9:51234')).to.equal('203.0.113.9')
    for (const invented of ['unknown', 'x'.repeat(1_000), '', '1.2.3', '999.1.1.1'])
      expect(seen('10.0.0.1', invented)).to.equal('10.0.0.1')
  })
})

describe('TLS', () => {
  let folder: string
  let service: Service | undefined
  const logged: string[] = []

  const settings = () => ({
    PORT: '0',
    DATA_DIR: join(folder, 'data'),
    BOOTSTRAP_TOKEN: TOKEN,
    TLS_CERT: join(folder, 'cert.pem'),
    TLS_KEY: join(folder, 'key.pem'),
  })
  const use = (name: string) => {
    for (const part of ['cert', 'key'])
      copyFileSync(join(FIXTURES, `${name}-${part}.pem`), join(folder, `${part}.pem`))
  }
  const start = async () => {
    const note = (_fields: object, message: string) => void logged.push(message)
    service = await startService(readConfig(settings()), {
      log: { debug: () => {}, info: note, warn: note, error: note },
      clock: { now: () => Date.now(), elapsed: () => performance.now() },
      onFatal: (reason) => {
        throw new Error(reason)
      },
    })
  }
  const get = (path: string, ca: string) =>
    new Promise<{ status: number | undefined; hsts: string | undefined }>((resolve, reject) => {
      const sent = httpsRequest(
        `${service!.url}${path}`,
        {
          ca: readFileSync(join(FIXTURES, `${ca}-cert.pem`)),
          agent: false,
          headers: { Authorization: `Bearer ${TOKEN}` },
        },
        (answer) => {
          answer.resume()
          resolve({ status: answer.statusCode, hsts: answer.headers['strict-transport-security'] })
        },
      )
      sent.once('error', reject)
      sent.end()
    })

  beforeEach(() => {
    folder = newFolder()
    logged.length = 0
  })
  afterEach(async () => {
    await service?.stop()
    service = undefined
    rmSync(folder, { recursive: true, force: true })
  })

  it('is spoken with the certificate that the settings name', async () => {
    use('first')
    await start()
    expect(service!.url).to.match(/^https:\/\/127\.0\.0\.1:\d+$/)
    expect(await get('/api/v1/tenant', 'first')).to.deep.equal({ status: 200, hsts: 'max-age=63072000' })
  })

  it('takes a new certificate without a restart, and keeps the old one when the new one is of no use', async () => {
    use('first')
    await start()
    writeFileSync(join(folder, 'key.pem'), 'nonsense')
    service!.renewCertificate()
    expect(logged).to.deep.equal(['the new certificate cannot be used; the old one is kept'])
    expect(await get('/docs', 'first')).to.include({ status: 200 })
    use('second')
    service!.renewCertificate()
    expect(await get('/docs', 'second')).to.include({ status: 200 })
    const refused = await get('/docs', 'first').catch((error: NodeJS.ErrnoException) => error.code)
    expect(refused).to.equal('DEPTH_ZERO_SELF_SIGNED_CERT')
  })

  it('is version 1.2 or later', async () => {
    use('first')
    await start()
    const { port } = new URL(service!.url)
    const refused = await new Promise<string>((resolve) => {
      const socket = connect(
        {
          port: Number(port),
          maxVersion: 'TLSv1.1',
          minVersion: 'TLSv1',
          rejectUnauthorized: false,
          ciphers: 'ALL:@SECLEVEL=0',
        },
        () => resolve('spoken'),
      )
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
    })
    expect(refused).to.match(/^ERR_SSL_|^ECONNRESET/)
  })

  it('stops the start when its files are of no use, naming setting and file', async () => {
    const refusal = async () => {
      try {
        await start()
      } catch (error) {
        return (error as Error).message
      }
      throw new Error('it started')
    }
    expect(await refusal()).to.match(/^TLS_CERT: .*cert\.pem/)
    use('first')
    copyFileSync(join(FIXTURES, 'second-key.pem'), join(folder, 'key.pem'))
    expect(await refusal()).to.match(
      /^TLS_CERT and TLS_KEY: .*cert\.pem and .*key\.pem are not a certificate and its key/,
    )
  })
})
