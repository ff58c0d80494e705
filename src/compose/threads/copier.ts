/**
 * The thread that copies the events of a server into DATA_DIR (`adapters/sqlite/events/event-copy.ts`), where one process
 * keeps the journal for itself, and says which streams have changed.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { eventStoreDbStore } from '../../adapters/eventstoredb/event-store.ts'
import type { FromCopier } from '../../adapters/sqlite/events/copier-link.ts'
import { openEventCopy } from '../../adapters/sqlite/events/event-copy.ts'
import { lastOf } from '../../projections/projection.ts'
import { logState } from '../../projections/log-state.ts'

export interface CopierData {
  readonly path: string
  readonly eventStoreUrl: string
}

const { path, eventStoreUrl } = workerData as CopierData
const RETRY_MS = 1_000
const say = (message: FromCopier) => parentPort!.postMessage(message)

const source = eventStoreDbStore({ url: eventStoreUrl })
const copy = openEventCopy(path)
let closing = false

/** The copy may be of another store, or of one that was restored from a backup. */
const makeSure = async () => {
  const last = copy.last()
  if (last && (await logState(source, lastOf([last]))) === 'other') copy.clear()
}

const follow = async () => {
  await makeSure()
  const from = copy.position()
  say({ kind: 'copied', position: from })
  say({ kind: 'told', position: from, streams: [], versions: [] })
  for await (const { events, position } of source.subscribe(from)) {
    if (closing) return
    // First: what changes is waited for by those who would have to read it otherwise.
    const [streams, versions] = [events.map(({ stream }) => stream), events.map(({ version }) => version)]
    say({ kind: 'told', position, streams, versions })
    copy.add(events, position)
    say({ kind: 'copied', position })
  }
}

const run = async () => {
  while (!closing)
    try {
      await follow()
      return // the source is closed
    } catch (error) {
      if (closing) return
      say({ kind: 'trouble', detail: error instanceof Error ? error.message : String(error) })
      await delay(RETRY_MS)
    }
}

const running = run()
parentPort!.on('message', () => {
  closing = true
  void source
    .close()
    .then(() => running)
    .then(() => {
      copy.close()
      parentPort!.close()
    })
})
say({ kind: 'open' })
