/** Reads the roles that every company has: `roles.json` beside the applications in a folder of definitions. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Definitions } from '../domain/definition.ts'
import { readRole, roleSchema, type Role } from '../rights/role.ts'
import { DefinitionError, type DefinitionFault } from './definition-error.ts'
import { ROLES_FILE } from './load.ts'
import { readDefinitionFile } from './read-file.ts'

export type Roles = ReadonlyMap<string, Role>

const rolesFile = z.strictObject({
  $schema: z.string().describe('Where editors find the schema of this file.').exactOptional(),
  roles: z.array(z.unknown()).max(200),
})

/**
 * The roles by name. A role of a later folder replaces that of the same name of an earlier one; a folder need have none.
 * @param definitions of all objects, also those that the service keeps for itself
 * @throws DefinitionError with every fault of every file
 */
export function loadRoles(folders: readonly string[], definitions: Definitions): Roles {
  const faults: DefinitionFault[] = []
  const roles = new Map<string, Role>()
  for (const file of folders.map((folder) => join(folder, ROLES_FILE)).filter((path) => existsSync(path)))
    for (const role of readFile(file, definitions, faults)) roles.set(role.Name, role)
  if (faults.length > 0) throw new DefinitionError(faults)
  return roles
}

function readFile(file: string, definitions: Definitions, faults: DefinitionFault[]): readonly Role[] {
  const json = readDefinitionFile(file, faults)
  if (!json) return []
  const { report } = json
  const read = rolesFile.safeParse(json.value)
  if (!read.success) {
    for (const { path, message } of read.error.issues) report(path, message)
    return []
  }
  const names = new Set<string>()
  return read.data.roles.flatMap((value, index) => {
    const checked = readRole(value, definitions)
    if ('faults' in checked) {
      for (const { path, reason } of checked.faults) report(['roles', index, ...path], reason)
      return []
    }
    const { Name } = checked.role
    if (names.has(Name)) report(['roles', index, 'Name'], `the role ${Name} appears twice`)
    names.add(Name)
    return [checked.role]
  })
}

/** The JSON Schema (draft 7, which editors know best) of the file. */
export function rolesJsonSchema(): object {
  const file = rolesFile.extend({ roles: z.array(roleSchema).max(200) })
  return { title: 'Roles', ...z.toJSONSchema(file, { target: 'draft-7', io: 'input' }) }
}
