/** What roles allow together: their shares are kept apart, so that two never add up to what neither grants. */
import { expect } from 'chai'
import * as fc from 'fast-check'
import type { Fields } from '../../src/domain/json.ts'
import { matches } from '../../src/domain/filter/evaluate.ts'
import { parseFilter } from '../../src/domain/filter/parse.ts'
import { fieldsOf, shows } from '../../src/domain/grant.ts'
import { accessOf, type Action } from '../../src/rights/access.ts'
import { readRole, wholeGrants, type RoleGrant } from '../../src/rights/role.ts'
import { sampleDefinition, sampleDefinitions as definitions } from '../support/sample-definitions.ts'

const access = (...grants: RoleGrant[]) => accessOf([{ Name: 'some', Grants: grants }], definitions)
const contract = sampleDefinition('contract')
const nobody = () => undefined

describe('roles', () => {
  it('allow nothing that none of them says', () => {
    for (const some of [access(), access({ Object: 'tenant', Actions: ['read'] })])
      for (const action of ['read', 'create', 'operate', 'workflow:approve'] as const)
        for (const object of ['contract', '*', 'nope'])
          expect(some.grant(object, action), `${action} ${object}`).to.equal(undefined)
  })

  it('allow an action on an object, on those of an application, or on all', () => {
    const cases: [RoleGrant, Record<string, boolean>][] = [
      [
        { Object: 'contract', Actions: ['read'] },
        { contract: true, tenant: false, nope: false, '*': false },
      ],
      [
        { Application: 'Leasing', Actions: ['read'] },
        { contract: true, tenant: true, nope: false, '*': false },
      ],
      [
        { Application: 'Finance', Actions: ['read'] },
        { contract: false, tenant: false, '*': false },
      ],
      [
        { Object: '*', Actions: ['read'] },
        { contract: true, tenant: true, nope: true, '*': true },
      ],
    ]
    for (const [grant, expected] of cases)
      for (const [object, allowed] of Object.entries(expected)) {
        expect(access(grant).grant(object, 'read'), object).to.deep.equal(allowed ? {} : undefined)
        expect(access(grant).grant(object, 'update'), object).to.equal(undefined)
      }
  })

  it('allow workflow actions one by one, or all', () => {
    const one = access({ Object: '*', Actions: ['workflow:submit'] })
    expect(one.grant('contract', 'workflow:submit')).to.deep.equal({})
    expect(one.grant('contract', 'workflow:approve')).to.equal(undefined)
    const all = access({ Object: '*', Actions: ['workflow:*'] })
    expect(all.grant('contract', 'workflow:approve')).to.deep.equal({})
    expect(all.grant('contract', 'update')).to.equal(undefined)
  })

  it('are the same grant as long as they are the same access', () => {
    const some = access({ Object: 'contract', Actions: ['read'], Rows: "Status eq 'Active'" })
    expect(some.grant('contract', 'read')).to.equal(some.grant('contract', 'read'))
  })

  it('narrow reading by ReadFields, writing by WriteFields, and everything by Rows', () => {
    const some = access({
      Object: 'contract',
      Actions: ['read', 'audit', 'export', 'create', 'update', 'import', 'delete', 'workflow:submit'],
      Rows: "Status eq 'Active'",
      ReadFields: ['Status'],
      WriteFields: ['Notes'],
    })
    const fields: Record<string, string[] | undefined> = {}
    for (const action of [
      ...(['read', 'audit', 'export', 'create', 'update', 'import', 'delete'] as const),
      'workflow:submit',
    ] as Action[]) {
      const [share, ...more] = some.grant('contract', action)!.shares!
      expect(more).to.have.length(0)
      expect(share!.rows).to.include({ op: 'compare', by: 'eq', value: 'Active' })
      fields[action] = share!.fields && [...share!.fields]
    }
    expect(fields).to.deep.equal({
      read: ['Status'],
      audit: ['Status'],
      export: ['Status'],
      create: ['Notes'],
      update: ['Notes'],
      import: ['Notes'],
      delete: undefined,
      'workflow:submit': undefined,
    })
  })

  it('of which one is not narrowed allow everything', () =>
    expect(
      access(
        { Object: 'contract', Actions: ['read'], Rows: "Status eq 'Active'" },
        { Application: 'Leasing', Actions: ['read'] },
      ).grant('contract', 'read'),
    ).to.deep.equal({}))

  it('show of each record just the fields that some grant of that record shows', () => {
    const names = ['Status', 'Notes', 'Duration', 'LeaseType']
    const rows = [
      "Status eq 'Active'",
      "Status eq 'Draft'",
      'Duration gt 5',
      'Duration le 5',
      'Notes eq null',
    ]
    const rule = fc.record(
      { Rows: fc.constantFrom(...rows), ReadFields: fc.subarray(names) },
      { requiredKeys: [] },
    )
    const record = fc.record({
      Status: fc.constantFrom('Active', 'Draft'),
      Duration: fc.constantFrom(null, 1, 5, 6),
      Notes: fc.constantFrom(null, 'x'),
      LeaseType: fc.constant('New'),
    }) as fc.Arbitrary<Fields>
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 5 }), record, (rules, of) => {
        const grants = rules.map((one): RoleGrant => ({ ...one, Object: 'contract', Actions: ['read'] }))
        const concerned = grants.filter(
          ({ Rows }) => !Rows || matches(parseFilter(Rows, contract, definitions), of, nobody),
        )
        const grant = access(...grants).grant('contract', 'read')
        const shares = grant?.shares?.filter((one) => !one.rows || matches(one.rows, of, nobody))
        const sight = shares ? fieldsOf(shares) : grant ? 'all' : new Set<string>()
        const isThere = grant && (!shares || shares.length > 0)
        expect(Boolean(isThere)).to.equal(concerned.length > 0)
        for (const name of names)
          expect(shows(sight, name), name).to.equal(
            concerned.some(({ ReadFields }) => !ReadFields || ReadFields.includes(name)),
          )
      }),
      { numRuns: 2_000, seed: 3 },
    )
  })
})

describe('a role', () => {
  const faultsOf = (role: unknown) => {
    const read = readRole(role, definitions)
    return 'faults' in read ? read.faults.map(({ path, reason }) => `${path.join('.')}: ${reason}`) : []
  }
  const granting = (grant: object) => ({ Name: 'some', Grants: [grant] })

  it('is read as it is written', () => {
    const role = {
      Name: 'lease_clerk',
      Description: 'Keeps leases.',
      Grants: [
        {
          Object: 'contract',
          Actions: ['read', 'update', 'workflow:submit'],
          Rows: "Building/City eq 'Kiel'",
          ReadFields: ['Status'],
          WriteFields: [],
        },
        { Application: 'Leasing', Actions: ['read'] },
      ],
    }
    expect(readRole(role, definitions)).to.deep.equal({ role })
  })

  const faulty: Record<string, [unknown, string[]]> = {
    'no object': [7, [': must be an object']],
    'a name of another kind': [
      { Name: 'Clerk', Grants: [] },
      ['Name: must be lowercase words joined by underscores'],
    ],
    'an unknown member': [{ Name: 'a', Grants: [], Extra: 1 }, ['Extra: unknown key Extra']],
    'no grants': [{ Name: 'a' }, ['Grants: is missing']],
    'neither object nor application': [
      granting({ Actions: ['read'] }),
      ['Grants.0: must name an Object or an Application'],
    ],
    both: [
      granting({ Object: '*', Application: 'Leasing', Actions: ['read'] }),
      ['Grants.0: must name an Object or an Application'],
    ],
    'an unknown object': [
      granting({ Object: 'nope', Actions: ['read'] }),
      ['Grants.0.Object: names an unknown object: nope'],
    ],
    'an unknown application': [
      granting({ Application: 'Nope', Actions: ['read'] }),
      ['Grants.0.Application: names an unknown application: Nope'],
    ],
    'an unknown field': [
      granting({ Object: 'contract', Actions: ['read'], ReadFields: ['Status', 'Rent'] }),
      ['Grants.0.ReadFields.1: contract has no field Rent; did you mean MonthlyRent?'],
    ],
    'a filter that is none': [
      granting({ Object: 'contract', Actions: ['read'], Rows: 'Rent gt 5' }),
      ['Grants.0.Rows: unknown field Rent at 1; did you mean MonthlyRent?'],
    ],
    'rows of all objects': [
      granting({ Object: '*', Actions: ['read'], Rows: 'true' }),
      ['Grants.0.Rows: needs an Object that has records'],
    ],
    'fields of an application': [
      granting({ Application: 'Leasing', Actions: ['read'], WriteFields: [] }),
      ['Grants.0.WriteFields: needs an Object that has records'],
    ],
  }
  for (const [what, [role, expected]] of Object.entries(faulty))
    it(`with ${what} is refused, and told why`, () => expect(faultsOf(role)).to.deep.equal(expected))

  it('with an unknown action is refused, and told which there are', () =>
    expect(faultsOf(granting({ Object: '*', Actions: ['fly'] }))[0]).to.match(
      /^Grants\.0\.Actions\.0: must be one of read, create, .*workflow:\*$/,
    ))

  it('with a misspelt action is refused with the one that was meant', () =>
    expect(faultsOf(granting({ Object: '*', Actions: ['reed'] }))[0]).to.match(/; did you mean read\?$/))

  it('grants nothing by what its definitions do not bear out any more, and the rest as before', () => {
    const old: RoleGrant[] = [
      { Object: 'gone', Actions: ['read'] },
      { Object: 'contract', Actions: ['read'], Rows: 'Gone eq 1' },
      { Object: 'contract', Actions: ['update'], WriteFields: ['Gone'] },
      { Object: 'tenant', Actions: ['read'] },
    ]
    const [role] = wholeGrants([{ Name: 'a', Grants: old }], definitions)
    expect(role!.Grants).to.deep.equal([old[3]])
    // Even unchecked, a filter that nobody understands lets no record through.
    expect(access(old[1]!).grant('contract', 'read')).to.equal(undefined)
  })
})
