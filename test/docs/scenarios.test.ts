/** The pages of the eight integrations: each sets its scenario up by commands that are run here as they stand, and says what belongs to whom. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { testService, TOKEN, type TestService } from '../support/service.ts'
import { anchorsOf, textOf } from './prose.ts'

/** What the last command shows, where the commands of the page are run here; those of others in `bank.test.ts` and `commands.test.ts`. */
const PAGES: Readonly<Record<string, RegExp | undefined>> = {
  'integrations/leads': /"ConsentText":"You may write to me\."/,
  'integrations/accounting': /"Did":"created"[\s\S]*"Status":"Received"/,
  bank: undefined,
  'integrations/employees': /"Name":"Ann Lee"[\s\S]*"Status":"Active"/,
  sensors: undefined,
  'integrations/documents': /"Did":"created"[\s\S]*"FileName":"Lease.pdf"/,
  'integrations/payments': /"Amount":\{"Amount":1200.5,"Currency":"EUR"\}/,
  'integrations/campaigns': /"ConsentStatus":"Unsubscribed"/,
}

describe('the page of a scenario', function () {
  this.timeout(60_000)
  const pages = Object.keys(PAGES)
  let service: TestService
  let folder: string
  before(async () => {
    service = await testService()
    folder = mkdtempSync(join(tmpdir(), 'daybook-scenarios-'))
  })
  after(async () => {
    await service.discard()
    rmSync(folder, { recursive: true })
  })

  const runAsItStands = async (commands: string): Promise<string> => {
    const local = commands.replace('http://127.0.0.1:3000', service.url)
    expect(local).not.to.equal(commands)
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', local], {
      cwd: folder,
      env: { ...process.env, TOKEN },
      timeout: 50_000,
    })
    return stdout.trimEnd()
  }

  it('is listed, each, in integrations.md', () => {
    const rows = textOf('docs/integrations.md')
      .split('\n')
      .filter((line) => line.startsWith('|'))
    const listed = rows.flatMap((row) => pages.find((page) => row.includes(`(${page}.md)`)) ?? [])
    expect(listed).to.deep.equal(pages)
  })

  for (const page of pages)
    it(`says who owns what, and the limits: ${page}.md`, () =>
      expect(anchorsOf(textOf(`docs/${page}.md`))).to.include.members(['who-owns-what', 'limits']))

  for (const [page, shown] of Object.entries(PAGES)) {
    if (!shown) continue
    it(`has commands that set it up: ${page}.md`, async () => {
      const [, commands = ''] = /```sh\n(URL=[\s\S]*?)```/.exec(textOf(`docs/${page}.md`)) ?? []
      const said = await runAsItStands(commands)
      expect(said).not.to.include('"Success":false')
      expect(said.slice(said.lastIndexOf('\n') + 1)).to.match(shown)
    })
  }
})
