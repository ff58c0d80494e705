/** Reads integrations from folders of definitions, `<folder>/integrations/<name>.json`, and checks them completely. */
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { z } from 'zod'
import type { Definitions } from '../domain/definition.ts'
import { integrationFile, type IntegrationDefinition } from '../integrations/definition/integration-schema.ts'
import { checkIntegration } from './checks/check-integration.ts'
import { DefinitionError, type DefinitionFault } from './definition-error.ts'
import { INTEGRATIONS_FOLDER } from './load.ts'
import { readDefinitionFile } from './read-file.ts'

export type Integrations = ReadonlyMap<string, IntegrationDefinition>

/**
 * The integrations by name. One of a later folder replaces that of the same name of an earlier one; a folder need have none.
 * @throws DefinitionError with every fault of every file
 */
export function loadIntegrations(folders: readonly string[], definitions: Definitions): Integrations {
  const faults: DefinitionFault[] = []
  const integrations = new Map<string, IntegrationDefinition>()
  for (const file of folders.flatMap(filesOf)) {
    const integration = readIntegration(file, definitions, faults)
    if (integration) integrations.set(integration.integration, integration)
  }
  if (faults.length > 0) throw new DefinitionError(faults)
  return integrations
}

function filesOf(folder: string): readonly string[] {
  const path = join(folder, INTEGRATIONS_FOLDER)
  if (!existsSync(path)) return []
  const names = readdirSync(path).filter((name) => name.endsWith('.json') && !name.startsWith('.'))
  return names.sort().map((name) => join(path, name))
}

function readIntegration(
  file: string,
  definitions: Definitions,
  faults: DefinitionFault[],
): IntegrationDefinition | undefined {
  const json = readDefinitionFile(file, faults)
  if (!json) return undefined
  const read = integrationFile.safeParse(json.value)
  if (!read.success) {
    for (const issue of read.error.issues) json.report(issue.path, reasonOf(issue))
    return undefined
  }
  checkIntegration(read.data, definitions, json.report)
  if (read.data.integration !== basename(file, '.json'))
    json.report(['integration'], `must be ${basename(file, '.json')}, as the file is named`)
  return read.data
}

function reasonOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `unknown key ${issue.keys.join(', ')}`
  if (issue.code === 'invalid_union') return 'has none of the forms that stand here'
  return issue.message
}

/** The JSON Schema (draft 7, which editors know best) of the file. */
export function integrationJsonSchema(): object {
  return { title: 'Integration', ...z.toJSONSchema(integrationFile, { target: 'draft-7', io: 'input' }) }
}
