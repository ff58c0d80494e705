/** Parts of the past as bodies name them. */
import { expect } from 'chai'
import { Invalid } from '../../src/domain/errors.ts'
import { spanOf } from '../../src/shapes/span.ts'

describe('a span', () => {
  it('ends with its last day, the whole of it', () => {
    expect(spanOf({ From: '2026-03-31', To: '2026-03-31' })).to.deep.equal({
      from: '2026-03-31T00:00:00Z',
      to: '2026-04-01T00:00:00Z',
    })
    expect(spanOf({ From: 'beginning', To: null })).to.deep.equal({})
    expect(() => spanOf({ From: '2026-04-01', To: '2026-03-31' })).to.throw(
      Invalid,
      'must be later than From',
    )
  })

  it('may end with the last day that there is', () =>
    expect(spanOf({ From: '2026-01-01', To: '9999-12-31' })).to.deep.equal({
      from: '2026-01-01T00:00:00Z',
      to: '9999-12-31T23:59:59Z',
    }))
})
