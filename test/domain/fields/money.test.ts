import { expect } from 'chai'
import fc from 'fast-check'
import { decimalPlaces, decimalsOf, isExact } from '../../../src/domain/fields/money.ts'

describe('currencies', () => {
  it('have the decimals of ISO 4217', () => {
    const decimals = { EUR: 2, USD: 2, GBP: 2, CHF: 2, JPY: 0, KRW: 0, ISK: 0, KWD: 3, TND: 3, CLF: 4 }
    for (const [code, count] of Object.entries(decimals)) expect(decimalsOf(code), code).to.equal(count)
  })

  it('are known by their code in capitals and by nothing else', () => {
    for (const text of ['', 'eur', 'EURO', 'EU', ' EUR', 'XXX', '€', 'constructor', '__proto__', 'toString'])
      expect(decimalsOf(text), text).to.equal(undefined)
  })
})

describe('decimal places', () => {
  it('are those of the shortest text of a number, exponents included', () => {
    const places: [number, number][] = [
      [0, 0],
      [12, 0],
      [12.5, 1],
      [-0.01, 2],
      [1234.567, 3],
      [1e21, 0],
      [1.5e21, 0],
      [1e-7, 7],
      [1.25e-7, 9],
      [5e-324, 324],
      [Number.MAX_VALUE, 0],
    ]
    for (const [value, count] of places) expect(decimalPlaces(value), String(value)).to.equal(count)
  })

  it('are those that were written, for up to 15 digits', () =>
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 999_999_999_999_999n }),
        fc.integer({ min: 0, max: 12 }),
        (digits, places) => {
          fc.pre(places === 0 || digits % 10n !== 0n)
          expect(decimalPlaces(Number(decimal(digits, places)))).to.equal(places)
        },
      ),
    ))
})

describe('an exact amount', () => {
  it('has no more decimals than its currency', () => {
    expect(isExact(1250.5, 2)).to.equal(true)
    expect(isExact(-0.01, 2)).to.equal(true)
    expect(isExact(0.001, 2)).to.equal(false)
    expect(isExact(0.1 + 0.2, 2)).to.equal(false)
    expect(isExact(12.5, 0)).to.equal(false)
    expect(isExact(1e-7, 4)).to.equal(false)
    expect(isExact(0, 0)).to.equal(true)
  })

  it('has no more digits than a double keeps apart', () => {
    expect(isExact(9_999_999_999_999.99, 2)).to.equal(true)
    expect(isExact(99_999_999_999_999.99, 2)).to.equal(false)
    expect(isExact(999_999_999_999_999, 0)).to.equal(true)
    expect(isExact(1e16, 0)).to.equal(false)
    expect(isExact(1e21, 2)).to.equal(false)
    expect(isExact(Number.MAX_VALUE, 0)).to.equal(false)
  })

  it('prints back as it was written, to the last digit, whatever the currency', () => {
    // More digits towards the limit, where doubles lie further apart than the smallest unit does.
    const units = fc.oneof(
      fc.bigInt({ min: 0n, max: 9_999_999_999n }),
      fc.bigInt({ min: 10n ** 14n, max: 10n ** 16n }),
    )
    fc.assert(
      fc.property(units, fc.constantFrom(0, 2, 3, 4), fc.boolean(), (digits, decimals, negative) => {
        const text = (negative && digits > 0n ? '-' : '') + decimal(digits, decimals)
        const amount = Number(text)
        if (isExact(amount, decimals)) expect(amount.toFixed(decimals)).to.equal(text)
      }),
      { numRuns: 1_000 },
    )
  })

  it('has a neighbour one unit away that is another number', () => {
    // 80 trillion euros: a double there is 1/64 away from the next.
    const [one, next] = [80_000_000_000_000.01, 80_000_000_000_000.02] as const
    expect(one).to.equal(next)
    expect(isExact(next, 2)).to.equal(false)
  })

  it('is every amount of business: all that have up to 15 digits', () =>
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 999_999_999_999_999n }),
        fc.constantFrom(0, 2, 3, 4),
        (digits, decimals) => {
          expect(isExact(Number(decimal(digits, decimals)), decimals)).to.equal(true)
        },
      ),
    ))
})

/** The decimal that has these digits, the last `places` of them behind the point. */
function decimal(digits: bigint, places: number): string {
  const text = String(digits).padStart(places + 1, '0')
  return places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`
}
