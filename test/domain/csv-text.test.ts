/** What is put before formulas in every CSV: of exports, error files, the warehouse and the audit. */
import { expect } from 'chai'
import fc from 'fast-check'
import { defused, restored } from '../../src/domain/csv-text.ts'

describe('text that a spreadsheet would calculate', () => {
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom(...`=+-@'\t\r\n＝＋－＠a `), maxLength: 6 }),
    fc.string({ unit: 'binary' }),
  )

  it('has an apostrophe before it, and any text is given back', () =>
    fc.assert(
      fc.property(text, (one) => {
        expect(restored(defused(one))).to.equal(one)
        expect(defused(one)).not.to.match(/^[=+\-@\t\r\n＝＋－＠]/)
      }),
      { numRuns: 1_000 },
    ))

  for (const [one, written] of [
    ['=1+1', "'=1+1"],
    ["'=1+1", "''=1+1"],
    ["'s-Hertogenbosch", "'s-Hertogenbosch"],
    ['+47 22', "'+47 22"],
    ['1-2', '1-2'],
  ] as const)
    it(`${one} is written as ${written}`, () => expect(defused(one)).to.equal(written))
})
