/** The SCIM server, judged by scim2-tester. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { scimTester } from '../../engines/scim-tester/binary.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { directory, SCIM_TOKEN, type Directory } from '../scim/directory.ts'

const run = promisify(execFile)

interface Check {
  readonly status: 'SUCCESS' | 'COMPLIANT' | 'ACCEPTABLE' | 'DEVIATION' | 'ERROR' | 'CRITICAL' | 'SKIPPED'
  readonly title: string
  readonly reason: string
}

/** docs/scim.md#what-scim2-tester-says has each of them. */
const EXCEPTIONS: readonly ((check: Check) => boolean)[] = [
  // Removing the whole extension leaves the number that every employee has.
  ({ title, reason }) =>
    title === 'check_remove_attribute' && /attribute 'urn:[\w.:]+:enterprise:2\.0:User'$/.test(reason),
  // The one address that is kept is the primary one, also where the tester says by chance that it is not.
  ({ reason }) => /for 'emails'/.test(reason) && /Patched value: .*primary=False/.test(reason),
]

const judged = suiteOf(
  'the SCIM server by scim2-tester',
  scimTester === undefined ? 'npm run engines:install installs it, where there is Python' : undefined,
)

judged('a directory, as scim2-tester sees it', function () {
  this.timeout(120_000)
  let server: Directory
  before(async () => {
    server = await directory()
  })
  after(() => server.service.discard())

  it('finds nothing but what is written down', async () => {
    const program = join(import.meta.dirname, '..', '..', 'engines', 'scim-tester', 'run.py')
    const address = `${server.service.url}/api/v1/scim/v2/${server.integration.Id}`
    const { stdout } = await run(scimTester!, [program, address, SCIM_TOKEN])
    const checks = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Check)
    const bad = checks.filter(({ status }) => !['SUCCESS', 'COMPLIANT', 'ACCEPTABLE'].includes(status))
    const unknown = bad.filter((check) => !EXCEPTIONS.some((isKnown) => isKnown(check)))
    expect(unknown.map(({ status, title, reason }) => `${status} ${title}: ${reason}`)).to.deep.equal([])
    expect(checks.length - bad.length).to.be.greaterThan(50)
    expect(server.service.logged).to.deep.equal([])
  })
})
