/** Secrets at rest open with their key, for their owner, unchanged; and with nothing else. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { sealer } from '../../../src/identity/secrets/sealed-secrets.ts'

const [old, current, foreign] = [randomBytes(32), randomBytes(32), randomBytes(32)]

describe('a sealed secret', () => {
  it('opens to the text that was sealed, whatever the text', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (secret, owner) => {
        const { seal, open } = sealer([current])
        expect(open(seal(secret, owner), owner)).to.equal(secret)
      }),
    ))

  it('looks different each time', () => {
    const { seal } = sealer([current])
    expect(seal('a secret', 'webhook-1')).to.not.equal(seal('a secret', 'webhook-1'))
  })

  it('opens after the key was changed, as long as the old key is in the ring', () => {
    const sealed = sealer([old]).seal('a secret', 'webhook-1')
    expect(sealer([current, old]).open(sealed, 'webhook-1')).to.equal('a secret')
    expect(() => sealer([current, foreign]).open(sealed, 'webhook-1')).to.throw('not known here')
  })

  it('does not open for another owner', () => {
    const { seal, open } = sealer([current])
    expect(() => open(seal('a secret', 'webhook-1'), 'webhook-2')).to.throw()
  })

  it('does not open when any character of it was changed', () => {
    const { seal, open } = sealer([current])
    const sealed = seal('a secret', 'webhook-1')
    for (let at = 0; at < sealed.length; at++) {
      // The last character of a part may carry bits that are not used.
      if (sealed[at] === '.' || sealed[at + 1] === '.' || at === sealed.length - 1) continue
      const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1)
      expect(() => open(changed, 'webhook-1'), changed).to.throw()
    }
  })

  it('is not what other purposes are served with: each has a key of its own, of every master key', () => {
    const ring = sealer([current, old])
    const all = [...ring.deriveAll('sessions').values()].map((key) => key.toString('hex'))
    expect(all).to.deep.equal([
      sealer([current]).derive('sessions').toString('hex'),
      sealer([old]).derive('sessions').toString('hex'),
    ])
    expect(ring.derive('tokens').toString('hex')).to.not.equal(all[0])
  })

  it('cannot be made without a key', () => expect(() => sealer([])).to.throw('no key'))
})
