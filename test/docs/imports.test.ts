/** docs/imports.md: its five examples, run as they stand. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { testService, TOKEN, type TestService } from '../support/service.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/imports.md'), 'utf8')

describe('docs/imports.md', function () {
  this.timeout(60_000)
  let service: TestService
  let folder: string
  before(async () => {
    service = await testService()
    folder = mkdtempSync(join(tmpdir(), 'daybook-imports-page-'))
  })
  after(async () => {
    await service.discard()
    rmSync(folder, { recursive: true })
  })

  const run = async (commands: string): Promise<string> => {
    const local = commands.replace('http://127.0.0.1:3000', service.url)
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', local], {
      cwd: folder,
      env: { ...process.env, TOKEN },
    })
    return stdout
  }

  it('has five examples that do what they say', async () => {
    const [, commands = ''] = /```sh\n(URL=[\s\S]*?)```/.exec(page) ?? []
    expect(commands.match(/^# [1-5]\. /gm)).to.have.length(5)
    const stdout = await run(commands)
    const names = (await service.list('tenant', { sort: 'Name' })).list.map(({ Name }) => Name)
    expect(names).to.deep.equal(['Ann Lee', 'Bob', 'Carl'])
    const [contract] = (await service.list('contract', {}, {})).list
    expect(contract).to.deep.include({
      MonthlyRent: { Amount: 1234.5, Currency: 'EUR' },
      StartDate: '2031-04-13',
    })
    expect(stdout).to.include('Email must be an e-mail address')
    expect(stdout).to.match(/2,Created,tenant-/)
  })

  it('exports contracts and imports them, which changes nothing', async () => {
    const [, preamble = ''] = /```sh\n(URL=[\s\S]*?)\n\n/.exec(page) ?? []
    const [, commands = ''] = /## There and back\n\n```sh\n([\s\S]*?)```/.exec(page) ?? []
    await run(`${preamble}\n${commands}`)
    const { list } = await service.list('imports', { filter: "Object eq 'contract'", sort: '-CreatedAt' })
    expect(list[0]!['Counts']).to.include({ Unchanged: 1, Updated: 0, Created: 0, Failed: 0 })
  })
})
