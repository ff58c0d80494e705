/**
 * docs/recipes.md: its blocks of shell, Python and DuckDB, run as they stand, where the tool is at hand. The packages of Python are
 * installed below `node_modules/.cache`.
 */
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { newFolder, testService, TOKEN, type TestService } from '../support/service.ts'
import { contractBody } from '../system/support/leasing.ts'

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'recipes.md'), 'utf8')
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, block]) => block!)
const [exports, sqlite, replace, ...otherShell] = blocks('sh')
const python = blocks('python')
const [duckdb, ...otherSql] = blocks('sql')

const environment = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'recipes-python')
const PACKAGES = ['pandas==2.3.3', 'pyarrow==22.0.0', 'duckdb==1.4.2', 'openpyxl==3.1.5']

/** Made once, as far as Python and its packages can be had. */
function makeEnvironment(): void {
  const made = join(environment, 'made')
  if (existsSync(made)) return
  const succeeds = (program: string, ...values: string[]) => spawnSync(program, values).status === 0
  if (!succeeds('python3', '-m', 'venv', '--clear', environment)) return
  if (!succeeds(join(environment, 'bin', 'pip'), 'install', '--quiet', ...PACKAGES)) return
  writeFileSync(made, PACKAGES.join('\n'))
}

describe('docs/recipes.md', function () {
  this.timeout(300_000)
  const folder = newFolder()
  const searchPath = `${join(environment, 'bin')}:${process.env['PATH']}`
  let service: TestService

  const run = async (program: string, ...values: string[]): Promise<string> => {
    const [, path] = /`http:\/\/127\.0\.0\.1:3000([^`]*)`/.exec(page)!
    const env = {
      ...process.env,
      PATH: searchPath,
      TOKEN,
      URL: `${service.url}${path}`,
      PYTHONWARNINGS: 'error',
    }
    return (await promisify(execFile)(program, values, { cwd: folder, env })).stdout
  }
  const shell = (script: string) => run('bash', '--norc', '-euo', 'pipefail', '-c', script)

  before(async () => {
    makeEnvironment()
    mkdirSync(folder, { recursive: true })
    service = await testService()
    await service.create('contract', contractBody())
    const { headers } = await service.post('contract', contractBody())
    await service.get('warehouse', { 'Daybook-At-Least': headers.get('Daybook-Position')! })
    await shell(exports!)
  })
  after(async () => {
    await service.discard()
    rmSync(folder, { recursive: true, force: true })
  })

  /** A test that is skipped where a command fails, which says that a tool is at hand. */
  const where = (isThere: string, tool: string, title: string, test: () => Promise<void>) =>
    it(title, async function () {
      if (spawnSync('sh', ['-c', isThere], { env: { ...process.env, PATH: searchPath } }).status !== 0) {
        console.log(`      NOT TESTED: there is no ${tool} on this machine`)
        this.skip()
      }
      await test()
    })

  it('has no block that is not run', () => expect([...otherShell, ...otherSql]).to.deep.equal([]))

  it('replaces a snapshot', async () => {
    await shell(replace!)
    expect(readFileSync(join(folder, 'warehouse.db')).subarray(0, 13).toString()).to.equal('SQLite format')
  })

  it('exports both contracts, in text', () => {
    for (const [file, lines] of [
      ['contracts.csv', 3],
      ['contracts.jsonl', 2],
    ] as const)
      expect(readFileSync(join(folder, file), 'utf8').trim().split('\n'), file).to.have.length(lines)
  })

  where('command -v sqlite3', 'sqlite3', 'asks the snapshot', async () => {
    const said = await shell(sqlite!)
    expect(said).to.match(/^Status,Contracts\r?\nDraft,2\r?\n/)
    expect(said).to.include('wh_Leasing_Contract|MonthlyRent_Amount|')
  })

  where(
    'python3 -c "import pandas, pyarrow"',
    'Python with pandas and pyarrow',
    'is right for pandas',
    async () => {
      expect(python).to.have.length(3)
      for (const block of python) {
        writeFileSync(join(folder, 'block.py'), block)
        const said = await run('python3', 'block.py')
        if (block.includes('def ask')) expect(said).to.match(/Draft\s+2/)
      }
    },
  )

  where('python3 -c "import duckdb"', 'Python with duckdb', 'is right for DuckDB', async () => {
    const statements = duckdb!.split(/;\n/).filter((one) => one.trim() !== '')
    const script = `import duckdb, json, sys\nfor one in json.loads(sys.argv[1]): print(duckdb.sql(one).fetchall())`
    const said = await run('python3', '-c', script, JSON.stringify(statements))
    expect(said.trim().split('\n')).to.have.length(4)
    expect(said).to.match(/\[\(2,\)\]\n\[\(2,\)\]\s*$/)
  })
})
