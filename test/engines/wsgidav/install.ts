/**
 * Installs the WebDAV server of the tests, WsgiDAV, into the repository's `.cache`, unless it is there already.
 *
 *     node test/engines/wsgidav/install.ts
 *
 * Needs Python 3 with venv. Ends with 1 and says why when it cannot be installed.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CHEROOT, environment, VERSION, wsgidav } from './binary.ts'

const run = promisify(execFile)

async function install(): Promise<void> {
  if (wsgidav !== undefined) {
    console.log(`WsgiDAV is installed: ${wsgidav}`)
    return
  }
  await run('python3', ['-m', 'venv', environment])
  await run(join(environment, 'bin', 'pip'), [
    'install',
    '-q',
    `wsgidav==${VERSION}`,
    `cheroot==${CHEROOT}`,
    'defusedxml==0.7.1',
  ])
  console.log('WsgiDAV is installed')
}

install().catch((error: unknown) => {
  const { message, stderr } = error as { message?: string; stderr?: string }
  console.error(`WsgiDAV cannot be installed: ${stderr?.trim() || message}`)
  process.exitCode = 1
})
