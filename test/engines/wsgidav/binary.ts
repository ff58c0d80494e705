/** Where the WebDAV server of the tests is: WsgiDAV in an environment of Python of its own, or another that `WSGIDAV` names. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

export const VERSION = '4.4.0'
/** The web server that it runs on. */
export const CHEROOT = '11.1.2'
export const environment = join(import.meta.dirname, '..', '..', '..', '.cache', `wsgidav-${VERSION}`)

/** Undefined when there is none. */
export const wsgidav: string | undefined = [process.env['WSGIDAV'], join(environment, 'bin', 'wsgidav')].find(
  (path) => path !== undefined && existsSync(path),
)

/** What has to be done to have it; undefined when it is there. */
export const missing =
  wsgidav === undefined ? 'there is no WsgiDAV: npm run engines:install brings it' : undefined
