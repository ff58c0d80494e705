/**
 * Installs the PostgreSQL of the tests, Debian's package `postgresql`, unless it is there already.
 *
 *     node test/engines/postgres/install.ts
 *
 * Needs Debian or Ubuntu and root. The packaged service is not started: tests start servers of their own. Ends with 1 and
 * says why when it cannot be installed.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { installing, installPackage } from '../apt-package.ts'
import { installedVersion, OLDEST } from './binary.ts'

installing('PostgreSQL', async () => {
  const present = await installedVersion()
  if (present !== undefined) {
    console.log(`PostgreSQL ${present} is installed`)
    return
  }
  console.log('installing postgresql; this takes a minute')
  await installPackage('postgresql')
  // The modules are read once a process: ask a new one.
  const { stdout } = await promisify(execFile)('sh', ['-c', 'ls /usr/lib/postgresql'])
  if (!stdout.split('\n').some((version) => Number(version) >= OLDEST))
    throw new Error(`the package is older than PostgreSQL ${OLDEST}`)
  console.log(`PostgreSQL ${stdout.trim()} is installed`)
})
