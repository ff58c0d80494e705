/**
 * The built package in every place where it is to run: this Node, the oldest one that it names, Chromium on the service's own origin
 * and on another one, which may send two headers only. And its types under TypeScript 5.
 */
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { chromium as playwright } from 'playwright-core'
import { chromium } from '../engines/chromium/binary.ts'
import { newFolder, testService, TOKEN, type TestService } from '../support/service.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..', '..')
const PACKAGE = join(ROOT, 'clients', 'typescript')
const CHECKS = join(ROOT, 'test', 'clients', 'everywhere')
const TYPESCRIPT_5 = join(ROOT, 'node_modules', '.cache', 'typescript-5')
/** An application's own origin; nothing is there but what the test puts there. */
const ELSEWHERE = 'http://app.example'

const EXPECTED = {
  found: [true],
  etags: ['"1"', '"2"'],
  refused: [
    [true, 'Conflict', ['Duration', 'EndDate']],
    [true, 'Invalid', 'Nope'],
    [true, 'NotFound'],
  ],
  reasons: [null, 'påslag — 𝒳'],
  past: null,
  once: true,
  created: 130,
  listed: 130,
  imported: ['Completed', 1],
  asked: [['one', 'none'], [[1, null]]],
  exported: true,
  status: 'PendingApproval',
  flipped: 'UntrustedWebhook',
  hidden: true,
}

/** Bytes that a registry would send. */
const MOST_PACKED = 60 * 1024

/** A Node of version 20, where there is one. */
const node20 = ['/usr/bin/node', '/usr/local/bin/node', process.env['NODE20'] ?? ''].find(
  (path) => existsSync(path) && execFileSync(path, ['--version'], { encoding: 'utf8' }).startsWith('v20.'),
)

describe('the client everywhere', function () {
  this.timeout(120_000)
  const built = newFolder()
  let service: TestService
  before(async () => {
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
    execFileSync(process.execPath, [tsc, '--project', join(PACKAGE, 'tsconfig.json'), '--outDir', built])
    writeFileSync(join(built, 'package.json'), '{"type":"module"}')
    service = await testService({ settings: { APP_ORIGIN: ELSEWHERE } })
  })
  after(() => service?.discard())

  for (const [what, node] of [
    ['this Node', process.execPath],
    ['Node 20', node20],
  ] as const)
    it(`does in ${what} what it should`, async function () {
      if (node === undefined) {
        console.log('      NOT TESTED: there is no Node 20 on this machine; NODE20 can say where')
        this.skip()
      }
      const name = what.replace(' ', '-')
      const { stdout } = await run(node, [
        join(CHECKS, 'in-node.js'),
        join(built, 'index.js'),
        service.url,
        TOKEN,
        name,
      ])
      expect(JSON.parse(stdout)).to.deep.equal(EXPECTED)
    })

  for (const [what, originOf] of [
    ["the service's own origin", () => service.url],
    ['another origin', () => ELSEWHERE],
  ] as const)
    it(`does in Chromium, on ${what}, what it should`, async function () {
      if (chromium === undefined) {
        console.log('      NOT TESTED: there is no Chromium on this machine')
        this.skip()
      }
      const browser = await playwright.launch({
        executablePath: chromium,
        // Otherwise a page from elsewhere may not reach into this machine at all.
        args: [
          '--no-sandbox',
          '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests',
        ],
      })
      try {
        const page = await browser.newPage()
        await page.route(`${originOf()}/client-here/**`, (route) => {
          const [, path = ''] = route.request().url().split('/client-here/')
          if (path === '') return route.fulfill({ contentType: 'text/html', body: '<!doctype html>' })
          const file = path === 'checks.js' ? join(CHECKS, path) : join(built, path)
          return route.fulfill({ contentType: 'text/javascript', body: readFileSync(file, 'utf8') })
        })
        await page.goto(`${originOf()}/client-here/`)
        const given = JSON.stringify({ url: service.url, token: TOKEN, name: `from-${what.length}` })
        const answer = await page.evaluate(
          `Promise.all([import('./index.js'), import('./checks.js')]).then(([client, { found }]) => found(client, ${given}))`,
        )
        // A page without TLS has no crypto.subtle to verify by.
        const flipped = originOf() === ELSEWHERE ? 'TypeError' : EXPECTED.flipped
        expect(answer).to.deep.equal({ ...EXPECTED, flipped })
      } finally {
        await browser.close()
      }
    })

  it(`is packed into at most ${MOST_PACKED / 1024} KB of JavaScript and types, and depends on nothing`, async () => {
    const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: PACKAGE })
    const [packed] = JSON.parse(stdout) as [
      { readonly size: number; readonly files: readonly { readonly path: string }[] },
    ]
    expect(packed.size).to.be.within(10_000, MOST_PACKED)
    const paths = packed.files.map(({ path }) => path)
    expect(paths).to.include('dist/index.js').and.to.include('dist/index.d.ts')
    expect(paths.filter((path) => /(?<!\.d)\.ts$/.test(path))).to.deep.equal([])
    expect(JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'))).not.to.have.property(
      'dependencies',
    )
  })

  it('compiles under TypeScript 5, as it does under 6', async function () {
    const tsc = join(TYPESCRIPT_5, 'node_modules', 'typescript', 'bin', 'tsc')
    if (!existsSync(tsc)) {
      mkdirSync(TYPESCRIPT_5, { recursive: true })
      writeFileSync(join(TYPESCRIPT_5, 'package.json'), '{}')
      try {
        await run('npm', ['install', '--no-audit', '--no-fund', 'typescript@5.9.3'], { cwd: TYPESCRIPT_5 })
      } catch {
        console.log('      NOT TESTED: TypeScript 5 cannot be installed here')
        this.skip()
      }
    }
    const use = join(built, 'use.ts')
    writeFileSync(
      use,
      `import { Daybook, eur, where } from './index.js'
       const daybook = new Daybook({ url: 'http://127.0.0.1', token: 'x' })
       export const made = daybook.records('contract').create({ MonthlyRent: eur(1) })
       export const listed = daybook.records('contract').list({ filter: where\`Status eq \${'Active'}\` })
       // @ts-expect-error a filter is no number
       daybook.records('contract').list({ filter: 1 })`,
    )
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--lib',
      'es2023,dom,dom.iterable',
    ]
    await run(process.execPath, [tsc, ...options, use]).catch((error: { stdout: string }) => {
      expect.fail(error.stdout)
    })
  })
})
