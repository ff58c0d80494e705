/**
 * Installs the OpenSSH server of the tests, Debian's package `openssh-server`, unless it is there already.
 *
 *     node test/engines/openssh/install.ts
 *
 * Needs Debian or Ubuntu and root. The packaged service is not started: tests start servers of their own. Ends with 1 and
 * says why when it cannot be installed.
 */
import { existsSync } from 'node:fs'
import { installing, installPackage } from '../apt-package.ts'
import { SSHD } from './start.ts'

installing('OpenSSH', async () => {
  if (!existsSync(SSHD)) await installPackage('openssh-server')
  if (!existsSync(SSHD)) throw new Error(`the package has not brought ${SSHD}`)
  console.log('OpenSSH is installed')
})
