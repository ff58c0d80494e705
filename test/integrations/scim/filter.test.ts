/** Filters of SCIM: read, and turned into filters of records. */
import { expect } from 'chai'
import fc from 'fast-check'
import { loadAll } from '../../../src/definitions/load-all.ts'
import { definitionFolders } from '../../../src/compose/read-start.ts'
import { withInternal } from '../../../src/compose/parts/definitions.ts'
import { Invalid } from '../../../src/domain/errors.ts'
import { matches } from '../../../src/domain/filter/evaluate.ts'
import type { Fields } from '../../../src/domain/json.ts'
import type { Operator, ScimFilter } from '../../../src/integrations/scim/filter/ast.ts'
import { compares } from '../../../src/integrations/scim/filter/matches.ts'
import { parsePatchPath, parseScimFilter } from '../../../src/integrations/scim/filter/parse.ts'
import { recordFilter } from '../../../src/integrations/scim/filter/record-filter.ts'
import { ScimInvalid } from '../../../src/integrations/scim/invalid.ts'
import { scimMapping } from '../../../src/integrations/scim/mapping.ts'

const { definitions, integrations } = loadAll(definitionFolders({ DEFINITIONS_DIR: undefined }), withInternal)
const mapping = scimMapping(integrations.get('scim')!, definitions)!

const ada: Fields = {
  Id: 'employee-1',
  CreatedAt: '2030-01-01T00:00:00Z',
  ModifiedAt: '2030-02-01T00:00:00Z',
  UserName: 'Ada@Example.com',
  ExternalId: 'Okta1',
  Name: 'Ada Lovelace',
  FirstName: 'Ada',
  Email: 'ada@example.com',
  Status: 'OnLeave',
  Manager: { Id: 'employee-2', Name: 'Charles' },
}

const finds = (text: string, record = ada) =>
  matches(recordFilter(parseScimFilter(text), { mapping, definitions }), record, () => undefined)

/** A filter as text, by which it was not made. */
function written(filter: ScimFilter): string {
  if ('terms' in filter) return filter.terms.map((term) => `(${written(term)})`).join(` ${filter.op} `)
  if ('term' in filter) return `not (${written(filter.term)})`
  const { schema, attribute, sub } = filter.path
  const path = [schema === undefined ? attribute : `${schema}:${attribute}`, sub]
    .filter((part) => part !== undefined)
    .join('.')
  if (filter.op === 'some') return `${path}[${written(filter.filter)}]`
  return filter.op === 'pr' ? `${path} pr` : `${path} ${filter.op} ${JSON.stringify(filter.value)}`
}

describe('a filter of SCIM', () => {
  for (const [text, found] of [
    ['userName eq "ada@example.COM"', true],
    ['USERNAME Eq "ada@example.com"', true],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName sw "ada"', true],
    ['externalId eq "Okta1"', true],
    ['externalId eq "okta1"', false],
    ['name.givenName co "d" and not (name.familyName pr)', true],
    ['title pr or displayName ew "lace"', true],
    ['title ne "x"', true],
    ['title eq null', true],
    ['emails eq "ADA@example.com"', true],
    ['emails[type eq "work" and value co "@example"]', true],
    ['emails[type eq "home"]', false],
    ['emails[not (type eq "home")]', true],
    ['phoneNumbers[not (type eq "home")]', false],
    ['emails.type eq "work"', true],
    ['active eq true', true],
    ['active eq "True"', true],
    ['active ne true', false],
    ['id eq "employee-1"', true],
    ['id eq "tenant-1"', false],
    ['meta.created gt "2029-12-31T23:00:00Z"', true],
    ['meta.lastModified lt "2030-01-01T00:00:00Z"', false],
    ['urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.value eq "employee-2"', true],
    ['manager eq "employee-3"', false],
    ['addresses[type eq "work"]', false],
    ['nickName eq "x"', false],
    ['userName gt "a" and userName lt "b"', true],
  ] as const)
    it(`${text} ${found ? 'finds' : 'does not find'}`, () => {
      expect(finds(text)).to.equal(found)
    })

  for (const [text, reason] of [
    ['', 'expected the name of an attribute at 1'],
    ['userName', 'expected one of eq, ne, co, sw, ew, gt, ge, lt, le, pr at 9'],
    ['userName eq', 'expected a text in quotation marks'],
    ['userName eq ada', 'expected a text in quotation marks'],
    ['userName eq "a', 'is not closed'],
    ['(userName pr', 'expected and, or, or )'],
    ['userName pr userName', 'expected and, or, or the end at 13'],
    ['emails[emails[type pr]]', 'expected one of'],
    ['shoeSize eq 42', 'users have no attribute shoeSize'],
    ['userName eq "\\q"', 'is not a text as JSON has it'],
    [`${'('.repeat(40)}userName pr${')'.repeat(40)}`, 'nested deeper than 16 levels'],
    [Array.from({ length: 51 }, () => 'userName pr').join(' or '), 'more than 50 conditions'],
  ] as const)
    it(`is refused: ${text.slice(0, 40)}`, () => {
      expect(() => finds(text))
        .to.throw(ScimInvalid)
        .with.property('message')
        .that.includes(reason)
    })

  const leaf = fc.oneof(
    fc.record({
      op: fc.constantFrom<Operator>('eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'),
      path: fc.constantFrom('title', 'displayName').map((attribute) => ({
        schema: undefined,
        attribute,
        sub: undefined,
      })),
      value: fc.string({ unit: fc.constantFrom('a', 'B', 'b', '"', '\\', ' '), maxLength: 4 }),
    }),
    fc.record({
      op: fc.constant('pr' as const),
      path: fc.constant({ schema: undefined, attribute: 'title', sub: undefined }),
    }),
  )
  const { filter } = fc.letrec<{ filter: ScimFilter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.record({ op: fc.constant('not' as const), term: tie('filter') }),
      fc.record({
        op: fc.constantFrom('and' as const, 'or' as const),
        terms: fc.array(tie('filter'), { minLength: 2, maxLength: 3 }),
      }),
    ),
  }))

  /** What it means for one record, worked out by itself. */
  const means = (one: ScimFilter, record: Fields): boolean => {
    if ('terms' in one)
      return one.op === 'and'
        ? one.terms.every((term) => means(term, record))
        : one.terms.some((term) => means(term, record))
    if ('term' in one) return !means(one.term, record)
    if (one.op === 'some') return false
    const value = record[one.path.attribute === 'title' ? 'JobTitle' : 'Name'] as string | undefined
    return one.op === 'pr' ? value !== undefined : compares(one.op, value, one.value)
  }

  it('means the same after it was written, read and turned into one of records', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'B', ' '), minLength: 1, maxLength: 4 })
    const record = fc.record({ Name: text, JobTitle: fc.option(text, { nil: undefined }) })
    fc.assert(
      fc.property(filter, record, (one, { Name, JobTitle }) => {
        const whole: Fields = { ...ada, Name, ...(JobTitle !== undefined && { JobTitle }) }
        const again = parseScimFilter(written(one))
        expect(written(again)).to.equal(written(parseScimFilter(written(again))))
        const asked = recordFilter(again, { mapping, definitions })
        expect(matches(asked, whole, () => undefined)).to.equal(means(one, whole))
      }),
      { numRuns: 300 },
    )
  })

  it('is refused for nothing but what is wrong with it', () => {
    const piece = fc.constantFrom(
      'userName',
      ' ',
      'eq',
      '"a"',
      '(',
      ')',
      '[',
      ']',
      'not',
      'and',
      'or',
      'pr',
      '.',
      'urn:x:',
      '"',
      '\\',
      'é',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        for (const read of [finds, parsePatchPath])
          try {
            read(pieces.join(''))
          } catch (error) {
            expect(error).to.be.instanceOf(Invalid)
          }
      }),
      { numRuns: 500 },
    )
  })
})
