/**
 * The thread that copies the events of the server into DATA_DIR, for whatever looks back (`adapters/sqlite/events/event-mirror.ts`).
 * Only where events are kept by a server, in processes that answer requests.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { eventStoreDbStore } from '../../adapters/eventstoredb/event-store.ts'
import { openEventMirror, removeEventMirror } from '../../adapters/sqlite/events/event-mirror.ts'
import type { FromMirror } from '../../adapters/sqlite/events/mirror-link.ts'

export interface MirrorData {
  readonly path: string
  readonly eventStoreUrl: string
}

const { path, eventStoreUrl } = workerData as MirrorData
const RETRY_MS = 1_000
const say = (message: FromMirror) => parentPort!.postMessage(message)

const source = eventStoreDbStore({ url: eventStoreUrl })
let mirror = openEventMirror(path)
let closing = false

/** The copy may be of another store, or of one that was restored from a backup. */
const makeSure = async () => {
  const last = mirror.last()
  if (!last) return
  const [there] = await source.read(last.metadata.company, last.stream, last.version - 1)
  if (there?.id === last.id && there.position === last.position) return
  mirror.close()
  removeEventMirror(path)
  mirror = openEventMirror(path)
}

const follow = async () => {
  await makeSure()
  say({ kind: 'mirrored', position: mirror.position() })
  say({ kind: 'told', position: mirror.position(), streams: [], versions: [] })
  for await (const { events, position } of source.subscribe(mirror.position())) {
    if (closing) return
    // First: what changes is waited for by those who would have to read it otherwise.
    const [streams, versions] = [events.map(({ stream }) => stream), events.map(({ version }) => version)]
    say({ kind: 'told', position, streams, versions })
    mirror.add(events, position)
    say({ kind: 'mirrored', position })
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
      mirror.close()
      parentPort!.close()
    })
})
say({ kind: 'open' })
