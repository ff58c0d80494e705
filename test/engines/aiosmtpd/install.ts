/**
 * Installs the foreign mail server of the tests, aiosmtpd, into the repository's `.cache`, unless it is there already.
 *
 *     node test/engines/aiosmtpd/install.ts
 *
 * Needs Python 3 with venv. Ends with 1 and says why when it cannot be installed.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { aiosmtpd, environment, VERSION } from './binary.ts'

const run = promisify(execFile)

async function install(): Promise<void> {
  if (aiosmtpd !== undefined) {
    console.log(`aiosmtpd is installed: ${aiosmtpd}`)
    return
  }
  await run('python3', ['-m', 'venv', environment])
  await run(join(environment, 'bin', 'pip'), ['install', '-q', `aiosmtpd==${VERSION}`])
  console.log('aiosmtpd is installed')
}

install().catch((error: unknown) => {
  const { message, stderr } = error as { message?: string; stderr?: string }
  console.error(`aiosmtpd cannot be installed: ${stderr?.trim() || message}`)
  process.exitCode = 1
})
