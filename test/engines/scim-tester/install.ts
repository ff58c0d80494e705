/**
 * Installs scim2-tester, which asks a server what RFC 7643 and 7644 want, into the repository's `.cache`, unless it is there
 * already.
 *
 *     node test/engines/scim-tester/install.ts
 *
 * Needs Python 3.11 with venv. Ends with 1 and says why when it cannot be installed.
 */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { environment, mark, PACKAGES, scimTester } from './binary.ts'

const run = promisify(execFile)

async function install(): Promise<void> {
  if (scimTester !== undefined) {
    console.log(`scim2-tester is installed: ${scimTester}`)
    return
  }
  await run('python3', ['-m', 'venv', environment])
  await run(join(environment, 'bin', 'pip'), ['install', '-q', ...PACKAGES])
  writeFileSync(mark, '')
  console.log('scim2-tester is installed')
}

install().catch((error: unknown) => {
  const { message, stderr } = error as { message?: string; stderr?: string }
  console.error(`scim2-tester cannot be installed: ${stderr?.trim() || message}`)
  process.exitCode = 1
})
