/** Where scim2-tester is: in an environment of Python of its own. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The tester, and what it sends requests by. */
export const PACKAGES = [
  'scim2-tester==0.5.2',
  'scim2-client==0.13.2',
  'scim2-models==0.12.3',
  'httpx2==2.16.2',
]
export const environment = join(import.meta.dirname, '..', '..', '..', '.cache', 'scim2-tester-0.5.2')

const python = join(environment, 'bin', 'python')
/** Written last. */
export const mark = join(environment, 'installed')

/** Its Python; undefined when it is not installed. */
export const scimTester: string | undefined = existsSync(mark) ? python : undefined
