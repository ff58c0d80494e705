/**
 * Installs the MQTT broker of the tests, Debian's package `mosquitto`, unless it is there already.
 *
 *     node test/engines/mosquitto/install.ts
 *
 * Needs Debian or Ubuntu and root. The packaged service is not started: tests start brokers of their own. Ends with 1 and
 * says why when it cannot be installed.
 */
import { existsSync } from 'node:fs'
import { installing, installPackage } from '../apt-package.ts'
import { MOSQUITTO } from './start.ts'

installing('Mosquitto', async () => {
  if (!existsSync(MOSQUITTO)) await installPackage('mosquitto')
  if (!existsSync(MOSQUITTO)) throw new Error(`the package has not brought ${MOSQUITTO}`)
  console.log('Mosquitto is installed')
})
