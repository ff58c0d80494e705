/** Roles in files: those that are shipped, and faults told as those of object definitions are. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { expect } from 'chai'
import { withInternal } from '../../src/compose/parts/definitions.ts'
import type { DefinitionError } from '../../src/definitions/definition-error.ts'
import { loadDefinitions } from '../../src/definitions/load.ts'
import { loadRoles, rolesJsonSchema } from '../../src/definitions/load-roles.ts'
import { accessOf, type Action } from '../../src/rights/access.ts'
import { newFolder } from '../support/service.ts'

const shipped = join(import.meta.dirname, '../../definitions')
const definitions = withInternal(loadDefinitions([shipped]))

describe('the roles that are shipped', () => {
  const roles = loadRoles([shipped], definitions)
  const may = (name: string, action: Action, object = 'contract') =>
    accessOf([roles.get(name)!], definitions).grant(object, action) !== undefined

  it('are those that are documented', () =>
    expect([...roles.keys()]).to.have.members([
      'system_admin',
      'application_manager',
      'editor',
      'approver',
      'viewer',
      'auditor',
      'integration',
      'notification_manager',
      'operator',
    ]))

  const table: Record<string, Readonly<Record<string, string>>> = {
    // s: system_admin, m: application_manager, e: editor, a: approver, v: viewer, u: auditor, i: integration, o: operator
    all: {
      read: 'smeavui',
      create: 'smei',
      update: 'smei',
      delete: 'sme',
      import: 'smi',
      export: 'smui',
      audit: 'smu',
      'workflow:submit': 'sme',
      'workflow:approve': 'sma',
      'workflow:reject': 'sma',
    },
    none: { administer: 's', operate: 'o', audit: 'smu', export: 'smui' },
  }
  const letters: Record<string, string> = {
    s: 'system_admin',
    m: 'application_manager',
    e: 'editor',
    a: 'approver',
    v: 'viewer',
    u: 'auditor',
    i: 'integration',
    o: 'operator',
  }
  for (const [of, actions] of Object.entries(table))
    for (const [action, who] of Object.entries(actions))
      it(`let ${who.length} of them ${action} on ${of === 'all' ? 'records' : 'what belongs to no object'}`, () => {
        const allowed = Object.entries(letters).filter(([, name]) =>
          may(name, action as Action, of === 'all' ? 'contract' : '*'),
        )
        expect(allowed.map(([letter]) => letter).join('')).to.equal(who)
      })

  it('tell editors their schema, which is current and says what the service says', () => {
    const schema: unknown = JSON.parse(readFileSync(join(shipped, 'roles.schema.json'), 'utf8'))
    expect(schema, 'write it anew: see docs/access.md, "The schema for editors"').to.deep.equal(
      JSON.parse(JSON.stringify(rolesJsonSchema())),
    )
    const accepts = new Ajv({ strict: false }).compile(rolesJsonSchema())
    expect(accepts(JSON.parse(readFileSync(join(shipped, 'roles.json'), 'utf8')))).to.equal(true)
    expect(accepts({ roles: [{ Name: 'A', Grants: [] }] })).to.equal(false)
    expect(accepts({ roles: [{ Name: 'a', Grants: [{ Object: '*', Actions: ['fly'] }] }] })).to.equal(false)
  })
})

describe('roles in a folder of one’s own', () => {
  let folder: string
  beforeEach(() => (folder = newFolder()))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const write = (text: string) => writeFileSync(join(folder, 'roles.json'), text)
  const faultsOf = (): readonly string[] => {
    try {
      loadRoles([shipped, folder], definitions)
      return []
    } catch (error) {
      return (error as DefinitionError).faults.map(
        ({ line, column, path, reason }) => `${line}:${column} ${path}: ${reason}`,
      )
    }
  }

  it('add to those that are shipped, and replace those of the same name', () => {
    write('{"roles": [{"Name": "clerk", "Grants": []}, {"Name": "viewer", "Grants": []}]}')
    const roles = loadRoles([shipped, folder], definitions)
    expect(roles.get('clerk')).to.deep.equal({ Name: 'clerk', Grants: [] })
    expect(roles.get('viewer')).to.deep.equal({ Name: 'viewer', Grants: [] })
    expect(roles.get('editor')?.Grants).to.have.length.greaterThan(0)
  })

  it('are passed over as object definitions', () => {
    write('{"roles": []}')
    mkdirSync(join(folder, 'Leasing'))
    expect([...loadDefinitions([folder])]).to.deep.equal([])
  })

  it('are refused with all their faults, each with its place', () => {
    write(
      [
        '{"roles": [',
        '  {"Name": "Clerk", "Grants": []},',
        '  {"Name": "clerk", "Grants": [{"Object": "contract", "Actions": ["read"], "Rows": "Rent gt 1"}]},',
        '  {"Name": "twice", "Grants": []},',
        '  {"Name": "twice", "Grants": []}',
        ']}',
      ].join('\n'),
    )
    expect(faultsOf()).to.deep.equal([
      '2:12 $.roles[0].Name: must be lowercase words joined by underscores',
      '3:84 $.roles[1].Grants[0].Rows: unknown field Rent at 1; did you mean MonthlyRent?',
      '5:12 $.roles[3].Name: the role twice appears twice',
    ])
    write('{"roles": [')
    expect(faultsOf()).to.have.length(1)
    write('[]')
    expect(faultsOf()).to.have.length(1)
  })
})
