/**
 * The same commands leave the same bytes on every engine: what is stored is hashed and moved, so it may not depend on where
 * it lies. `SAME_COMMANDS` says how many commands, 300 when it is not set.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { eventStoreDbStore } from '../../src/adapters/eventstoredb/event-store.ts'
import { linkEngine } from '../../src/adapters/sqlite/events/engine-link.ts'
import { sqliteEventStore } from '../../src/adapters/sqlite/events/event-store.ts'
import { derivedId } from '../../src/commands/support/identifiers.ts'
import type { EngineData } from '../../src/compose/threads/engine.ts'
import { SYSTEM } from '../../src/domain/events/event.ts'
import type { EventStore, StoredTexts } from '../../src/ports/event-store.ts'
import { startPeer } from '../peers/eventstoredb/start-peer.ts'
import { newFolder } from '../support/service.ts'
import {
  caller,
  COMPANY,
  countedIdentifiers,
  definition,
  manualClock,
  writeSide,
} from '../support/write-side.ts'

type Store = EventStore & StoredTexts
const COMMANDS = Number(process.env['SAME_COMMANDS'] ?? 300)

/** Creates, changes, actions, deletions and restorations, one after the other; the same each time. */
async function carryOut(events: Store): Promise<void> {
  const clock = manualClock()
  const { write } = writeSide({ events, clock, identifiers: countedIdentifiers(0), onlyWriter: true })
  const keys: string[] = []
  for (let n = 0; n < COMMANDS; n++) {
    clock.pass(n % 7)
    const by = caller({
      correlation: `request-${n}`,
      command: derivedId(`same ${n}`),
      reason: n % 3 ? `pour l’été ${n} "😀"` : undefined,
    })
    const at = keys[Math.floor(n / 8)] ?? ''
    const kind = n % 8
    if (kind < 3) {
      const body = { Name: `Zoë ${n} \u2028 \\ "`, ExternalId: `E-${n}`, Score: n / 7 }
      keys.push((await write.create(by, { definition: definition('tenant'), body })).key)
    } else if (kind === 3) {
      const body = {
        MonthlyRent: { Amount: n + 0.1, Currency: 'EUR' },
        StartDate: '2026-03-02',
        Tenant: keys.at(-1)!,
      }
      await write.create(by, { definition: definition('contract'), body })
    } else if (kind < 6)
      await write
        .update(by, {
          definition: definition('tenant'),
          key: at,
          body: { Name: `Ångström ${n}`, ExternalId: null },
          writing: 'merge',
        })
        .catch(() => {})
    else if (kind === 6) await write.remove(by, { definition: definition('tenant'), key: at }).catch(() => {})
    else await write.restore(by, { definition: definition('tenant'), key: at }).catch(() => {})
  }
}

/** Every event in the order of the log: stream, version, id, type, data and metadata, as stored. */
async function textsOf(store: Store): Promise<string[]> {
  const head = await store.head()
  const texts: string[] = []
  for await (const { events, position } of store.subscribe(0)) {
    for (const { stream, version, metadata } of events) {
      if (metadata.company === SYSTEM) continue // the store's own identity, another for each
      const [text] = await store.texts(COMPANY, stream, version - 1)
      texts.push(JSON.stringify([stream, text]))
    }
    if (position >= head) break
  }
  return texts
}

describe('the same commands', function () {
  this.timeout(600_000)

  it('leave the same bytes in the embedded file and in EventStoreDB', async () => {
    const dataDir = newFolder()
    const data: EngineData = { dataDir, definitions: [], keepsReadModels: false }
    const worker = new Worker(new URL('../../src/compose/threads/engine.ts', import.meta.url), {
      workerData: data,
    })
    const embedded = sqliteEventStore({ path: join(dataDir, 'events.db'), engine: await linkEngine(worker) })
    const peer = await startPeer()
    const server = eventStoreDbStore({ url: peer.url })
    try {
      await carryOut(embedded)
      await carryOut(server)
      const [here, there] = [await textsOf(embedded), await textsOf(server)]
      expect(here.length).to.be.greaterThan(COMMANDS / 2)
      expect(there).to.deep.equal(here)
    } finally {
      await server.close()
      await peer.stop()
      await embedded.close()
      rmSync(dataDir, { recursive: true })
    }
  })
})
