/** Where the browser of the tests is: Debian's package `chromium`, or another that `CHROMIUM` names. */
import { existsSync } from 'node:fs'

/** Undefined when there is none. */
export const chromium: string | undefined = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path))
