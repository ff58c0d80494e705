/**
 * Installs the foreign mail server of the tests, aiosmtpd, into the repository's `.cache`, unless it is there already.
 *
 *     node test/engines/aiosmtpd/install.ts
 *
 * Needs Python 3 with venv. Ends with 1 and says why when it cannot be installed.
 */
import { installPython } from '../python-package.ts'
import { aiosmtpd, environment, VERSION } from './binary.ts'

await installPython({ name: 'aiosmtpd', found: aiosmtpd, environment, packages: [`aiosmtpd==${VERSION}`] })
