/**
 * No projection passes an event: positions of a server are sparse, its checkpoints lie between events, many append at
 * once, and subscriptions break off in the middle. What was applied in the end is everything, once, in the order of positions.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { eventStoreDbStore } from '../../src/adapters/eventstoredb/event-store.ts'
import type { Position } from '../../src/domain/events/event.ts'
import { followEvents } from '../../src/projections/follow.ts'
import { startPeer } from '../peers/eventstoredb/start-peer.ts'
import { newEvent } from '../support/events.ts'
import { memoryProjectionStore, projection } from './following.ts'
import { newKey } from '../support/told-events.ts'

const [WRITERS, EACH] = [8, 40]

describe('projections that follow a server', function () {
  this.timeout(60_000)

  for (const checkpointOnCatchUp of [false, true])
    it(`pass nothing while many write and everything breaks (checkpoints on catching up: ${checkpointOnCatchUp})`, async () => {
      const peer = await startPeer({ checkpointOnCatchUp })
      const writing = eventStoreDbStore({ url: peer.url })
      const following = eventStoreDbStore({ url: peer.url })
      const models = memoryProjectionStore()
      const reached: Position[] = []
      models.onApply((_work, position) => void reached.push(position))
      const follower = await followEvents({
        events: following,
        store: models.store,
        projections: [projection('records'), projection('search', ['records'])],
        onStatus: () => {},
        onTrouble: () => {},
      })
      try {
        const stored: { readonly key: string; readonly position: Position }[] = []
        let over = false
        const trouble = (async () => {
          for (let n = 0; !over; n++) {
            await delay(15)
            if (n % 3 === 0) peer.faults.dropSubscribers()
            if (n % 3 === 1) await peer.writeSystemEvents(n % 5)
            if (n % 7 === 2) peer.faults.breakConnections()
          }
        })()
        await Promise.all(
          Array.from({ length: WRITERS }, async () => {
            for (let n = 0; n < EACH; n++) {
              const key = newKey('tenant')
              const { position } = await writing.append({
                ...{ company: 'company-1', stream: key, expected: 0 },
                events: [newEvent({ type: 'tenant.created', data: { Name: 'Ann' } })],
              })
              stored.push({ key, position })
            }
          }),
        )
        over = true
        await trouble
        const head = Math.max(...stored.map(({ position }) => position))
        while (Math.min(...follower.status().map(({ position }) => position)) < head) await delay(10)
        const inOrder = stored.toSorted((one, other) => one.position - other.position)
        for (const name of ['records', 'search'])
          expect(models.of(name)).to.deep.equal(inOrder.map(({ key }) => `${name} ${key}`))
        expect(reached).to.deep.equal(reached.toSorted((one, other) => one - other))
        expect(reached.length).to.be.greaterThan(20)
      } finally {
        await follower.stop()
        await writing.close()
        await following.close()
        await peer.stop()
      }
    })
})
