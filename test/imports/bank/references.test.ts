/** References and account numbers by their check digits: the published examples, and no other digit. */
import { expect } from 'chai'
import fc from 'fast-check'
import {
  isBelgian,
  isFinnish,
  isIban,
  isKid,
  isQrr,
  isRf,
  isStructuredReference,
  plainReference,
} from '../../../src/imports/bank/references.ts'

const KINDS: readonly (readonly [string, (text: string) => boolean, readonly string[]])[] = [
  ['an RF reference', isRf, ['RF18539007547034', 'RF471234567890', 'RF45G72UUR']],
  ["Norway's KID", isKid, ['1234567897', '2345676']],
  ["Switzerland's QR reference", isQrr, ['210000000003139471430009017', '000000000000000000000000000']],
  ["Belgium's reference", isBelgian, ['010806817183', '090933755493', '123456789002']],
  ["Finland's reference", isFinnish, ['1232', '1234561']],
  [
    'an IBAN',
    isIban,
    ['NL91ABNA0417164300', 'DE89370400440532013000', 'GB82WEST12345698765432', 'NO9386011117947'],
  ],
]

describe('check digits', () => {
  for (const [name, is, examples] of KINDS) {
    it(`know ${name}`, () => {
      for (const example of examples) expect(is(example), example).to.equal(true)
      for (const wrong of ['', 'x', '1', 'RF00', 'NL00', '12345678901234567890123456789012345'])
        expect(is(wrong), wrong).to.equal(false)
    })

    it(`see one digit that is wrong in ${name}`, () => {
      for (const example of examples)
        for (let i = 0; i < example.length; i++)
          if (/\d/.test(example[i]!) && name !== "Norway's KID") {
            const changed = example.slice(0, i) + ((Number(example[i]) + 1) % 10) + example.slice(i + 1)
            expect(is(changed), changed).to.equal(false)
          }
    })
  }

  it('are made and recognised again', () =>
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 9_999_999_999n }), (number) => {
        const digits = String(number).padStart(10, '0')
        expect(isBelgian(digits + String(Number(number % 97n) || 97).padStart(2, '0'))).to.equal(true)
        const body = String(number)
        const check = 98n - (BigInt(`${body}271500`) % 97n)
        expect(isRf(`RF${String(check).padStart(2, '0')}${body}`)).to.equal(true)
        const ends = Array.from({ length: 10 }, (_, i) => i)
        expect(ends.filter((end) => isFinnish(`${digits}${end}`))).to.have.length(1)
        expect(ends.filter((end) => isQrr(`0000000000000000${digits}${end}`))).to.have.length(1)
      }),
    ))

  it('are the same in every spelling', () => {
    expect(plainReference('+++010/8068/17183+++')).to.equal('010806817183')
    expect(plainReference('rf18 5390 0754 7034')).to.equal('RF18539007547034')
    expect(isStructuredReference(plainReference('21 00000 00003 13947 14300 09017'))).to.equal(true)
    expect(isStructuredReference('12')).to.equal(false)
  })
})
