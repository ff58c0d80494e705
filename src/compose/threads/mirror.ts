/**
 * The thread that follows the events of a server and says which streams have changed. Where this process alone keeps the
 * journal, it copies the events into DATA_DIR as well (`adapters/sqlite/events/event-mirror.ts`).
 */
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { eventStoreDbStore } from '../../adapters/eventstoredb/event-store.ts'
import { openEventMirror, removeEventMirror } from '../../adapters/sqlite/events/event-mirror.ts'
import type { FromMirror } from '../../adapters/sqlite/events/mirror-link.ts'
import type { Position } from '../../domain/events/event.ts'

export interface MirrorData {
  /** Undefined: the journal is elsewhere, and only changes from now on are of interest. */
  readonly path: string | undefined
  readonly eventStoreUrl: string
}

const { path, eventStoreUrl } = workerData as MirrorData
const RETRY_MS = 1_000
const say = (message: FromMirror) => parentPort!.postMessage(message)

const source = eventStoreDbStore({ url: eventStoreUrl })
let mirror = path === undefined ? undefined : openEventMirror(path)
/** Without a copy: where the next subscription begins. */
let reached: Position | undefined
let closing = false

/** The copy may be of another store, or of one that was restored from a backup. */
const makeSure = async () => {
  const last = mirror?.last()
  if (!last || path === undefined) return
  const [there] = await source.read(last.metadata.company, last.stream, last.version - 1)
  if (there?.id === last.id && there.position === last.position) return
  mirror?.close()
  removeEventMirror(path)
  mirror = openEventMirror(path)
}

const follow = async () => {
  await makeSure()
  const from = mirror ? mirror.position() : (reached ??= await source.head())
  say({ kind: 'mirrored', position: from })
  say({ kind: 'told', position: from, streams: [], versions: [] })
  for await (const { events, position } of source.subscribe(from)) {
    if (closing) return
    // First: what changes is waited for by those who would have to read it otherwise.
    const [streams, versions] = [events.map(({ stream }) => stream), events.map(({ version }) => version)]
    say({ kind: 'told', position, streams, versions })
    mirror?.add(events, position)
    reached = position
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
      mirror?.close()
      parentPort!.close()
    })
})
say({ kind: 'open' })
