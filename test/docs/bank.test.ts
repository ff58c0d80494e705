/** docs/bank.md: its example, run as it stands. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { testService, TOKEN, type TestService } from '../support/service.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/bank.md'), 'utf8')

describe('docs/bank.md', function () {
  this.timeout(60_000)
  let service: TestService
  let folder: string
  before(async () => {
    service = await testService()
    folder = mkdtempSync(join(tmpdir(), 'daybook-bank-page-'))
  })
  after(async () => {
    await service.discard()
    rmSync(folder, { recursive: true })
  })

  it('has an example that does what it says', async () => {
    const [, commands = ''] = /```sh\n(URL=[\s\S]*?)```/.exec(page) ?? []
    const local = commands.replace('http://127.0.0.1:3000', service.url)
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', local], {
      cwd: folder,
      env: { ...process.env, TOKEN },
    })
    expect(stdout).not.to.include('"Success":false')
    const { list } = await service.list('banktransaction', { sort: '-Amount' })
    expect(list.map(({ Status, MatchRule }) => [Status, MatchRule])).to.deep.equal([
      ['Matched', 'reference'],
      ['Matched', 'by-hand'],
    ])
    const invoices = (await service.list('invoice')).list
    expect(invoices.map(({ Status }) => Status)).to.deep.equal(['Paid', 'Paid'])
    const statements = (await service.list('bankstatement')).list
    expect(statements.map(({ Check, Lines }) => [Check, Lines])).to.deep.equal([['Ok', 2]])
  })
})
