/** Where the foreign mail server of the tests is: aiosmtpd in an environment of Python of its own, or another that `AIOSMTPD` names. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

export const VERSION = '1.4.6'
export const environment = join(import.meta.dirname, '..', '..', '..', '.cache', `aiosmtpd-${VERSION}`)

/** Undefined when there is none. */
export const aiosmtpd: string | undefined = [
  process.env['AIOSMTPD'],
  join(environment, 'bin', 'aiosmtpd'),
].find((path) => path !== undefined && existsSync(path))
