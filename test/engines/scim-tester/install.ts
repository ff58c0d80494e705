/**
 * Installs scim2-tester, which asks a server what RFC 7643 and 7644 want, into the repository's `.cache`, unless it is there
 * already.
 *
 *     node test/engines/scim-tester/install.ts
 *
 * Needs Python 3.11 with venv. Ends with 1 and says why when it cannot be installed.
 */
import { writeFileSync } from 'node:fs'
import { installPython } from '../python-package.ts'
import { environment, mark, PACKAGES, scimTester } from './binary.ts'

await installPython({
  name: 'scim2-tester',
  found: scimTester,
  environment,
  packages: PACKAGES,
  installed: () => writeFileSync(mark, ''),
})
