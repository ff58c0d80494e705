import { expect } from 'chai'
import fc from 'fast-check'
import { formatNumber } from '../../../src/domain/records/numbering.ts'

const contracts = { field: 'ContractNumber', pattern: 'CON-{year}-{sequence}', digits: 4 }

describe('a number', () => {
  it('has year and sequence, the sequence padded with zeros', () => {
    expect(formatNumber(contracts, 2026, 1)).to.equal('CON-2026-0001')
    expect(formatNumber(contracts, 2026, 9_999)).to.equal('CON-2026-9999')
  })

  it('grows longer where the digits do not suffice, and is never cut', () =>
    expect(formatNumber(contracts, 2026, 10_000)).to.equal('CON-2026-10000'))

  it('may have no year, or other text around', () => {
    expect(formatNumber({ field: 'Number', pattern: '{sequence}', digits: 1 }, 0, 12)).to.equal('12')
    expect(formatNumber({ field: 'Number', pattern: '$&{sequence}/{year}$1', digits: 2 }, 2026, 7)).to.equal(
      '$&07/2026$1',
    )
  })

  it('is another one for every year and sequence', () =>
    fc.assert(
      fc.property(
        fc.tuple(fc.integer({ min: 1970, max: 9_999 }), fc.integer({ min: 1, max: 2_000_000 })),
        fc.tuple(fc.integer({ min: 1970, max: 9_999 }), fc.integer({ min: 1, max: 2_000_000 })),
        (one, other) => {
          const same = one[0] === other[0] && one[1] === other[1]
          expect(formatNumber(contracts, ...one) === formatNumber(contracts, ...other)).to.equal(same)
        },
      ),
    ))
})
