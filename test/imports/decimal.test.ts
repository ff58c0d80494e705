/** Exact decimals: what is added is the sum, to the last digit. */
import { expect } from 'chai'
import fc from 'fast-check'
import {
  absolute,
  compare,
  isDecimal,
  isNegative,
  negated,
  plainDecimal,
  sum,
  unscaled,
  withPlaces,
  written,
} from '../../src/imports/decimal.ts'

const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), fc.integer({ min: 0, max: 6 }))
  .map(([value, places]) => written(value, places))

describe('an exact decimal', () => {
  it('is written one way', () => {
    for (const [text, plain] of [
      ['.5', '0.5'],
      ['+1', '1'],
      ['007', '7'],
      ['1.50', '1.50'],
      ['1.5e3', '1500'],
      ['1e-3', '0.001'],
      ['-0', '0'],
      ['-.10', '-0.10'],
      ['12345678901234567890.01', '12345678901234567890.01'],
      ['5.', '5'],
    ] as const)
      expect(plainDecimal(text), text).to.equal(plain)
    for (const text of ['', '.', '-', '1,5', '1 000', 'e5', '0x10', 'NaN', 'Infinity', '1e9999', '1.2.3'])
      expect(plainDecimal(text), text).to.equal(undefined)
  })

  it('adds without loss, in any order', () =>
    fc.assert(
      fc.property(fc.array(decimal, { maxLength: 20 }), (decimals) => {
        const total = decimals.reduce((all, one) => all + unscaled(one, 6), 0n)
        expect(unscaled(sum(decimals), 6)).to.equal(total)
        expect(sum(decimals.toReversed())).to.equal(sum(decimals))
        expect(isDecimal(sum(decimals))).to.equal(true)
      }),
    ))

  it('compares as a number', () =>
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        expect(Math.sign(compare(a, b))).to.equal(Math.sign(Number(unscaled(a, 6) - unscaled(b, 6))))
        expect(compare(a, negated(negated(a)))).to.equal(0)
        expect(isNegative(absolute(a))).to.equal(false)
      }),
    ))

  it('takes the places of a currency unless digits would be lost', () => {
    expect(withPlaces('1.5', 2)).to.equal('1.50')
    expect(withPlaces('1.500', 2)).to.equal('1.50')
    expect(withPlaces('-1', 0)).to.equal('-1')
    expect(withPlaces('1.005', 2)).to.equal(undefined)
    expect(withPlaces('150.0', 0)).to.equal('150')
  })
})
