/** The text of a filter as chips, and back: what is not touched stays as it was written. */
import { expect } from 'chai'
import fc from 'fast-check'
import {
  conditionsOf,
  joined,
  namesIn,
  readCondition,
  writeCondition,
  type Condition,
} from '../../console/src/records/filter/text.ts'

describe('the text of a filter', () => {
  it('is split at each and outside of quotes and brackets', () => {
    const text =
      "Name eq 'this and that' and (A eq 1 and B eq 2) and not (C eq 3) and contains(Tenant/Name, 'x''y')"
    expect(conditionsOf(text)).to.deep.equal([
      "Name eq 'this and that'",
      '(A eq 1 and B eq 2)',
      'not (C eq 3)',
      "contains(Tenant/Name, 'x''y')",
    ])
    expect(conditionsOf('  ')).to.deep.equal([])
  })

  it('with an or at the top is one condition, which stays apart beside others', () => {
    expect(conditionsOf('A eq 1 and B eq 2 or C eq 3')).to.deep.equal(['A eq 1 and B eq 2 or C eq 3'])
    expect(joined(['A eq 1 or B eq 2', 'C eq 3'])).to.equal('(A eq 1 or B eq 2) and C eq 3')
    expect(joined(['(A eq 1 or B eq 2)', 'C eq 3'])).to.equal('(A eq 1 or B eq 2) and C eq 3')
  })

  it('is read in its simple forms, and no other', () => {
    expect(readCondition('MonthlyRent gt 1000')).to.deep.equal({
      path: 'MonthlyRent',
      operator: 'gt',
      value: '1000',
      isText: false,
    })
    expect(readCondition("contains(Tenant/Name, 'O''Brien')")).to.deep.include({ value: "O'Brien" })
    for (const text of ['not (A eq 1)', 'A eq 1 or B eq 2', 'tolower(A) eq 1', "A eq 'x' 'y'", ''])
      expect(readCondition(text), text).to.equal(undefined)
  })

  it('comes back from every condition as it went in, alone and among others', () => {
    const condition = fc.record<Condition>({
      path: fc.constantFrom('Name', 'Tenant/Name', 'A1'),
      operator: fc.constantFrom('eq', 'ne', 'contains', 'startswith', 'endswith'),
      value: fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' ')),
      isText: fc.constant(true),
    })
    fc.assert(
      fc.property(fc.array(condition, { minLength: 1, maxLength: 4 }), (all) => {
        const text = joined(all.map(writeCondition))
        expect(conditionsOf(text).map(readCondition)).to.deep.equal(all)
      }),
    )
  })

  it('names its fields, not what is in quotes', () => {
    expect(
      namesIn(
        "contains(Tenant/Name, 'Big House') and MonthlyRent/Amount gt 5 and At gt 2030-01-01T00:00:00Z",
      ),
    ).to.deep.equal(['Tenant', 'MonthlyRent', 'At'])
  })
})
