/** Positions as clients see them: nobody makes one, takes one elsewhere, or learns from one how much others write. */
import { expect } from 'chai'
import fc from 'fast-check'
import { POSITION_TOKEN, positionTokens } from '../../../src/api/http/position-tokens.ts'

describe('a position as clients see it', () => {
  const [old, now] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const tokens = (keys = [now, old], log = 'log-1') => positionTokens({ keys: () => keys, log: () => log })
  const { write, read } = tokens()
  const token = write('company-1', 'changes tenant', 2 ** 40)

  it('is read as it was written, by the company and for the purpose that it was written for', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.string(), fc.string(), (position, company, of) => {
        const written = write(company, of, position)
        expect(written).to.match(POSITION_TOKEN)
        expect(read(company, of, written)).to.equal(position)
      }),
    )
    expect(read('company-2', 'changes tenant', token)).to.equal('unknown')
    expect(read('company-1', 'changes unit', token)).to.equal('unknown')
  })

  it('is the same each time, and says nothing of how far apart two are', () => {
    expect(write('company-1', 'changes tenant', 2 ** 40)).to.equal(token)
    const texts = Array.from({ length: 1_000 }, (_, i) => write('company-1', 'write', 1_000 + i))
    expect(new Set(texts).size).to.equal(1_000)
    // Neither in the order of their positions nor alike where those are.
    expect(texts.toSorted()).not.to.deep.equal(texts)
    const bits = (text: string) => [...Buffer.from(text, 'base64url')].map((byte) => byte.toString(2)).join()
    const alike = texts
      .slice(1)
      .filter((text, i) => bits(text).slice(10, 40) === bits(texts[i]!).slice(10, 40))
    expect(alike).to.deep.equal([])
  })

  it('is known by each key that is, and by no other', () => {
    expect(read('company-1', 'write', tokens([old]).write('company-1', 'write', 7))).to.equal(7)
    expect(tokens([old]).read('company-1', 'changes tenant', token)).to.equal('unknown')
  })

  it('is of its log only', () => {
    expect(tokens([now], 'log-2').read('company-1', 'changes tenant', token)).to.equal('other log')
  })

  it('is not one, with a bit changed anywhere, nor is a number or anything else', () => {
    const bytes = Buffer.from(token, 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const other = Buffer.from(bytes)
      other[bit >> 3]! ^= 1 << (bit & 7)
      expect(read('company-1', 'changes tenant', other.toString('base64url')), String(bit)).to.equal(
        'unknown',
      )
    }
    const spelled = token.slice(0, -1) + String.fromCharCode(token.charCodeAt(22) + 1)
    for (const text of ['', '18', '0'.repeat(23), `${token}A`, ` ${token}`, `${token}=`, spelled])
      expect(read('company-1', 'changes tenant', text), text).to.equal('unknown')
  })
})
