import { expect } from 'chai'
import { watchRights } from '../../../src/api/operations/watch-rights.ts'
import { Denied, Unavailable } from '../../../src/domain/errors.ts'

describe('a service that is ready', () => {
  it('is so no longer when the store of events denies it to read, until it may again', async () => {
    const answers = [
      () => Promise.resolve(5),
      () => Promise.reject(new Denied('head: the event store denies access')),
      () => Promise.reject(new Unavailable('head: the event store cannot be reached')),
      () => Promise.resolve(6),
    ]
    const seen: (string | undefined)[] = []
    const done = Promise.withResolvers<void>()
    const rights = watchRights({ head: () => answers[seen.length]!() }, async () => {
      seen.push(rights.denied())
      if (seen.length < answers.length) return
      rights.stop()
      done.resolve()
    })
    await done.promise
    const denied = 'The event store does not let the service read $all.'
    expect(seen).to.deep.equal([undefined, denied, denied, undefined])
  })
})
