/** Numbers as they are written: read exactly, or not at all. */
import { expect } from 'chai'
import fc from 'fast-check'
import {
  isShortened,
  numberIn,
  decimalSignOf,
  type DecimalSign,
} from '../../../src/imports/values/numbers.ts'
import { written } from '../../../src/imports/decimal.ts'

describe('a number that is written', () => {
  const taken: readonly (readonly [string, DecimalSign, string])[] = [
    ['1234', '.', '1234'],
    ['1.234', ',', '1234'],
    ['1.234', '.', '1.234'],
    ['1,234', '.', '1234'],
    ['1.234.567,89', ',', '1234567.89'],
    ['1’234.50', '.', '1234.50'],
    ["1'234,50", ',', '1234.50'],
    ['1 234,50', ',', '1234.50'],
    ['1\u00a0234,50', ',', '1234.50'],
    ['(32.000,00)', ',', '-32000.00'],
    ['€ 5', ',', '5'],
    ['5 €', ',', '5'],
    ['-€5', ',', '-5'],
    ['€ -5,10', ',', '-5.10'],
    ['EUR 1.000', ',', '1000'],
    ['1.000 EUR', ',', '1000'],
    ['5-', ',', '-5'],
    ['5,-', ',', '5'],
    ['€ 5,--', ',', '5'],
    ['−5', '.', '-5'],
    ['+5.5', '.', '5.5'],
    ['.5', '.', '0.5'],
    ['12,34,567.00', '.', '1234567.00'],
    ['00123', '.', '123'],
    ['12345678901234567.89', '.', '12345678901234567.89'],
    ['-1.00', '.', '-1.00'],
  ]
  for (const [text, decimal, value] of taken)
    it(`${text} with ${decimal} is ${value}`, () => expect(numberIn(text, { decimal })).to.equal(value))

  it('is nothing else', () => {
    for (const text of [
      '',
      '-',
      '.',
      'abc',
      '1.2.3,4,5',
      '1,23',
      '12,3456.0',
      '1..2',
      '--5',
      '-5-',
      '(-5)',
      '€ 5 EUR',
      '5%',
      '1.2345.678',
      '1/2',
      '5 x',
      'Infinity',
      '1e5',
      '2029-04-03',
      '+31 6 1234',
    ])
      expect(numberIn(text, { decimal: '.' }), text).to.equal(undefined)
    expect(numberIn('1.50', { decimal: ',' })).to.equal(undefined)
    expect(numberIn('1,234', { decimal: '.', group: '' })).to.equal(undefined)
  })

  it('says which decimal sign it has, as far as it does', () => {
    for (const [text, sign] of [
      ['1.234', 'either'],
      ['1,234', 'either'],
      ['1234', 'none'],
      ['1.5', '.'],
      ['1,5', ','],
      ['1.234,5', ','],
      ['1.234.567', ','],
      ['0.123', '.'],
      ['1234.567', '.'],
      ['x', undefined],
    ] as const)
      expect(decimalSignOf(text), text).to.equal(sign)
  })

  it('is the one that was meant, however it is grouped and signed', () => {
    const styles = fc.record({
      decimal: fc.constantFrom<DecimalSign>('.', ','),
      blank: fc.constantFrom(undefined, ' ', '\u00a0', '’', "'"),
      grouped: fc.boolean(),
      negative: fc.constantFrom(
        (text: string) => `-${text}`,
        (text: string) => `(${text})`,
        (text: string) => `${text}-`,
      ),
      currency: fc.constantFrom('', '€', 'EUR '),
    })
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
        fc.integer({ min: 0, max: 4 }),
        styles,
        (value, places, style) => {
          const decimal = written(value, places)
          const [whole = '', decimals] = decimal.replace('-', '').split('.')
          const group = style.blank ?? (style.decimal === '.' ? ',' : '.')
          const grouped = style.grouped ? whole.replaceAll(/\B(?=(\d{3})+$)/g, group) : whole
          const text =
            style.currency + (decimals === undefined ? grouped : grouped + style.decimal + decimals)
          expect(numberIn(value < 0n ? style.negative(text) : text, style)).to.equal(decimal)
        },
      ),
    )
  })

  it('is seen to be shortened by a spreadsheet', () => {
    for (const text of ['1.23E+15', '1,2E+11', '4E+17']) expect(isShortened(text), text).to.equal(true)
    for (const text of ['1E5', '12E+10', 'E+15', '1.23']) expect(isShortened(text), text).to.equal(false)
  })
})
