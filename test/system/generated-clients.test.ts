/**
 * Clients that generators make of the OpenAPI document, by the commands of docs/clients.md, are used against the service:
 * upserts, filters, `expand`, writes, refusals. The generators are installed below `node_modules/.cache`; where one cannot be
 * had, its test says so and is passed over.
 */
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { newFolder, testService, TOKEN, type TestService } from '../support/service.ts'

const root = join(import.meta.dirname, '..', '..')
const programs = join(root, 'test', 'clients', 'generated')
const cache = join(root, 'node_modules', '.cache', 'generators')
const PYTHON = 'openapi-python-client==0.29.0'
const GO = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'
const OPENAPI_GENERATOR = 'org.openapitools:openapi-generator-cli:7.14.0'
const jar = join(cache, 'openapi-generator-cli-7.14.0.jar')
const GO_RUNTIME = 'github.com/oapi-codegen/runtime@v1.8.0'

const run = async (command: string, given: readonly string[], cwd: string, more: NodeJS.ProcessEnv = {}) =>
  (await promisify(execFile)(command, [...given], { cwd, env: { ...process.env, ...more }, maxBuffer: 1e8 }))
    .stdout

describe('clients that are generated', function () {
  this.timeout(600_000)
  let service: TestService
  let folder: string
  before(async () => {
    mkdirSync(cache, { recursive: true })
    folder = newFolder()
    service = await testService()
  })
  after(async () => {
    await service.discard()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Runs what the page has under that comment, beside what is installed for tests. */
  const generate = async (title: string) => {
    const page = readFileSync(join(root, 'docs', 'clients.md'), 'utf8')
    const [, command] = new RegExp(`\`\`\`sh\n# ${title}.*\n([^\`]+)\`\`\``).exec(page) ?? []
    if (command === undefined) throw new Error(`docs/clients.md has no command for ${title}`)
    const shim = `openapi-generator-cli() { java -jar '${jar}' "$@"; }`
    const PATH = [join(cache, 'python', 'bin'), cache, process.env['PATH']].join(':')
    await run('bash', ['-euc', `${shim}\n${command}`], folder, { URL: `${service.url}/api/v1`, PATH })
  }

  /** Passes the test over, and says why, where the generator cannot be had. */
  const had = async (test: Mocha.Context, what: string, install: () => Promise<unknown>): Promise<void> => {
    try {
      await install()
    } catch (error) {
      console.log(`      ${what} cannot be had here: ${(error as Error).message.split('\n')[0]}`)
      test.skip()
    }
  }

  it('by openapi-python-client, in Python', async function () {
    const bin = join(cache, 'python', 'bin')
    await had(this, PYTHON, async () => {
      if (existsSync(join(bin, 'openapi-python-client'))) return
      await run('python3', ['-m', 'venv', 'python'], cache)
      await run(join(bin, 'pip'), ['install', '--quiet', PYTHON], cache)
    })
    await generate('Python')
    const program = [join(programs, 'use.py'), service.url, TOKEN]
    expect(await run(join(bin, 'python3'), program, folder, { PYTHONPATH: folder })).to.equal('used\n')
  })

  it('by oapi-codegen, in Go', async function () {
    await had(this, GO, () => run('go', ['install', GO], cache, { GOBIN: cache }))
    const client = join(folder, 'client')
    mkdirSync(client)
    await generate('Go')
    copyFileSync(join(programs, 'use.go'), join(folder, 'main.go'))
    await run('go', ['mod', 'init', 'daybook'], folder)
    await run('go', ['get', GO_RUNTIME], folder)
    expect(await run('go', ['run', '.', service.url, TOKEN], folder)).to.equal('used\n')
  })

  describe('by openapi-generator', () => {
    before(async function () {
      await had(this, OPENAPI_GENERATOR, async () => {
        await run('java', ['-version'], cache)
        if (existsSync(jar)) return
        const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy'
        await run('mvn', ['-q', copy, `-Dartifact=${OPENAPI_GENERATOR}`, `-DoutputDirectory=${cache}`], cache)
      })
    })

    it('in TypeScript', async () => {
      await generate('TypeScript')
      const project = join(folder, 'typescript')
      copyFileSync(join(programs, 'use.ts.txt'), join(project, 'use.ts'))
      writeFileSync(join(project, 'package.json'), '{"type": "module"}')
      const options = {
        target: 'es2022',
        module: 'nodenext',
        lib: ['es2022', 'dom'],
        types: ['node'],
        strict: true,
      }
      const here = { typeRoots: [join(root, 'node_modules', '@types')], allowImportingTsExtensions: true }
      const output = { rewriteRelativeImportExtensions: true, skipLibCheck: true, outDir: 'out' }
      const compilerOptions = { ...options, ...here, ...output }
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['use.ts'] }))
      const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
      await run(process.execPath, [tsc, '-p', project], folder)
      expect(await run(process.execPath, ['out/use.js', service.url, TOKEN], project)).to.equal('used\n')
    })

    it('in Java', async function () {
      await generate('Java')
      const project = join(folder, 'java')
      await had(this, 'what its Java needs', () =>
        run('mvn', ['-q', 'dependency:build-classpath', '-Dmdep.outputFile=classpath'], project),
      )
      const classpath = `${readFileSync(join(project, 'classpath'), 'utf8').trim()}:out`
      const sources = globSync('src/main/**/*.java', { cwd: project })
      copyFileSync(join(programs, 'Use.java'), join(project, 'Use.java'))
      writeFileSync(join(project, 'sources'), [...sources, 'Use.java'].join('\n'))
      await run('javac', ['-nowarn', '-d', 'out', '-cp', classpath, '@sources'], project)
      const use = await run('java', ['-cp', classpath, 'Use', service.url, TOKEN], project)
      expect(use).to.equal('used\n')
    })
  })
})
