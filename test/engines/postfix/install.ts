/**
 * Installs Postfix, Debian's package `postfix`, unless it is there already.
 *
 *     node test/engines/postfix/install.ts
 *
 * Needs Debian or Ubuntu and root. The packaged service is not started: tests start servers of their own. Ends with 1 and
 * says why when it cannot be installed.
 */
import { existsSync } from 'node:fs'
import { installing, installPackage } from '../apt-package.ts'
import { POSTFIX } from './start.ts'

installing('Postfix', async () => {
  if (!existsSync(POSTFIX)) await installPackage('postfix')
  if (!existsSync(POSTFIX)) throw new Error(`the package has not brought ${POSTFIX}`)
  console.log('Postfix is installed')
})
