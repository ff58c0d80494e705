/** README.md: what it tells a new user to type, typed. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { readConfig } from '../../src/config.ts'
import { testService, TOKEN, type TestService } from '../support/service.ts'

const root = join(import.meta.dirname, '..', '..')
const page = readFileSync(join(root, 'README.md'), 'utf8')
const scripts = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }).scripts
const run = promisify(execFile)

interface Answer {
  readonly Success: boolean
  readonly Data: unknown
  readonly Error?: { readonly Code: string }
}

describe('README.md', () => {
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.discard())

  it('has commands to try that work as they stand, in the order of their numbers', async () => {
    const commands = page.match(/```sh\n(URL=[\s\S]*?)```/)![1]!
    const local = commands.replace('http://127.0.0.1:3000', service.url)
    expect(local).not.to.equal(commands)
    const { stdout, stderr } = await run('bash', ['--norc', '-euo', 'pipefail', '-c', local], {
      env: { ...process.env, TOKEN },
    })
    expect(stderr).to.equal('')
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Answer)
    const [filtered, found, changed, history, before, submitted, approved, asked] = answers
    expect(answers).to.have.length(8)
    const contract = { MonthlyRent: { Amount: 1200.5, Currency: 'EUR' }, Status: 'Draft' }
    for (const list of [filtered, found]) {
      expect(list?.Data).to.have.length(1)
      expect((list!.Data as object[])[0]).to.deep.include(contract)
    }
    expect(changed?.Data).to.have.deep.property('MonthlyRent', { Amount: 1236, Currency: 'EUR' })
    expect((history!.Data as { Reason: string }[]).map(({ Reason }) => Reason)).to.deep.equal([
      null,
      'indexation',
    ])
    expect(before?.Data).to.deep.include(contract)
    expect(submitted?.Data).to.include({ Status: 'PendingApproval' })
    expect(approved?.Error).to.include({ Code: 'FORBIDDEN' })
    expect((asked!.Data as { Rows: unknown[][] }).Rows[0]).to.include.members(['Zoë O’Brien', 1236])
  })

  it('leads to pages that are there', () => {
    const links = [...page.matchAll(/\]\((?!http)([^)#]+)/g)].map(([, to]) => to!)
    expect(links).to.have.length.above(10)
    for (const to of links) expect(existsSync(join(root, to)), to).to.equal(true)
  })

  it('names scripts that are there, all of those for users', () => {
    const named = new Set([...page.matchAll(/npm (?:run )?([a-z:-]+)/g)].map(([, name]) => name!))
    named.delete('ci')
    expect(scripts).to.include.all.keys(...named)
    const forDevelopers = ['dev', 'prepare', 'types', 'lint', 'format', 'deps', 'engines:install']
    expect([...named, ...forDevelopers]).to.include.all.members(Object.keys(scripts))
  })

  it('names every setting, and none that is not', () => {
    const table = page.slice(page.indexOf('## Settings'), page.indexOf('## Where to go next'))
    const named = [...table.matchAll(/`([A-Z_]+)`/g)].map(([, name]) =>
      name!.startsWith('_') ? `BOOTSTRAP${name}` : name!,
    )
    const source = readFileSync(join(root, 'src', 'config.ts'), 'utf8')
    const settings = [...source.matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map(([, name]) => name!)
    expect(Object.keys(readConfig({}))).to.include.members(['PORT', 'DATA_DIR'])
    expect(named).to.have.members(settings)
  })
})
