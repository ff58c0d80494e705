/** What can be wrong with a start without any engine: settings, definitions, roles, the certificate. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commonHeaders } from '../api/http/common-headers.ts'
import type { Config } from '../config.ts'
import { loadDefinitions } from '../definitions/load.ts'
import { loadIntegrations } from '../definitions/load-integrations.ts'
import { loadRoles } from '../definitions/load-roles.ts'
import { loadTriggers } from '../definitions/load-triggers.ts'
import { withInternal } from './parts/definitions.ts'
import { checkServerUrls } from './server-urls.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** @throws Error that names the setting or file */
export async function readStart(config: Config) {
  await checkServerUrls(config)
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  const folders = [join(ROOT, 'definitions'), ...(config.DEFINITIONS_DIR ? [config.DEFINITIONS_DIR] : [])]
  const definitions = loadDefinitions(folders)
  const all = withInternal(definitions)
  const tls =
    config.TLS_CERT !== undefined && config.TLS_KEY !== undefined
      ? { certificate: config.TLS_CERT, key: config.TLS_KEY }
      : undefined
  const headers = commonHeaders(config.APP_ORIGIN)
  const triggers = loadTriggers(folders, definitions)
  const integrations = loadIntegrations(folders, definitions)
  return { version, definitions, all, triggers, integrations, roles: loadRoles(folders, all), tls, headers }
}
