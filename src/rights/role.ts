/**
 * A role: a named set of grants (docs/access.md). Roles are data: those of `definitions/roles.json` exist in every company,
 * and each company may have its own (`/api/v1/identity/roles`). Both are checked here.
 */
import { z } from 'zod'
import { fieldOf, type Definitions, type ObjectDefinition } from '../domain/definition.ts'
import { faultsOf } from '../domain/errors.ts'
import { closestName, meantName } from '../domain/filter/closest-name.ts'
import { parseFilter } from '../domain/filter/parse.ts'
import { readRepaired, restsOn, standIns } from '../shapes/repaired.ts'
import type { FoundFault, ShapeFault } from '../shapes/shape-faults.ts'

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

const notAnAction = (sent: string) =>
  `must be one of ${ACTIONS.join(', ')}, workflow:<action>, workflow:*${meantName(sent, ACTIONS)}`

const names = (what: string) =>
  z
    .array(z.string().regex(/^[A-Z][A-Za-z0-9]{0,59}$/, 'must be the name of a field'))
    .max(200)
    .refine((list) => new Set(list).size === list.length, { error: 'names a field twice' })
    .meta({ uniqueItems: true, description: what })
    .exactOptional()

export const grantSchema = z
  .strictObject({
    Object: z
      .string()
      .max(60)
      .describe('The object: `contract`; or `*` for all, and for what belongs to no object.')
      .exactOptional(),
    Application: z.string().max(60).describe('All objects of an application: `Leasing`.').exactOptional(),
    Actions: z
      .array(z.string().regex(ACTION, { error: ({ input }) => notAnAction(String(input)) }))
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

/** What stands for missing members, so that the others are checked all the same. */
export const ROLE_STAND_INS = { Name: 'unreadable', Grants: [], 'Grants.*.Actions': ['read'] }

export type Role = z.infer<typeof roleSchema>
export type RoleGrant = Role['Grants'][number]

/** The value as a role, or everything that is wrong with it. Paths lead into the value. */
export function readRole(
  value: unknown,
  definitions: Definitions,
): { readonly role: Role } | { readonly faults: readonly FoundFault[] } {
  const { data, faults, lost, original } = readRepaired(roleSchema, value, standIns(ROLE_STAND_INS))
  const meant = data ? roleFaults(data, definitions) : []
  const certain = meant
    .map(({ path, reason }) => ({ path: original(path), reason }))
    .filter(({ path }) => !restsOn(path, lost))
  const all = [...faults, ...certain]
  return data && all.length === 0 ? { role: data } : { faults: all }
}

/** What of a role does not fit the definitions. */
export function roleFaults({ Grants }: Role, definitions: Definitions): readonly ShapeFault[] {
  return Grants.flatMap((grant, index) =>
    grantFaults(grant, definitions, 'kept').map(({ path, reason }) => ({
      path: ['Grants', index, ...path],
      reason,
    })),
  )
}

/** The roles without the grants that no longer fit the definitions: those grant nothing. */
export function wholeGrants(roles: readonly Role[], definitions: Definitions): readonly Role[] {
  return roles.map((role) => ({
    ...role,
    Grants: role.Grants.filter((grant) => grantFaults(grant, definitions).length === 0),
  }))
}

/** @param written of a grant that is not stored yet */
function grantFaults(grant: RoleGrant, definitions: Definitions, written?: 'kept'): ShapeFault[] {
  const { Object: object, Application: application } = grant
  const applications = [...definitions.values()].map((one) => one.application)
  if (application !== undefined && !applications.includes(application))
    return [
      {
        path: ['Application'],
        reason: `names an unknown application: ${application}${meantName(application, applications)}`,
      },
    ]
  if (object !== undefined && object !== '*' && !definitions.has(object)) {
    const meant = closestName(object, [...definitions.keys()])
    const reason = `names an unknown object: ${object}${meantName(object, [...definitions.keys()])}`
    // What narrows it was most likely written for the object that was meant.
    const others = meant === undefined ? [] : grantFaults({ ...grant, Object: meant }, definitions, written)
    return [{ path: ['Object'], reason }, ...others]
  }
  const definition = definitions.get(object ?? '')
  const faults: ShapeFault[] = []
  for (const narrowing of ['Rows', 'ReadFields', 'WriteFields'] as const)
    if (grant[narrowing] !== undefined && (!definition || definition.internal))
      faults.push({ path: [narrowing], reason: 'needs an Object that has records' })
  if (!definition || faults.length > 0) return faults
  if (grant.Rows !== undefined) faults.push(...rowFaults(grant.Rows, definition, definitions, written))
  const fields = definition.fields.map(({ name }) => name)
  for (const list of ['ReadFields', 'WriteFields'] as const)
    for (const [index, name] of (grant[list] ?? []).entries())
      if (!fieldOf(definition, name))
        faults.push({
          path: [list, index],
          reason: `${definition.object} has no field ${name}${meantName(name, fields)}`,
        })
  return faults
}

function rowFaults(
  rows: string,
  definition: ObjectDefinition,
  definitions: Definitions,
  written: 'kept' | undefined,
): ShapeFault[] {
  return faultsOf(() => parseFilter(rows, definition, definitions, written)).map(({ Message }) => ({
    path: ['Rows'],
    reason: Message,
  }))
}
