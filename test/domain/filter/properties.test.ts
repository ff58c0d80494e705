/** What holds for every filter that there can be. */
import { expect } from 'chai'
import fc from 'fast-check'
import { MEASURES, type Leaf, type Path, type Value } from '../../../src/domain/filter/ast.ts'
import { normalForm, type Condition } from '../../../src/domain/filter/normal-form.ts'
import { parseFilter } from '../../../src/domain/filter/parse.ts'
import { resolvePath } from '../../../src/domain/filter/path.ts'
import { foldedText } from '../../../src/domain/fields/folded-text.ts'
import type { Fields } from '../../../src/domain/json.ts'
import { matches } from '../../../src/domain/filter/evaluate.ts'
import { sampleDefinition, sampleDefinitions } from '../../support/sample-definitions.ts'

const contract = sampleDefinition('contract')
const parse = (text: string) => parseFilter(text, contract, sampleDefinitions)
const path = (text: string): Path =>
  resolvePath({ parameter: 'filter', text, at: 0, definition: contract, definitions: sampleDefinitions })

// Few values, so that filters meet records that fulfil them.
const anyText = fc.oneof(
  fc.constantFrom('a', 'A', 'ab', 'Ä', "O'Brien", '', 'New'),
  fc.string({ unit: 'binary', maxLength: 5 }).filter((text) => !text.includes('\0')),
)
const anyNumber = fc.oneof(
  fc.integer({ min: -2, max: 2 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number)),
)
const anyDate = fc.constantFrom('2024-02-29', '2026-01-31', '2026-02-01', '9999-12-31')
const anyTimestamp = anyDate.map((date) => `${date}T23:59:59Z`)
const anyTenantKey = fc.constantFrom('tenant-1', 'tenant-2', 'tenant-3')

interface Kind {
  readonly paths: readonly string[]
  readonly value: fc.Arbitrary<Value>
  readonly operators: readonly ('eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le')[]
}
const EQUALITY = ['eq', 'ne'] as const
const COMPARISONS = ['eq', 'ne', 'gt', 'ge', 'lt', 'le'] as const
const TEXT: Kind = {
  paths: [
    'Notes',
    'LeaseType',
    'Tenant/Name',
    'Tenant/Email',
    'MonthlyRent/Currency',
    'Tenant/Guarantor/Name',
  ],
  value: anyText,
  operators: COMPARISONS,
}
const KINDS: readonly Kind[] = [
  TEXT,
  {
    paths: ['Duration', 'MonthlyRent', 'MonthlyRent/Amount', 'Tenant/Score'],
    value: anyNumber,
    operators: COMPARISONS,
  },
  { paths: ['AutoRenews', 'Tenant/IsActive'], value: fc.boolean(), operators: EQUALITY },
  { paths: ['StartDate', 'EndDate'], value: anyDate, operators: COMPARISONS },
  { paths: ['SignedAt', 'CreatedAt'], value: anyTimestamp, operators: COMPARISONS },
  { paths: ['Tenant', 'Tenant/Id', 'Tenant/Guarantor'], value: anyTenantKey, operators: EQUALITY },
]
const anyPath = (kind: Kind) => fc.constantFrom(...kind.paths).map(path)
const negated = fc.boolean()

const anyLeaf: fc.Arbitrary<Leaf> = fc.oneof(
  fc.record({ op: fc.constant('constant' as const), value: fc.boolean() }),
  fc.record({
    op: fc.constantFrom(
      'contains' as const,
      'startswith' as const,
      'endswith' as const,
      'equalsFolded' as const,
    ),
    path: anyPath(TEXT),
    text: anyText.map(foldedText),
    negated,
  }),
  fc.record({
    op: fc.constant('measure' as const),
    path: anyPath(TEXT),
    of: fc.constant('length' as const),
    by: fc.constantFrom(...COMPARISONS),
    value: fc.integer({ min: 0, max: 6 }),
    negated,
  }),
  fc.record({
    op: fc.constant('measure' as const),
    path: fc.constantFrom('StartDate', 'EndDate', 'SignedAt').map(path),
    of: fc.constantFrom(...MEASURES.filter((one) => one !== 'length')),
    by: fc.constantFrom(...COMPARISONS),
    value: fc.integer({ min: 1, max: 12 }),
    negated,
  }),
  ...KINDS.flatMap((kind): fc.Arbitrary<Leaf>[] => [
    fc.record({ op: fc.constant('isNull' as const), path: anyPath(kind), negated }),
    fc.record({
      op: fc.constant('compare' as const),
      path: anyPath(kind),
      by: fc.constantFrom(...kind.operators),
      value: kind.value,
      negated,
    }),
    fc.record({
      op: fc.constant('in' as const),
      path: anyPath(kind),
      values: fc.uniqueArray(kind.value, { minLength: 1, maxLength: 3 }),
      negated,
    }),
  ]),
)

/** A condition with `not` anywhere, within the limits of depth, number and length. */
const anyCondition = fc.letrec<{ condition: Condition; leaf: Condition; group: Condition; not: Condition }>(
  (tie) => ({
    condition: fc.oneof({ maxDepth: 3 }, tie('leaf'), tie('group'), tie('not')),
    leaf: anyLeaf,
    not: fc.record({ op: fc.constant('not' as const), term: tie('condition') }),
    group: fc.record({
      op: fc.constantFrom('and' as const, 'or' as const),
      terms: fc.array(tie('condition'), { minLength: 2, maxLength: 3 }),
    }),
  }),
).condition

/** How clients may write it: keywords in either case, with or without blanks. */
interface Style {
  readonly word: (keyword: string) => string
  readonly blank: string
}
const anyStyle: fc.Arbitrary<Style> = fc.constantFrom(
  { word: (keyword: string) => keyword, blank: '' },
  { word: (keyword: string) => keyword.toUpperCase(), blank: ' \t' },
)

function print(condition: Condition, style: Style): string {
  const { word, blank } = style
  const open = `(${blank}`
  switch (condition.op) {
    case 'and':
    case 'or':
      return `${open}${condition.terms.map((term) => print(term, style)).join(` ${word(condition.op)} `)}${blank})`
    case 'not':
      return `${word('not')} ${open}${print(condition.term, style)})`
    case 'constant':
      return word(String(condition.value))
    case 'isNull':
      return `${condition.path.text} ${word(condition.negated ? 'ne' : 'eq')} ${word('null')}`
    case 'equalsFolded':
      return `${word('tolower')}${open}${condition.path.text}) ${word(condition.negated ? 'ne' : 'eq')} ${literal(condition.path, condition.text)}`
    default: {
      const positive = printLeaf(condition, style)
      return condition.negated ? `${word('not')}${blank}(${positive})` : positive
    }
  }
}

function printLeaf(
  leaf: Extract<Leaf, { op: 'compare' | 'in' | 'measure' | 'contains' | 'startswith' | 'endswith' }>,
  style: Style,
) {
  const { word, blank } = style
  switch (leaf.op) {
    case 'compare':
      return `${leaf.path.text} ${word(leaf.by)} ${literal(leaf.path, leaf.value)}`
    case 'measure':
      return `${word(leaf.of)}(${blank}${leaf.path.text}${blank}) ${word(leaf.by)} ${leaf.value}`
    case 'in':
      return `${leaf.path.text} ${word('in')} (${leaf.values.map((value) => literal(leaf.path, value)).join(`,${blank}`)})`
    default:
      return `${word(leaf.op)}(${blank}${leaf.path.text}${blank},${literal(leaf.path, leaf.text)})`
  }
}

function literal({ field }: Path, value: Value): string {
  if (typeof value !== 'string' || field.type === 'date' || field.type === 'timestamp') return String(value)
  return `'${value.replaceAll("'", "''")}'`
}

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const anyTenant = (key: string, guarantor: string | null): fc.Arbitrary<Fields> =>
  fc.record({
    Id: fc.constant(key),
    Name: anyText,
    Email: maybe(anyText),
    IsActive: maybe(fc.boolean()),
    Score: maybe(anyNumber),
    Guarantor: fc.constant(guarantor && { Id: guarantor, Name: 'as shown' }),
  })
const anyTenants = fc
  .tuple(anyTenant('tenant-1', 'tenant-2'), anyTenant('tenant-2', null))
  .map((tenants) => new Map(tenants.map((tenant) => [tenant['Id'] as string, tenant])))
const anyContract: fc.Arbitrary<Fields> = fc.record({
  Id: fc.constant('contract-1'),
  Tenant: maybe(fc.constantFrom('tenant-1', 'tenant-2').map((Id) => ({ Id, Name: 'as shown' }))),
  MonthlyRent: maybe(fc.record({ Amount: anyNumber, Currency: fc.constantFrom('EUR', 'a', 'New') })),
  StartDate: maybe(anyDate),
  EndDate: maybe(anyDate),
  Duration: maybe(anyNumber),
  LeaseType: maybe(anyText),
  Notes: maybe(anyText),
  AutoRenews: maybe(fc.boolean()),
  SignedAt: maybe(anyTimestamp),
  CreatedAt: anyTimestamp,
})

describe('every filter', () => {
  it('reads back from its text as the same tree', () =>
    fc.assert(
      fc.property(anyCondition, anyStyle, (condition, style) => {
        const filter = normalForm(condition)
        expect(parse(print(filter, style))).to.deep.equal(filter)
      }),
      { numRuns: 300 },
    ))

  it('reads from a text with not anywhere as the normal form of what was written', () =>
    fc.assert(
      fc.property(anyCondition, anyStyle, (condition, style) => {
        expect(parse(print(condition, style))).to.deep.equal(normalForm(condition))
      }),
      { numRuns: 300 },
    ))

  it('has in its normal form no not, nothing nested that could be flat, and the same meaning', () =>
    fc.assert(
      fc.property(anyCondition, anyContract, anyTenants, (condition, record, tenants) => {
        const filter = normalForm(condition)
        const resolve = (_object: string, key: string) => tenants.get(key)
        expect(matches(filter, record, resolve)).to.equal(matches(condition, record, resolve))
        expect(isNormal(filter)).to.equal(true)
      }),
      { numRuns: 500 },
    ))

  function isNormal(filter: Condition): boolean {
    if (filter.op === 'not') return false
    if (filter.op !== 'and' && filter.op !== 'or') return true
    return filter.terms.length > 1 && filter.terms.every((term) => term.op !== filter.op && isNormal(term))
  }
})
