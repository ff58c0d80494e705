/** How the console is served: its policy, its assets, its size, and what happens where it is not built. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import express from 'express'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { consoleRoutes } from '../../../src/api/console/console.ts'
import { consoleFiles, type ConsoleFiles } from '../../../src/api/console/files.ts'
import { problemHandler } from '../../../src/api/http/problems.ts'
import { setArrival } from '../../../src/api/http/send.ts'
import { testService } from '../../support/service.ts'
import { firstLoad, isBuilt } from './built.ts'

const MOST_FIRST_BYTES = 350 * 1024

/** A server of nothing but the console. */
async function serving(files: ConsoleFiles | undefined) {
  const app = express()
  app.use((_request, response, next) => {
    setArrival(response, { id: 'x', at: 0, now: 0, common: ['Cache-Control', 'no-store'], more: [] })
    next()
  })
  app.use(consoleRoutes(files))
  const quiet = { debug() {}, info() {}, warn() {}, error() {} }
  app.use(problemHandler(quiet, () => true))
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    get: (path: string, headers = {}) => fetch(`${url}${path}`, { headers }),
    close: () => server.close(),
  }
}

describe('the console as it is served', () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-console-'))
  let served: Awaited<ReturnType<typeof serving>>
  before(async () => {
    mkdirSync(join(folder, 'assets'))
    writeFileSync(join(folder, 'secret.js'), 'not for anyone')
    writeFileSync(join(folder, 'index.html'), '<script src="./assets/a-1.js" nonce="__NONCE__"></script>')
    writeFileSync(join(folder, 'assets', 'a-1.js'), 'let a')
    writeFileSync(join(folder, 'assets', 'a-1.js.gz'), 'packed')
    writeFileSync(join(folder, 'assets', 'a-1.exe'), 'of no known type')
    symlinkSync(join(folder, 'secret.js'), join(folder, 'assets', 'link.js'))
    served = await serving(consoleFiles(folder))
  })
  after(() => {
    served?.close()
    rmSync(folder, { recursive: true })
  })

  it('has a page at every path, with the way to its assets and a nonce of its own', async () => {
    const nonces = new Set<string>()
    for (const [path, base] of [
      ['/console', 'console/assets/'],
      ['/console/warehouse', 'assets/'],
      ['/console/records/contract/contract-0', '../../assets/'],
    ] as const) {
      const answer = await served.get(path)
      const policy = answer.headers.get('Content-Security-Policy')!
      const nonce = /'nonce-([^']+)'/.exec(policy)![1]!
      nonces.add(nonce)
      expect(await answer.text()).to.equal(`<script src="${base}a-1.js" nonce="${nonce}"></script>`)
      expect(policy)
        .to.include("default-src 'none'")
        .and.include("script-src 'self';")
        .and.include("frame-ancestors 'none'")
      expect(policy).not.to.match(/unsafe/)
      expect(answer.headers.get('Cache-Control')).to.equal('no-store')
    }
    expect(nonces.size).to.equal(3)
    expect((await served.get(`/console${'/x'.repeat(20)}`)).status).to.equal(404)
  })

  it('has assets that browsers keep, packed for those that take them so', async () => {
    const packed = await served.get('/console/assets/a-1.js', { 'Accept-Encoding': 'identity' })
    expect(await packed.text()).to.equal('let a')
    expect(packed.headers.get('Cache-Control')).to.equal('public, max-age=31536000, immutable')
    expect(packed.headers.get('Content-Type')).to.equal('text/javascript; charset=utf-8')
    expect(packed.headers.get('Vary')).to.equal('Accept-Encoding')
    const tag = packed.headers.get('ETag')!
    const again = await served.get('/console/assets/a-1.js', {
      'If-None-Match': tag,
      'Accept-Encoding': 'identity',
    })
    expect([again.status, await again.text()]).to.deep.equal([304, ''])
  })

  it('has nothing else: no other path, no other type, nothing that a link leads to', async () => {
    for (const name of [
      '..%2fsecret.js',
      '%2e%2e%2fsecret.js',
      'link.js',
      'a-1.exe',
      'a-1.js.gz',
      'a-1.js%00',
      '__proto__',
      'constructor',
    ])
      expect((await served.get(`/console/assets/${name}`)).status, name).to.equal(404)
  })

  it('says how to build it where it is not built', async () => {
    const none = await serving(consoleFiles(join(folder, 'nowhere')))
    const answer = await none.get('/console')
    expect(answer.status).to.equal(503)
    expect(await answer.text()).to.include('npm run build --workspace console')
    expect((await none.get('/console/assets/a-1.js')).status).to.equal(404)
    none.close()
  })

  it('is where browsers are led, and programs are not', async () => {
    const service = await testService()
    const lead = async (accept: string) =>
      (await service.get('/', { Accept: accept })).headers.get('Location')
    expect(await lead('text/html,application/xhtml+xml')).to.equal('console')
    expect(await lead('*/*')).to.equal('docs')
    await service.discard()
  })

  it(`loads at most ${MOST_FIRST_BYTES / 1024} KB at first`, function () {
    if (!isBuilt) {
      console.log('      NOT TESTED: the size of the console; npm ci builds it')
      this.skip()
    }
    expect(firstLoad()).to.be.within(50_000, MOST_FIRST_BYTES)
  })
})
