/** Tokens of the feed of changes: nobody makes one, or takes one elsewhere. */
import { expect } from 'chai'
import { changesTokens } from '../../../src/api/history/changes-token.ts'
import { Invalid } from '../../../src/domain/errors.ts'

describe('tokens of the feed of changes', () => {
  const [old, now] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const { write, read } = changesTokens(() => [now, old])
  const token = write('company-1', 'tenant', 2 ** 40)

  it('are read as they were written, for the company and object that they were written for', () => {
    expect(read('company-1', 'tenant', token)).to.equal(2 ** 40)
    expect(() => read('company-2', 'tenant', token)).to.throw(Invalid)
    expect(() => read('company-1', 'unit', token)).to.throw(Invalid)
  })

  it('are those of each key that is known, and no other', () => {
    expect(read('company-1', 'tenant', changesTokens(() => [old]).write('company-1', 'tenant', 7))).to.equal(
      7,
    )
    expect(() => changesTokens(() => [old]).read('company-1', 'tenant', token)).to.throw(Invalid)
  })

  it('are not, with one bit changed anywhere', () => {
    const bytes = Buffer.from(token, 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const other = Buffer.from(bytes)
      other[bit >> 3]! ^= 1 << (bit & 7)
      expect(() => read('company-1', 'tenant', other.toString('base64url')), String(bit)).to.throw(Invalid)
    }
  })
})
