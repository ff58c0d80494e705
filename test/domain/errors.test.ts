import { expect } from 'chai'
import { messageOf } from '../../src/domain/errors.ts'

describe('what an error says', () => {
  it('is its message, or what was thrown', () => {
    expect([new Error('broken'), 'broken', 7, undefined].map(messageOf)).to.deep.equal([
      'broken',
      'broken',
      '7',
      'undefined',
    ])
  })

  it('is what each of several says', () => {
    const refused = ['::1', '127.0.0.1'].map((host) => new Error(`connect ECONNREFUSED ${host}`))
    expect(messageOf(new AggregateError(refused))).to.equal(
      'connect ECONNREFUSED ::1; connect ECONNREFUSED 127.0.0.1',
    )
    expect(messageOf(new AggregateError([], 'none of them'))).to.equal('none of them')
  })
})
