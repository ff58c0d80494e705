import { expect } from 'chai'
import fc from 'fast-check'
import { isKeyOf, keyOf, objectOfKey, uuid7 } from '../../../src/domain/records/key.ts'

const anyObject = fc.stringMatching(/^[a-z][a-z0-9]{0,12}$/)
const anyBytes = fc.uint8Array({ minLength: 16, maxLength: 16 })

describe('a Key', () => {
  it('is the object, a hyphen and 26 letters of base32', () => {
    expect(keyOf('contract', new Uint8Array(16))).to.equal(`contract-${'0'.repeat(26)}`)
    expect(keyOf('unit', new Uint8Array(16).fill(0xff))).to.equal(`unit-7${'z'.repeat(25)}`)
    expect(
      keyOf(
        'tenant',
        Uint8Array.from({ length: 16 }, (_, i) => i * 17),
      ),
    ).to.equal('tenant-0024h36h2ncsvrh6daqf6dvvqz')
  })

  it('says everything that its bytes say: other bytes make another Key', () =>
    fc.assert(
      fc.property(anyObject, anyBytes, (object, bytes) => {
        expect(bytesOf(keyOf(object, bytes))).to.deep.equal(bytes)
      }),
    ))

  it('sorts as its bytes sort', () =>
    fc.assert(
      fc.property(anyObject, anyBytes, anyBytes, (object, one, other) => {
        const [first, second] = [keyOf(object, one), keyOf(object, other)]
        const order = first < second ? -1 : first > second ? 1 : 0
        expect(order).to.equal(Math.sign(Buffer.compare(one, other)))
      }),
    ))

  it('is made of 16 bytes and no other number', () => {
    for (const length of [0, 15, 17])
      expect(() => keyOf('contract', new Uint8Array(length))).to.throw(RangeError, '16 bytes')
  })

  it('names its object, and is a Key of that object only', () =>
    fc.assert(
      fc.property(anyObject, anyObject, anyBytes, (object, other, bytes) => {
        const key = keyOf(object, bytes)
        expect(objectOfKey(key)).to.equal(object)
        expect(isKeyOf(object, key)).to.equal(true)
        expect(isKeyOf(other, key)).to.equal(other === object)
      }),
    ))

  it('is not any text: neither too short, too long, nor in another alphabet', () => {
    const suffix = '0'.repeat(26)
    const notKeys = [
      '',
      '-',
      'contract',
      'contract-',
      `-${suffix}`,
      `contract-${suffix.slice(1)}`,
      `contract-${suffix}0`,
      `contract-8${suffix.slice(1)}`, // 130 bits
      `contract-${suffix.slice(1)}i`,
      `contract-${suffix.slice(1)}l`,
      `contract-${suffix.slice(1)}o`,
      `contract-${suffix.slice(1)}u`,
      `contract-${suffix.slice(1)}Z`,
      `contract-${suffix}\n`,
      ` contract-${suffix}`,
      `Contract-${suffix}`,
      `2contract-${suffix}`,
      `con-tract-${suffix}`,
      `contract--${suffix.slice(1)}`,
      `contract_${suffix}`,
      `contract-${suffix.slice(1)}٠`,
      '42',
    ]
    for (const text of notKeys) expect(objectOfKey(text), JSON.stringify(text)).to.equal(undefined)
  })

  it('is only what could have been made: garbage never is', () => {
    const nearly = fc
      .tuple(anyObject, anyBytes, fc.nat(), fc.string({ unit: 'binary', maxLength: 2 }))
      .map(([object, bytes, at, put]) => {
        const key = keyOf(object, bytes)
        const place = at % (key.length + 1)
        return key.slice(0, place) + put + key.slice(place + 1)
      })
    return fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), nearly), anyObject, (text, object) => {
        const named = objectOfKey(text)
        expect(isKeyOf(object, text)).to.equal(named === object)
        if (named !== undefined) expect(keyOf(named, bytesOf(text))).to.equal(text)
      }),
    )
  })
})

describe('the bytes of a UUIDv7', () => {
  const anyTime = fc.integer({ min: 0, max: 2 ** 48 - 1 })
  const anyRandom = fc.uint8Array({ minLength: 10, maxLength: 10 })

  it('begin with the time, and carry version and variant', () =>
    fc.assert(
      fc.property(anyTime, anyRandom, (time, random) => {
        const bytes = Buffer.from(uuid7(time, random))
        expect(bytes.readUIntBE(0, 6)).to.equal(time)
        expect(bytes[6]! >> 4).to.equal(7)
        expect(bytes[8]! >> 6).to.equal(0b10)
      }),
    ))

  it('keep every random bit that version and variant leave', () =>
    fc.assert(
      fc.property(anyTime, anyRandom, (time, random) => {
        const bytes = uuid7(time, random)
        const kept = [bytes[6]! & 0x0f, bytes[7]!, bytes[8]! & 0x3f, ...bytes.slice(9)]
        expect(kept).to.deep.equal([random[0]! & 0x0f, random[1]!, random[2]! & 0x3f, ...random.slice(3)])
      }),
    ))

  it('are later in the order when the time is later, whatever is random', () =>
    fc.assert(
      fc.property(anyTime, anyTime, anyRandom, anyRandom, (one, other, random, otherRandom) => {
        fc.pre(one !== other)
        const order = Buffer.compare(uuid7(one, random), uuid7(other, otherRandom))
        expect(order).to.equal(Math.sign(one - other))
      }),
    ))
})

/** Crockford's base32 read back: not how the code under test writes it. */
function bytesOf(key: string): Uint8Array {
  const digits = '0123456789abcdefghjkmnpqrstvwxyz'
  let number = 0n
  for (const letter of key.slice(key.indexOf('-') + 1)) number = number * 32n + BigInt(digits.indexOf(letter))
  return Uint8Array.from(Buffer.from(number.toString(16).padStart(32, '0'), 'hex'))
}
