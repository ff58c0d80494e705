/** The oracle itself: what filters and sort keys mean, told by single cases. */
import { expect } from 'chai'
import { parseFilter } from '../../../src/domain/filter/parse.ts'
import type { Fields } from '../../../src/domain/json.ts'
import { parseSort } from '../../../src/domain/query/sort.ts'
import { compareBy, matches } from '../../../src/domain/filter/evaluate.ts'
import { sampleDefinition, sampleDefinitions } from '../../support/sample-definitions.ts'

const others = new Map<string, Fields>([
  [
    'tenant-1',
    { Id: 'tenant-1', Name: 'Ådal', Email: 'a@example.org', Guarantor: { Id: 'tenant-2', Name: 'Bo' } },
  ],
  [
    'tenant-2',
    { Id: 'tenant-2', Name: 'Bo', Email: null, IsActive: true, Deposit: { Amount: 5, Currency: 'DKK' } },
  ],
])
const resolve = (_object: string, key: string) => others.get(key)
const full: Fields = {
  Id: 'contract-1',
  Tenant: { Id: 'tenant-1', Name: 'Ådal' },
  MonthlyRent: { Amount: 900.5, Currency: 'EUR' },
  StartDate: '2026-01-31',
  LeaseType: 'New',
  Notes: 'Roof LEAKS',
  AutoRenews: false,
}
const empty: Fields = { Id: 'contract-2', Tenant: null, MonthlyRent: null, Notes: null, AutoRenews: null }

const holds = (text: string, record: Fields) =>
  matches(parseFilter(text, sampleDefinition('contract'), sampleDefinitions), record, resolve)

describe('a filter holds', () => {
  it('for values that compare so', () => {
    for (const text of [
      "LeaseType eq 'New'",
      "LeaseType ne 'new'",
      "tolower(LeaseType) eq 'NEW'",
      'MonthlyRent gt 900',
      "MonthlyRent/Currency in ('DKK', 'EUR')",
      'StartDate le 2026-01-31',
      "contains(Notes, 'f leak') and startswith(Notes, 'ROOF') and endswith(Notes, 's')",
      "Notes gt 'ROOF' and Notes lt 'rooG'",
      'not AutoRenews and AutoRenews eq false',
      "Tenant eq 'tenant-1' and Id eq 'contract-1'",
      "Tenant/Name eq 'Ådal' and Tenant/Email eq 'a@example.org'",
      "Tenant/Guarantor eq 'tenant-2' and Tenant/Guarantor/IsActive",
      "Tenant/Guarantor/Deposit eq 5 and Tenant/Guarantor/Deposit/Currency eq 'DKK'",
      'Tenant/Guarantor/Email eq null and Tenant/Guarantor/Guarantor/Name eq null',
    ]) {
      expect(holds(text, full), text).to.equal(true)
      expect(holds(`not (${text})`, full), text).to.equal(false)
    }
  })

  it('for a record without a value only where that is asked', () => {
    for (const text of [
      'Notes eq null',
      "Notes ne 'x'",
      'not (MonthlyRent gt 5)',
      'not AutoRenews',
      "Tenant/Name ne 'x'",
    ])
      expect(holds(text, empty), text).to.equal(true)
    for (const text of [
      "Notes eq 'x'",
      'MonthlyRent le 5',
      'AutoRenews eq false',
      "contains(Notes, '')",
      'Notes ne null',
    ])
      expect(holds(text, empty), text).to.equal(false)
  })
})

describe('an order', () => {
  const record = (suffix: string, notes: string | null, rent?: number): Fields => ({
    Id: `contract-${suffix}`,
    ContractNumber: notes,
    MonthlyRent: rent === undefined ? null : { Amount: rent, Currency: 'EUR' },
  })
  const sorted = (text: string, ...records: Fields[]) =>
    records
      .toSorted(
        compareBy(text ? parseSort(text, sampleDefinition('contract'), sampleDefinitions) : [], resolve),
      )
      .map(({ Id }) => (Id as string).replace('contract-', ''))

  it('has records without a value first, and last when it descends', () => {
    const records = [record('a', null, 10), record('b', null), record('c', null, 9), record('d', null, -1)]
    expect(sorted('MonthlyRent', ...records)).to.deep.equal(['b', 'd', 'c', 'a'])
    expect(sorted('-MonthlyRent', ...records)).to.deep.equal(['a', 'c', 'd', 'b'])
  })

  it('goes by folded text and then by creation, in the direction of the first key', () => {
    const records = [record('a', 'Beta'), record('b', 'alpha'), record('c', 'ALPHA'), record('d', 'B')]
    expect(sorted('ContractNumber', ...records)).to.deep.equal(['b', 'c', 'd', 'a'])
    expect(sorted('-ContractNumber', ...records)).to.deep.equal(['a', 'd', 'c', 'b'])
    expect(sorted('', ...records)).to.deep.equal(['d', 'c', 'b', 'a'])
  })

  it('goes by code points where UTF-16 would not', () =>
    expect(sorted('ContractNumber', record('a', '😀'), record('b', '\uffee'))).to.deep.equal(['b', 'a']))
})
