/** Copies the events of a server (`adapters/sqlite/events/event-copy.ts`), and says which streams have changed. */
import { setTimeout as delay } from 'node:timers/promises'
import type { EventStore } from '../../../ports/event-store.ts'
import { logState } from '../../../projections/log-state.ts'
import { lastOf } from '../../../projections/projection.ts'
import type { FromCopier } from './copier-link.ts'
import { openEventCopy } from './event-copy.ts'
import { messageOf } from '../../../domain/errors.ts'

export interface KeepCopyOptions {
  readonly path: string
  /** The server's; closed when the copy is. */
  readonly source: Pick<EventStore, 'read' | 'subscribe' | 'close'>
  readonly say: (message: FromCopier) => void
}

const RETRY_MS = 1_000

/** Returns what ends it. */
export function keepCopy({ path, source, say }: KeepCopyOptions): () => Promise<void> {
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
        say({ kind: 'trouble', detail: messageOf(error) })
        await delay(RETRY_MS)
      }
  }
  const running = run()
  return async () => {
    closing = true
    await source.close()
    await running
    copy.close()
  }
}
