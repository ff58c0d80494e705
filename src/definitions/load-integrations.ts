/** Reads integrations from folders of definitions, `<folder>/integrations/<name>.json`, and checks them completely. */
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { z } from 'zod'
import type { Definitions } from '../domain/definition.ts'
import { integrationFile, type IntegrationDefinition } from '../integrations/definition/integration-schema.ts'
import { standIns } from '../shapes/repaired.ts'
import { checkIntegration } from './checks/check-integration.ts'
import { Findings } from './findings.ts'
import { readFitting, type LeftOut } from './left-out.ts'
import { INTEGRATIONS_FOLDER } from './load.ts'
import { readDefinitionFile } from './read-file.ts'

export type Integrations = ReadonlyMap<string, IntegrationDefinition>

/**
 * The integrations by name. One of a later folder replaces that of the same name of an earlier one; a folder need have none.
 * @throws DefinitionError with every fault of every file
 */
export function loadIntegrations(folders: readonly string[], definitions: Definitions): Integrations {
  const findings = new Findings()
  const integrations = readIntegrations(folders, definitions, findings)
  findings.throwIfAny()
  return integrations
}

/** The same; faults are noted, and what is shipped and does not fit the objects of a later folder is left out. */
export function readIntegrations(
  folders: readonly string[],
  definitions: Definitions,
  findings: Findings,
  leftOut: LeftOut[] = [],
): Integrations {
  const read = (file: string, found: Findings) => readIntegration(file, definitions, found)
  const nameOf = ({ integration }: IntegrationDefinition) => integration
  return readFitting(folders.map(filesOf), { what: 'integration', nameOf, read }, findings, leftOut)
}

function filesOf(folder: string): readonly string[] {
  const path = join(folder, INTEGRATIONS_FOLDER)
  if (!existsSync(path)) return []
  const names = readdirSync(path).filter((name) => name.endsWith('.json') && !name.startsWith('.'))
  return names.sort().map((name) => join(path, name))
}

/** For an integration with faults. */
const STAND_INS = {
  scenario: 'other',
  title: 'unreadable',
  description: 'unreadable',
  'receive.*.map.*.set': {},
}

function readIntegration(
  file: string,
  definitions: Definitions,
  findings: Findings,
): IntegrationDefinition | undefined {
  const json = readDefinitionFile(file, findings)
  const integration = json?.read(
    integrationFile,
    standIns({ ...STAND_INS, integration: basename(file, '.json') }),
  )
  if (!json || !integration) return undefined
  checkIntegration(integration, definitions, (path, reason) => json.report(path, reason))
  if (integration.integration !== basename(file, '.json'))
    json.report(['integration'], `must be ${basename(file, '.json')}, as the file is named`)
  return integration
}

/** The JSON Schema (draft 7, which editors know best) of the file. */
export function integrationJsonSchema(): object {
  return { title: 'Integration', ...z.toJSONSchema(integrationFile, { target: 'draft-7', io: 'input' }) }
}
