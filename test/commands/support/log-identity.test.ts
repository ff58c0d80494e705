/** The identity of a log: one for every store, the same for all who ask, also at once and later. */
import { expect } from 'chai'
import { logIdentity } from '../../../src/commands/support/log-identity.ts'
import { memoryEventStore, memoryLog } from '../../support/memory-event-store.ts'

describe('the identity of a log', () => {
  const now = () => Date.parse('2026-03-01T09:30:00.000Z')

  it('is made once, whoever asks first, and stays', async () => {
    const log = memoryLog()
    const asked = await Promise.all(
      Array.from({ length: 5 }, () => logIdentity(memoryEventStore({ log }), now)),
    )
    expect(new Set(asked).size).to.equal(1)
    expect(await logIdentity(memoryEventStore({ log }), now)).to.equal(asked[0])
    expect(log.all().map(({ stream, type, data }) => [stream, type, data])).to.deep.equal([
      ['store', 'store.opened', { Id: asked[0] }],
    ])
  })

  it('differs from log to log', async () => {
    const ids = await Promise.all(
      [memoryLog(), memoryLog()].map((log) => logIdentity(memoryEventStore({ log }), now)),
    )
    expect(ids[0]).not.to.equal(ids[1])
  })
})
