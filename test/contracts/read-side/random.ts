/** Records, filters and queries that nobody thought of, with the texts that break naive engines among them. */
import * as fc from 'fast-check'
import {
  MEASURES,
  type Comparison,
  type Filter,
  type Leaf,
  type Measure,
  type Path,
  type Value,
} from '../../../src/domain/filter/ast.ts'
import { resolvePath } from '../../../src/domain/filter/path.ts'
import { foldedText } from '../../../src/domain/fields/folded-text.ts'
import type { Fields, Json } from '../../../src/domain/json.ts'
import { valueAt } from '../../../src/domain/filter/evaluate.ts'
import { sampleDefinition, sampleDefinitions } from '../../support/sample-definitions.ts'
import type { Tale } from './tale.ts'

const MEASURES_OF_DATES = MEASURES.filter((one) => one !== 'length')

/** Case, accents, quotes, wildcards of LIKE, characters of patterns, operators, and letters beyond the first plane. */
export const TEXTS = [
  'Anna Berg',
  'anna berg',
  'ANNA BERGMANN',
  "O'Brien",
  'Ünal Straße',
  'ünal STRASSE',
  'A\u030angstrom', // Å as two characters
  '\u00c5ngstrom', // and as one
  '\u0130stanbul',
  'Σίσυφος',
  '100%',
  '100',
  'a_b',
  'aXb',
  '$gt',
  '$where',
  '{"$ne":null}',
  '.*',
  '^Anna$',
  '(x|y)[a-z]{2}?',
  'back\\slash',
  'double"quote',
  "'; DROP TABLE records; --",
  'tab\tand\nline\n',
  ' blanks around ',
  '',
  'null',
  '\u{1d518}nicode',
  '\u{1f600} smile',
  '\uff3a fullwidth',
  'a name of more than a hundred characters '.repeat(3).trim(),
] as const

const DATES = ['2024-02-29', '2025-01-01', '2025-12-31', '2026-06-15', '9999-12-31']
const TIMESTAMPS = ['2025-12-31T23:59:59Z', '2026-01-01T00:00:00Z', '2026-06-15T08:30:00Z']
const AMOUNTS = [0, -1, 0.1, 0.3, 1200, 1200.5, 99_999_999.99, 9_007_199_254_740.99]

const text = fc.constantFrom(...TEXTS)
const money = fc.record({
  Amount: fc.constantFrom(...AMOUNTS),
  Currency: fc.constantFrom('EUR', 'USD', 'SEK'),
})

/** What fields held while they had another type. */
const misfit: fc.Arbitrary<Json> = fc.constantFrom<Json>(
  ...['Anna', '', 0.5, 1200, true, false, [1], {}, { Id: 'tenant-x' }, { Amount: 1, Currency: 'EUR' }],
  ...[{ Amount: 'EUR' }, { Id: 1, Name: 2 }],
)

/** Fields, some without a value, a few with a value of another type. */
function fieldsOf(model: { readonly [name: string]: fc.Arbitrary<Json> }): fc.Arbitrary<Fields> {
  const mixed = Object.entries(model).map(([name, arbitrary]) => {
    const value = fc.oneof({ weight: 20, arbitrary }, { weight: 1, arbitrary: misfit })
    return [name, value] as const
  })
  return fc.record(Object.fromEntries(mixed), { requiredKeys: [] }) as fc.Arbitrary<Fields>
}

const building = fieldsOf({
  Name: text,
  City: text,
  BuiltOn: fc.constantFrom(...DATES),
  Floors: fc.integer({ min: -2, max: 3 }),
})

const tenant = fieldsOf({
  Name: text,
  Email: fc.constantFrom('anna@example.org', 'ANNA@example.org', 'bob+x@example.com'),
  Phone: text,
  Website: fc.constantFrom('https://example.org/?a=1&b=%20', 'http://example.org'),
  IsActive: fc.boolean(),
  Score: fc.constantFrom(-0.5, 0, 0.1, 1e-7, 3, 1e21),
  Deposit: money,
  LastContactAt: fc.constantFrom(...TIMESTAMPS),
})

const unit = fieldsOf({ Number: text, Area: fc.constantFrom(10, 55.5, 200), IsFurnished: fc.boolean() })

const contract = fieldsOf({
  ContractNumber: text,
  MonthlyRent: money,
  StartDate: fc.constantFrom(...DATES),
  EndDate: fc.constantFrom(...DATES),
  Duration: fc.constantFrom(0, 1, 12, 24, 9_007_199_254_740_991),
  LeaseType: fc.constantFrom('New', 'Renewal', 'new'),
  Status: fc.constantFrom('Draft', 'Active'),
  Notes: text,
  AutoRenews: fc.boolean(),
  SignedAt: fc.constantFrom(...TIMESTAMPS),
  Terms: fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
})

/** The same data whenever the seed is the same. */
const sample = <T>(arbitrary: fc.Arbitrary<T>, numRuns: number, seed: number): T[] =>
  fc.sample(arbitrary, { numRuns, seed })

/** Tells of some hundred records that look one another up, of which a few are deleted. */
export function tellMuch(of: Tale, seed: number, contracts: number): void {
  const some = (count: number) => Math.max(2, Math.ceil(contracts / count))
  const pick = (keys: readonly string[], name: string, n: number): Fields =>
    n % 5 === 0 ? {} : { [name]: keys[(n * 7) % keys.length]! }
  const buildings = sample(building, some(12), seed).map((fields) => of.create('building', fields))
  const units = sample(unit, some(6), seed).map((fields, n) =>
    of.create('unit', { ...fields, ...pick(buildings, 'Building', n) }),
  )
  const tenants: string[] = []
  for (const [n, fields] of sample(tenant, some(4), seed).entries())
    tenants.push(of.create('tenant', { ...fields, ...(n > 0 && pick(tenants, 'Guarantor', n)) }))
  const all = sample(contract, contracts, seed).map((fields, n) =>
    of.create('contract', {
      ...fields,
      ...pick(tenants, 'Tenant', n),
      ...pick(buildings, 'Building', n + 1),
      ...pick(units, 'Unit', n + 2),
    }),
  )
  // Deleted ones: contracts, and records that others still show.
  for (const key of [...all.filter((_, n) => n % 10 === 9), tenants[0]!, buildings[0]!, units[0]!])
    of.remove(key)
}

const PATHS: readonly Path[] = [
  ...['Id', 'ContractNumber', 'MonthlyRent', 'MonthlyRent/Currency', 'StartDate', 'EndDate', 'Duration'],
  ...['LeaseType', 'Status', 'Notes', 'AutoRenews', 'SignedAt', 'CreatedAt', 'ModifiedAt'],
  ...['Tenant', 'Tenant/Name', 'Tenant/Email', 'Tenant/IsActive', 'Tenant/Score', 'Tenant/Deposit/Currency'],
  ...[
    'Tenant/Guarantor',
    'Tenant/Guarantor/Name',
    'Tenant/Guarantor/Guarantor/Phone',
    'Tenant/LastContactAt',
  ],
  ...['Building', 'Building/Floors', 'Unit/Number', 'Unit/Building/Name', 'Unit/Building/City', 'Unit/Area'],
].map((path) =>
  resolvePath({
    parameter: 'filter',
    text: path,
    at: 0,
    definition: sampleDefinition('contract'),
    definitions: sampleDefinitions,
  }),
)

/** Filters on contracts that ask for values the tale's records have, and for some that they do not. */
export function filtersOn(of: Tale): fc.Arbitrary<Filter> {
  const contracts = of.live('contract')
  const leaf = fc.constantFrom(...PATHS).chain((path) => leafOn(path, valuesAt(path, contracts, of)))
  return fc.oneof(
    { weight: 30, arbitrary: leaf },
    { weight: 20, arbitrary: terms('and', leaf) },
    { weight: 20, arbitrary: terms('or', leaf) },
    { weight: 10, arbitrary: terms('or', terms('and', leaf)) },
    { weight: 10, arbitrary: terms('and', terms('or', leaf)) },
    { weight: 1, arbitrary: fc.boolean().map((value): Filter => ({ op: 'constant', value })) },
  )
}

function terms(op: 'and' | 'or', term: fc.Arbitrary<Filter>): fc.Arbitrary<Filter> {
  return fc.array(term, { minLength: 2, maxLength: 3 }).map((terms) => ({ op, terms }))
}

function valuesAt(path: Path, records: readonly Fields[], { resolve }: Tale): Value[] {
  const values = records.map((record) => valueAt(path, record, resolve))
  return [...new Set(values.filter((value) => value !== undefined))]
}

const STRANGERS: { readonly [kind in Path['kind']]: readonly Value[] } = {
  text: TEXTS,
  exact: ['', '0', '9999-12-31', 'Active', 'contract-', '~'],
  number: [...AMOUNTS, 12, -3],
  boolean: [true, false],
}

function leafOn(path: Path, known: readonly Value[]): fc.Arbitrary<Leaf> {
  const value = fc.constantFrom(...(known.length > 0 ? known : STRANGERS[path.kind]), ...STRANGERS[path.kind])
  const negated = fc.boolean()
  const hasOrder = path.kind !== 'boolean' && path.field.type !== 'lookup'
  const by = fc.constantFrom<Comparison>(...(hasOrder ? (['gt', 'ge', 'lt', 'le'] as const) : []), 'eq', 'ne')
  const values = fc.uniqueArray(value, { minLength: 1, maxLength: 4 })
  const plain: fc.Arbitrary<Leaf>[] = [
    fc.record({ op: fc.constant('compare'), path: fc.constant(path), by, value, negated }),
    fc.record({ op: fc.constant('isNull'), path: fc.constant(path), negated }),
    fc.record({ op: fc.constant('in'), path: fc.constant(path), values, negated }),
  ]
  const isTime = path.field.type === 'date' || path.field.type === 'timestamp'
  const measure = (of: fc.Arbitrary<Measure>, number: fc.Arbitrary<number>): fc.Arbitrary<Leaf> =>
    fc.record({ op: fc.constant('measure'), path: fc.constant(path), of, by, value: number, negated })
  if (isTime)
    plain.push(measure(fc.constantFrom(...MEASURES_OF_DATES), fc.constantFrom(1, 2, 6, 12, 15, 29, 31)))
  const isText = path.kind === 'text' || path.field.type === 'choice' || path.part === 'Currency'
  if (!isText) return fc.oneof(...plain)
  const whole = value.map((value) => foldedText(String(value)))
  const piece = fc.tuple(whole, fc.nat(), fc.nat()).map(([text, one, other]) => pieceOf(text, one, other))
  const op = fc.constantFrom('contains' as const, 'startswith' as const, 'endswith' as const)
  return fc.oneof(
    ...plain,
    measure(fc.constant('length'), fc.constantFrom(0, 1, 3, 5, 9, 12, 122, 123, 2_500)),
    fc.record({ op, path: fc.constant(path), text: fc.oneof(piece, whole), negated }),
    fc.record({ op: fc.constant('equalsFolded'), path: fc.constant(path), text: whole, negated }),
  )
}

/** Whole characters of the text: half of one is no text that a caller could send. */
function pieceOf(text: string, one: number, other: number): string {
  const characters = [...text]
  const [start, end] = [one % (characters.length + 1), other % (characters.length + 1)].sort((a, b) => a - b)
  return foldedText(characters.slice(start, end).join(''))
}
