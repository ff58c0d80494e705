/** Who waits for something that may never be told is told so in time. */
import { expect } from 'chai'
import { boundedWait } from '../../src/domain/bounded-wait.ts'
import { Unavailable } from '../../src/domain/errors.ts'

const LONG_MS = 1_000_000

describe('a bounded wait', () => {
  it('gives what the work gives', async () => {
    expect(await boundedWait(LONG_MS, Promise.resolve(7), 'late')).to.equal(7)
  })

  it('fails as the work fails', async () => {
    const failed = new Error('no')
    const caught: unknown = await boundedWait(LONG_MS, Promise.reject(failed), 'late').catch(
      (error: unknown) => error,
    )
    expect(caught).to.equal(failed)
  })

  it('says in its own words that nothing has come', async () => {
    const never = new Promise<never>(() => {})
    const caught: unknown = await boundedWait(1, never, 'nobody is there').catch((error: unknown) => error)
    expect(caught).to.be.instanceOf(Unavailable).with.property('message', 'nobody is there')
  })
})
