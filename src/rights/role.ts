/**
 * A role: a named set of grants (docs/access.md). Roles are data: those of `definitions/roles.json` exist in every company,
 * and each company may have its own (`/api/v1/identity/roles`). Both are checked here.
 */
import { z } from 'zod'
import { fieldOf, type Definitions, type ObjectDefinition } from '../domain/definition.ts'
import { Invalid } from '../domain/errors.ts'
import { parseFilter } from '../domain/filter/parse.ts'

/** Actions of a role; beside them `workflow:<action>`, and `workflow:*` for all of those. */
export const ACTIONS = [
  'read',
  'create',
  'update',
  'delete',
  'import',
  'export',
  'audit',
  'administer',
  'notify',
  'operate',
] as const

const ACTION = new RegExp(`^(${ACTIONS.join('|')}|workflow:(\\*|[a-z][a-zA-Z0-9_-]{0,59}))$`)

const names = (what: string) =>
  z
    .array(z.string().regex(/^[A-Z][A-Za-z0-9]{0,59}$/, 'must be the name of a field'))
    .max(200)
    .refine((list) => new Set(list).size === list.length, { error: 'names a field twice' })
    .describe(what)
    .exactOptional()

const grantSchema = z
  .strictObject({
    Object: z
      .string()
      .max(60)
      .describe('The object: `contract`; or `*` for all, and for what belongs to no object.')
      .exactOptional(),
    Application: z.string().max(60).describe('All objects of an application: `Leasing`.').exactOptional(),
    Actions: z
      .array(z.string().regex(ACTION, `must be one of ${ACTIONS.join(', ')}, workflow:<action>, workflow:*`))
      .min(1)
      .max(100)
      .describe('What may be done.'),
    Rows: z
      .string()
      .min(1)
      .max(4_096)
      .describe("Only records that fulfil this filter: `Status eq 'Active'`. Needs an Object.")
      .exactOptional(),
    ReadFields: names('Only these fields are shown. Needs an Object.'),
    WriteFields: names('Only these fields may be sent. Needs an Object.'),
  })
  .refine((grant) => (grant.Object === undefined) !== (grant.Application === undefined), {
    error: 'must name an Object or an Application',
  })

export const roleSchema = z.strictObject({
  Name: z
    .string()
    .max(60)
    .regex(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/, 'must be lowercase words joined by underscores'),
  Description: z.string().min(1).max(500).exactOptional(),
  Grants: z.array(grantSchema).max(500),
})

export type Role = z.infer<typeof roleSchema>
export type RoleGrant = Role['Grants'][number]

export interface RoleFault {
  readonly path: readonly PropertyKey[]
  readonly reason: string
}

/** The value as a role, or what is wrong with it. `path` leads into the value. */
export function readRole(
  value: unknown,
  definitions: Definitions,
): { readonly role: Role } | { readonly faults: readonly RoleFault[] } {
  const read = roleSchema.safeParse(value, {
    error: (issue) => {
      if (issue.input === undefined) return 'is missing'
      return issue.code === 'unrecognized_keys' ? `has unknown members: ${issue.keys.join(', ')}` : undefined
    },
  })
  if (!read.success)
    return { faults: read.error.issues.map(({ path, message }) => ({ path, reason: message })) }
  const faults = read.data.Grants.flatMap((grant, index) =>
    grantFaults(grant, definitions).map(({ path, reason }) => ({ path: ['Grants', index, ...path], reason })),
  )
  return faults.length > 0 ? { faults } : { role: read.data }
}

/** The roles without the grants that no longer fit the definitions: those grant nothing. */
export function wholeGrants(roles: readonly Role[], definitions: Definitions): readonly Role[] {
  return roles.map((role) => ({
    ...role,
    Grants: role.Grants.filter((grant) => grantFaults(grant, definitions).length === 0),
  }))
}

function grantFaults(grant: RoleGrant, definitions: Definitions): RoleFault[] {
  const { Object: object, Application: application } = grant
  const objects = [...definitions.values()]
  if (application !== undefined && !objects.some((one) => one.application === application))
    return [{ path: ['Application'], reason: `names an unknown application: ${application}` }]
  if (object !== undefined && object !== '*' && !definitions.has(object))
    return [{ path: ['Object'], reason: `names an unknown object: ${object}` }]
  const definition = definitions.get(object ?? '')
  const faults: RoleFault[] = []
  for (const narrowing of ['Rows', 'ReadFields', 'WriteFields'] as const)
    if (grant[narrowing] !== undefined && (!definition || definition.internal))
      faults.push({ path: [narrowing], reason: 'needs an Object that has records' })
  if (!definition || faults.length > 0) return faults
  if (grant.Rows !== undefined) faults.push(...rowFaults(grant.Rows, definition, definitions))
  for (const list of ['ReadFields', 'WriteFields'] as const)
    for (const [index, name] of (grant[list] ?? []).entries())
      if (!fieldOf(definition, name))
        faults.push({ path: [list, index], reason: `${definition.object} has no field ${name}` })
  return faults
}

function rowFaults(rows: string, definition: ObjectDefinition, definitions: Definitions): RoleFault[] {
  try {
    parseFilter(rows, definition, definitions)
    return []
  } catch (error) {
    if (!(error instanceof Invalid)) throw error
    return error.faults.map(({ Message }) => ({ path: ['Rows'], reason: Message }))
  }
}
