/** Everything that folders of definitions hold, checked as one: what is wrong is said all at once. */
import type { Definitions } from '../domain/definition.ts'
import type { Triggers } from '../notifications/triggers.ts'
import { Findings } from './findings.ts'
import type { LeftOut } from './left-out.ts'
import { readDefinitions } from './load.ts'
import { readIntegrations, type Integrations } from './load-integrations.ts'
import { readRoles, type Roles } from './load-roles.ts'
import { readTriggers } from './load-triggers.ts'

export interface AllDefinitions {
  /** What files define. */
  readonly definitions: Definitions
  /** Beside them what the service keeps for itself. */
  readonly all: Definitions
  readonly triggers: Triggers
  readonly integrations: Integrations
  readonly roles: Roles
  /** What is shipped and does not fit objects of a later folder. */
  readonly leftOut: readonly LeftOut[]
}

/** @throws DefinitionError with every fault of every file */
export function loadAll(
  folders: readonly string[],
  withInternal: (definitions: Definitions) => Definitions,
): AllDefinitions {
  const findings = new Findings()
  const leftOut: LeftOut[] = []
  const definitions = readDefinitions(folders, findings)
  const all = withInternal(definitions)
  const triggers = readTriggers(folders, definitions, findings, leftOut)
  const integrations = readIntegrations(folders, definitions, findings, leftOut)
  const roles = readRoles(folders, all, findings)
  findings.throwIfAny()
  return { definitions, all, triggers, integrations, roles, leftOut }
}
