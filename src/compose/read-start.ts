/** What can be wrong with a start without any engine: settings, definitions, roles, the certificate. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { commonHeaders } from '../api/http/common-headers.ts'
import type { Config } from '../config.ts'
import { loadAll } from '../definitions/load-all.ts'
import { withInternal } from './parts/definitions.ts'
import { checkServerUrls } from './server-urls.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** @throws Error that names the setting or file */
export async function readStart(config: Config) {
  await checkServerUrls(config)
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  const defined = loadAll(definitionFolders(config), withInternal)
  const tls =
    config.TLS_CERT !== undefined && config.TLS_KEY !== undefined
      ? { certificate: config.TLS_CERT, key: config.TLS_KEY }
      : undefined
  const headers = commonHeaders(config.APP_ORIGIN)
  return { version, ...defined, tls, headers }
}

/** What is shipped, then what the operator has. @throws Error that names the setting */
export function definitionFolders({ DEFINITIONS_DIR: own }: Pick<Config, 'DEFINITIONS_DIR'>): string[] {
  if (own !== undefined && !statSync(own, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`DEFINITIONS_DIR: there is no folder ${own}`)
  return [join(ROOT, 'definitions'), ...(own === undefined ? [] : [own])]
}
