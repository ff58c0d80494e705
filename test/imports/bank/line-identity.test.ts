/** Names of lines: the same line has the same one in every export, and two lines never share one. */
import { expect } from 'chai'
import fc from 'fast-check'
import { lineIdentities } from '../../../src/imports/bank/line-identity.ts'
import type { BankLine } from '../../../src/imports/bank/statement.ts'

const line = (more: Partial<BankLine> = {}): BankLine => ({
  place: 1,
  bookingDate: '2029-04-03',
  amount: '-2.50',
  currency: 'EUR',
  bankReferences: [],
  text: 'Coffee',
  ...more,
})
const named = (lines: readonly BankLine[], trusted = false) => {
  const identities = lineIdentities('NL91ABNA0417164300', trusted)
  return lines.map((one) => identities.of(one))
}

describe('the name of a bank line', () => {
  it('is the same for the same day exported twice, with two equal lines', () => {
    const day = [line(), line({ text: 'Rent', amount: '800' }), line()]
    expect(named(day)).to.deep.equal(named(day))
    expect(new Set(named(day)).size).to.equal(3)
    expect(named([...day, line()]).slice(0, 3)).to.deep.equal(named(day))
  })

  it('does not hang on how a file writes amounts, blanks or places', () =>
    expect(named([line({ amount: '-2.5', text: 'Coffee  ', place: 9 })])).to.deep.equal(named([line()])))

  it('has more than the reference, which fee and payment may share', () => {
    const lines = [
      line({ bankReferences: ['R'] }),
      line({ bankReferences: ['R'], amount: '-0.10' }),
      line({ bankReferences: ['R'], bookingDate: '2029-04-04' }),
    ]
    expect(new Set(named(lines, true)).size).to.equal(3)
    expect(named([lines[0]!], true)).to.deep.equal(
      named([line({ bankReferences: ['R'], text: 'other words' })], true),
    )
    expect(named([lines[0]!])).not.to.deep.equal(named([lines[0]!], true))
  })

  it('is of its account, and never of the payer', () => {
    expect(lineIdentities('A', false).of(line())).not.to.equal(lineIdentities('B', false).of(line()))
    expect(named([line({ endToEndId: 'X' })])).to.deep.equal(named([line()]))
    expect(named([line()])[0]).to.have.length.below(100)
  })

  it('adds nothing twice however exports overlap by whole days', () => {
    const days = fc.array(
      fc.array(fc.record({ amount: fc.constantFrom('1', '2'), text: fc.constantFrom('a', 'b') }), {
        maxLength: 5,
      }),
      { minLength: 1, maxLength: 8 },
    )
    fc.assert(
      fc.property(
        days,
        fc.array(fc.tuple(fc.nat(7), fc.nat(7)), { minLength: 1, maxLength: 6 }),
        (all, exports) => {
          const linesOf = (from: number, to: number) =>
            all.flatMap((lines, day) =>
              day < from || day > to
                ? []
                : lines.map((one) => line({ ...one, bookingDate: `2029-04-0${day + 1}` })),
            )
          const stored = new Set(exports.flatMap(([a, b]) => named(linesOf(Math.min(a, b), Math.max(a, b)))))
          const covered = all.flatMap((lines, day) =>
            exports.some(([a, b]) => day >= Math.min(a, b) && day <= Math.max(a, b)) ? lines : [],
          )
          expect(stored.size).to.equal(covered.length)
        },
      ),
    )
  })
})
