/** Reads the roles that every company has: `roles.json` beside the applications in a folder of definitions. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Definitions } from '../domain/definition.ts'
import { ROLE_STAND_INS, roleFaults, roleSchema, type Role } from '../rights/role.ts'
import { standIns } from '../shapes/repaired.ts'
import { Findings } from './findings.ts'
import { ROLES_FILE } from './load.ts'
import { readDefinitionFile } from './read-file.ts'

export type Roles = ReadonlyMap<string, Role>

const rolesFile = z.strictObject({
  $schema: z.string().describe('Where editors find the schema of this file.').exactOptional(),
  roles: z.array(roleSchema).max(200),
})

/**
 * The roles by name. A role of a later folder replaces that of the same name of an earlier one; a folder need have none.
 * @param definitions of all objects, also those that the service keeps for itself
 * @throws DefinitionError with every fault of every file
 */
export function loadRoles(folders: readonly string[], definitions: Definitions): Roles {
  const findings = new Findings()
  const roles = readRoles(folders, definitions, findings)
  findings.throwIfAny()
  return roles
}

/** The same; faults are noted. */
export function readRoles(folders: readonly string[], definitions: Definitions, findings: Findings): Roles {
  const files = folders.map((folder) => join(folder, ROLES_FILE)).filter((path) => existsSync(path))
  const roles = files.flatMap((file) => readFile(file, definitions, findings))
  return new Map(roles.map((role) => [role.Name, role]))
}

const STAND_INS = Object.fromEntries(
  Object.entries(ROLE_STAND_INS).map(([path, value]) => [`roles.*.${path}`, value]),
)

function readFile(file: string, definitions: Definitions, findings: Findings): readonly Role[] {
  const json = readDefinitionFile(file, findings)
  const roles = json?.read(rolesFile, standIns(STAND_INS))?.roles ?? []
  const names = roles.map(({ Name }) => Name)
  for (const [index, role] of roles.entries()) {
    for (const { path, reason } of roleFaults(role, definitions))
      json?.report(['roles', index, ...path], reason)
    if (names.indexOf(role.Name) < index)
      json?.report(['roles', index, 'Name'], `the role ${role.Name} appears twice`)
  }
  return roles
}

/** The JSON Schema (draft 7, which editors know best) of the file. */
export function rolesJsonSchema(): object {
  return { title: 'Roles', ...z.toJSONSchema(rolesFile, { target: 'draft-7', io: 'input' }) }
}
