/** Following what others append, by a process that keeps no copy of it. */
import { expect } from 'chai'
import { followChanges } from '../../src/projections/follow-changes.ts'
import { Unavailable } from '../../src/domain/errors.ts'
import { happened, record } from '../support/given.ts'
import { memoryEventStore, memoryLog } from '../support/memory-event-store.ts'
import { key } from '../support/write-side.ts'

const LONG_MS = 10_000

describe('following changes', () => {
  const tenant = key('tenant', 1)
  const named = (Name: string) => [happened(tenant, 'tenant.updated', { Name })]

  it('says which versions streams have come to since it began, in order, before it says that it has come so far', async () => {
    const events = memoryEventStore({ log: memoryLog() })
    await record(events, named('before'))
    const began = await events.head()
    const seen: string[] = []
    const changes = followChanges({ events, onAway: (error) => expect.fail(String(error)) })
    changes.listen((stream, version) => void seen.push(`${stream} ${version}`))
    expect(await changes.told(began, LONG_MS)).to.equal(true)
    await record(events, named('one'))
    await record(events, named('two'))
    expect(await changes.told(await events.head(), LONG_MS)).to.equal(true)
    expect(seen).to.deep.equal([`${tenant} 2`, `${tenant} 3`])
    await changes.close()
    await events.close()
  })

  it('goes on where it was when the server was away, and says once that it is', async () => {
    const log = memoryLog()
    const events = memoryEventStore({ log })
    await record(events, named('before'))
    let isAway = true
    const away: unknown[] = []
    const changes = followChanges({
      events: {
        head: () => events.head(),
        subscribe(after) {
          if (!isAway) return events.subscribe(after)
          throw new Unavailable('the server is away')
        },
      },
      onAway: (error) => void away.push(error),
    })
    const seen: number[] = []
    changes.listen((_, version) => void seen.push(version))
    await record(events, named('while it is away'))
    expect(await changes.told(await events.head(), 50)).to.equal(false)
    isAway = false
    expect(await changes.told(await events.head(), LONG_MS)).to.equal(true)
    expect(seen).to.deep.equal([2])
    expect(away).to.have.length(1)
    await changes.close()
    await events.close()
  })

  it('ends whoever waits when it is closed', async () => {
    const events = memoryEventStore({ log: memoryLog() })
    const changes = followChanges({ events, onAway: () => {} })
    const waiting = changes.told(1_000, LONG_MS)
    expect(await changes.told(0, LONG_MS)).to.equal(true)
    await changes.close()
    expect(await waiting).to.equal(false)
    await events.close()
  })
})
