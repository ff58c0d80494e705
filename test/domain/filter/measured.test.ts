/** Functions that make a number of a value, `now()`, `not in`, and what is said of the words of other languages. */
import { expect } from 'chai'
import { Invalid } from '../../../src/domain/errors.ts'
import { parseFilter } from '../../../src/domain/filter/parse.ts'
import { matches } from '../../../src/domain/filter/evaluate.ts'
import type { Fields } from '../../../src/domain/json.ts'
import { sampleDefinition, sampleDefinitions } from '../../support/sample-definitions.ts'

const now = new Date('2026-03-31T10:20:30.400Z')
const parse = (text: string, at: Date | undefined = now) =>
  parseFilter(text, sampleDefinition('contract'), sampleDefinitions, at)
const record: Fields = {
  Id: 'contract-1',
  StartDate: '2026-03-31',
  SignedAt: '2026-12-31T23:59:59Z',
  Notes: 'naïve 🙂',
  Status: 'Draft',
}
const empty: Fields = { Id: 'contract-2', StartDate: null, SignedAt: null, Notes: null, Status: 'Draft' }
const holds = (text: string, of: Fields) => matches(parse(text), of, () => undefined)

function refusal(text: string, at: Date | null = now): string {
  try {
    parseFilter(text, sampleDefinition('contract'), sampleDefinitions, at ?? undefined)
  } catch (error) {
    if (error instanceof Invalid) return error.message
    throw error
  }
  throw new Error(`${text} was taken`)
}

describe('a number made of a value', () => {
  it('is compared as a number, and characters are counted', () => {
    for (const text of [
      'length(Notes) eq 7',
      'length(Notes) gt 6 and length(Notes) le 7',
      'length(Notes) in (1, 7)',
      'year(StartDate) eq 2026 and year(SignedAt) eq 2026',
      'year(StartDate) ge 2026 and year(StartDate) lt 2027 and year(StartDate) gt 2025',
      'year(StartDate) le 9999 and year(StartDate) in (2025, 2026)',
      'month(StartDate) eq 3 and day(StartDate) eq 31',
      'MONTH(SignedAt) eq 12',
      'StartDate eq today() and StartDate eq now() and SignedAt gt now()',
      "Status not in ('Active', 'PendingApproval')",
      'length(Notes) not in (1, 2)',
    ]) {
      expect(holds(text, record), text).to.equal(true)
      expect(holds(`not (${text})`, record), text).to.equal(false)
    }
  })

  it('is nothing for a record without the value', () => {
    for (const text of [
      'length(Notes) ge 0',
      'year(StartDate) le 9999',
      'day(SignedAt) eq 1',
      'year(StartDate) eq 2026',
    ])
      expect(holds(text, empty), text).to.equal(false)
    for (const text of [
      'length(Notes) ne 0',
      'year(StartDate) ne 2026',
      'month(SignedAt) eq null',
      'length(Notes) not in (1)',
    ])
      expect(holds(text, empty), text).to.equal(true)
  })

  it('makes of a year the range of its days, which an index answers', () => {
    expect(parse('year(StartDate) eq 2026')).to.deep.equal(
      parse('StartDate ge 2026-01-01 and StartDate lt 2027-01-01'),
    )
    expect(parse('year(SignedAt) gt 2026')).to.deep.equal(parse('SignedAt ge 2027-01-01T00:00:00Z'))
    expect(parse('year(StartDate) eq 9999')).to.deep.equal(parse('StartDate ge 9999-01-01'))
  })

  it('is compared with integers that it can be', () => {
    expect(refusal('month(StartDate) eq 13')).to.include(
      'expected an integer from 1 to 12 for month(StartDate)',
    )
    expect(refusal('length(Notes) gt -1')).to.include('expected an integer from 0 to 1000000')
    expect(refusal('length(Duration) gt 1')).to.include('length takes a text field, not Duration')
    expect(refusal('year(Notes) eq 2026')).to.include('year takes a date or a timestamp, not Notes')
    expect(refusal('length(Notes)')).to.include(
      'expected an operator (eq, ne, gt, ge, lt, le, in) after length(Notes)',
    )
    expect(refusal('not length(Notes)')).to.include('in parentheses')
  })
})

describe('a filter that is kept', () => {
  it('has no now(), and may name choices that went', () => {
    expect(refusal('StartDate lt now()', null)).to.include('now() in a filter that is kept')
    expect(parseFilter("Status eq 'Gone'", sampleDefinition('contract'), sampleDefinitions)).to.include({
      value: 'Gone',
    })
  })
})

describe('the words of another language', () => {
  for (const [text, hint] of [
    ["Notes like '%x%'", "write contains(Notes, '…')"],
    ["Notes not like '%x%'", "write contains(Notes, '…')"],
    ["Tenant/Name ILIKE 'x'", "write contains(Tenant/Name, '…')"],
    ["Notes startswith 'x'", "write startswith(Notes, '…')"],
    ['MonthlyRent between 1 and 2', 'write MonthlyRent ge … and MonthlyRent le …'],
    ["Tenant.Name eq 'x'", 'write Tenant/Name'],
    ["Email eq 'x'", 'did you mean Tenant/Email?'],
    ["contains('x', Notes)", "the field comes first: Notes, 'x'"],
    ['and', 'expected a condition, found and'],
    ['StartDate lt today', 'write today()'],
    ["Notes/any(n: n eq 'x')", 'it has one value: compare it as it is'],
    ["Status eq 'draft'", "Status is never 'draft' at 11; did you mean Draft?"],
    ["Status in ('Draft', 'Nope')", "Status is never 'Nope'"],
    ["Status ne 'Nope'", 'it is one of Draft,'],
  ] as const)
    it(`is told the words of this one: ${text}`, () => expect(refusal(text)).to.include(hint))
})
