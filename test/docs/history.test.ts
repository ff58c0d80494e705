/** The commands of docs/history.md, run as they stand there. */
import { execFile } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { newFolder, testService, TOKEN, type TestService } from '../support/service.ts'
import { contractBody } from '../system/support/leasing.ts'

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'history.md'), 'utf8')
/** The address that the page names, of the server of the test. */
const address = page.match(/`URL` \(such as `http:\/\/127\.0\.0\.1:3000([^`]*)`\)/)![1]!
const blocks = [...page.matchAll(/^## (.+)\n(?:(?!^## )[\s\S])*?^```sh\n([\s\S]*?)^```/gm)].map(
  ([, title, commands]) => ({ title: title!, commands: commands! }),
)

/** What comes out of each. */
const SAYS: { readonly [title: string]: string } = {
  'What happened to a record': '"From":"as it was","To":"as it is"',
  'What a record was': '"Notes":"as it was"',
  'What a list was': '"Notes":"as it is"',
  'The audit': '"Event":"contract.created"',
  'Following changes': '"HasMore":false',
}

describe('docs/history.md', () => {
  let service: TestService
  let folder: string
  let key: string
  before(async () => {
    folder = newFolder()
    service = await testService()
    key = (await service.create('contract', { ...contractBody(), Notes: 'as it was' })).Id
    await service.patch(`contract/${key}`, { Notes: 'as it is' })
  })
  after(async () => {
    await service.discard()
    rmSync(folder, { recursive: true })
  })

  it('has commands for each thing to ask', () =>
    expect(blocks.map(({ title }) => title)).to.deep.equal(Object.keys(SAYS)))

  for (const { title, commands } of blocks)
    it(`${title}: the commands do what it says`, async () => {
      const script = `set -e\ncurl() { command curl --fail-with-body -sS "$@"; }\n${commands}`
      const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', script], {
        cwd: folder,
        env: { ...process.env, URL: `${service.url}${address}`, TOKEN, KEY: key },
      })
      expect(stdout).not.to.include('"Success":false')
      expect(stdout).to.include(SAYS[title]!)
      if (title === 'The audit')
        expect(readFileSync(join(folder, 'audit.jsonl'), 'utf8'))
          .to.include(key)
          .and.include('contract.updated')
    })
})
