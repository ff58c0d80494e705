/** PATCH of SCIM, as the RFC has it and as directories send it. */
import { expect } from 'chai'
import fc from 'fast-check'
import type { Json } from '../../../src/domain/json.ts'
import { Invalid } from '../../../src/domain/errors.ts'
import { ScimInvalid } from '../../../src/integrations/scim/invalid.ts'
import { applyPatch, readPatch } from '../../../src/integrations/scim/patch/apply.ts'
import { readUser } from '../../../src/integrations/scim/patch/assign.ts'
import type { User } from '../../../src/integrations/scim/user.ts'
import { ENTERPRISE } from './directory.ts'

const ada: User = {
  userName: 'ada@example.com',
  'name.givenName': 'Ada',
  'emails.work': 'ada@example.com',
  active: true,
  department: 'Engines',
  manager: 'employee-1',
}
const patched = (...Operations: Json[]) => applyPatch(ada, readPatch({ Operations }))
const without = (...names: (keyof User)[]) =>
  Object.fromEntries(Object.entries(ada).filter(([name]) => !names.includes(name as keyof User)))

describe('PATCH of SCIM', () => {
  for (const [what, operation, changes] of [
    ['a simple value', { op: 'replace', path: 'title', value: 'Countess' }, { title: 'Countess' }],
    ['op in capitals', { op: 'Add', path: 'title', value: 'Countess' }, { title: 'Countess' }],
    ['False as text', { op: 'Replace', path: 'active', value: 'False' }, { active: false }],
    ['without a path', { op: 'replace', value: { active: false } }, { active: false }],
    [
      'dotted names and schemas without a path',
      { op: 'Add', value: { 'name.familyName': 'King', [`${ENTERPRISE}:department`]: 'Looms' } },
      { 'name.familyName': 'King', department: 'Looms' },
    ],
    [
      'an extension as an object',
      { op: 'replace', value: { [ENTERPRISE]: { costCenter: '7' }, groups: [], id: 'x', shoeSize: 42 } },
      { costCenter: '7' },
    ],
    [
      'a whole extension',
      { op: 'add', path: ENTERPRISE, value: { division: 'North' } },
      { division: 'North' },
    ],
    [
      'an element chosen by its type',
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'a@b.example' },
      { 'emails.work': 'a@b.example' },
    ],
    [
      'an element that is not there yet',
      { op: 'Replace', path: 'phoneNumbers[type eq "work"].value', value: '1' },
      { 'phoneNumbers.work': '1' },
    ],
    [
      'an element of another type',
      { op: 'Add', path: 'emails[type eq "home"].value', value: 'x@y.example' },
      {},
    ],
    [
      'a list, of which the element of work is kept',
      {
        op: 'add',
        path: 'emails',
        value: [
          { value: 'h@b.example', type: 'home', primary: true },
          { value: 'w@b.example', type: 'Work' },
        ],
      },
      { 'emails.work': 'w@b.example' },
    ],
    [
      'only others of a list',
      { op: 'add', path: 'emails', value: [{ value: 'h@b.example', type: 'home' }] },
      {},
    ],
    [
      'attributes that are not kept',
      { op: 'Add', path: 'addresses[type eq "work"].locality', value: 'x' },
      {},
    ],
    ['name.formatted', { op: 'replace', path: 'name.formatted', value: 'Ada King' }, {}],
    [
      'a manager as text',
      { op: 'Add', path: `${ENTERPRISE}:manager`, value: 'employee-2' },
      { manager: 'employee-2' },
    ],
    [
      'a manager as a list of one',
      { op: 'Add', path: `${ENTERPRISE}:manager`, value: [{ $ref: null, value: 'employee-2' }] },
      { manager: 'employee-2' },
    ],
    [
      'a manager by address',
      { op: 'replace', path: `${ENTERPRISE}:manager`, value: { $ref: 'https://x.example/Users/employee-3' } },
      { manager: 'employee-3' },
    ],
    [
      'a simple value in a list',
      { op: 'Add', path: 'title', value: [{ $ref: null, value: 'T' }] },
      { title: 'T' },
    ],
    [
      'an element removed by another value',
      { op: 'remove', path: 'emails', value: [{ value: 'x@y.z' }] },
      {},
    ],
    ['a flag of a list', { op: 'replace', path: 'emails[type eq "work"].primary', value: 'True' }, {}],
  ] as const)
    it(`sets ${what}`, () => {
      expect(patched(operation)).to.deep.equal({ ...ada, ...changes })
    })

  for (const [what, operation, names] of [
    ['a simple value', { op: 'remove', path: 'name.givenName' }, ['name.givenName']],
    ['a complex one', { op: 'Remove', path: 'name' }, ['name.givenName']],
    ['an element', { op: 'remove', path: 'emails[type eq "work"]' }, ['emails.work']],
    [
      'an element by its value',
      { op: 'remove', path: 'emails[value eq "ADA@example.com"]' },
      ['emails.work'],
    ],
    ['a list', { op: 'remove', path: 'emails' }, ['emails.work']],
    ['a manager', { op: 'Remove', path: `${ENTERPRISE}:manager`, value: null }, ['manager']],
    ['a manager by an empty text', { op: 'Replace', path: `${ENTERPRISE}:manager`, value: '' }, ['manager']],
    ['a schema', { op: 'remove', path: ENTERPRISE }, ['department', 'manager']],
    ['by null', { op: 'replace', path: 'name', value: null }, ['name.givenName']],
  ] as const)
    it(`removes ${what}`, () => {
      expect(patched(operation)).to.deep.equal(without(...names))
    })

  for (const [what, operation, scimType] of [
    ['of an attribute that there is not', { op: 'replace', path: 'shoeSize', value: 42 }, 'invalidPath'],
    ['of a schema that there is not', { op: 'replace', path: 'urn:x:y:title', value: 'x' }, 'invalidPath'],
    ['with a path that is none', { op: 'replace', path: 'emails[', value: 'x' }, 'invalidPath'],
    [
      'with a filter of what is no list',
      { op: 'replace', path: 'name[type eq "x"]', value: 'x' },
      'invalidPath',
    ],
    [
      'of an element that is not there',
      { op: 'replace', path: 'emails[value eq "x"].value', value: 'y' },
      'noTarget',
    ],
    ['that removes nothing in particular', { op: 'remove' }, 'noTarget'],
    ['that removes the user name', { op: 'remove', path: 'userName' }, 'invalidValue'],
    ['of the Id', { op: 'replace', path: 'id', value: 'x' }, 'mutability'],
    ['that moves', { op: 'move', path: 'title', value: 'x' }, 'invalidSyntax'],
    ['without a value', { op: 'add', path: 'title' }, 'invalidValue'],
    ['of a flag with a number', { op: 'replace', path: 'active', value: 1 }, 'invalidValue'],
    ['of a text with an object', { op: 'replace', path: 'title', value: { x: 1 } }, 'invalidValue'],
    ['without a path, of a text', { op: 'replace', value: 'x' }, 'invalidValue'],
  ] as const)
    it(`refuses an operation ${what}`, () => {
      expect(() => patched(operation))
        .to.throw(ScimInvalid)
        .with.property('scimType', scimType)
    })

  it('refuses no operations, and more than 1,000', () => {
    const one = { op: 'replace', path: 'title', value: 'x' }
    for (const body of [
      undefined,
      {},
      { Operations: [] },
      { Operations: Array.from({ length: 1_001 }, () => one) },
    ])
      expect(() => readPatch(body)).to.throw(ScimInvalid, 'Operations must be a list of 1 to 1000 operations')
  })

  it('comes to the same when it is applied again', () => {
    const operation = fc.record({
      op: fc.constantFrom('add', 'Replace'),
      path: fc.constantFrom(
        'title',
        'name.givenName',
        'emails',
        'emails[type eq "work"].value',
        'active',
        ENTERPRISE,
      ),
      value: fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
    })
    fc.assert(
      fc.property(fc.array(operation, { minLength: 1, maxLength: 4 }), (operations) => {
        try {
          const once = applyPatch(ada, readPatch({ Operations: operations }))
          expect(applyPatch(once, readPatch({ Operations: operations }))).to.deep.equal(once)
        } catch (error) {
          if (!(error instanceof Invalid)) throw error
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('a user of SCIM', () => {
  it('is read in any case, and what is not kept is passed over', () => {
    const user = readUser({
      USERNAME: 'ada@example.com',
      Name: { FamilyName: 'King', formatted: 'x' },
      Active: 'true',
      password: 'secret',
      emails: ['ada@example.com'],
      roles: [{ value: 'x' }],
      [ENTERPRISE.toLowerCase()]: { Department: 'Engines', unheardOf: 1 },
    })
    expect(user).to.deep.equal({
      userName: 'ada@example.com',
      'name.familyName': 'King',
      active: true,
      'emails.work': 'ada@example.com',
      department: 'Engines',
    })
  })
})
