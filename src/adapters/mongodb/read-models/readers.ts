/** A process that reads says which generation, again and again: what somebody reads is not removed (`generations.ts`). */
import { setTimeout as delay } from 'node:timers/promises'
import { newHolder } from '../lease.ts'
import type { Connection } from '../connection.ts'

export interface Reader {
  close(): Promise<void>
}

/** Several times between two sweeps. */
const BEAT_MS = 10_000
/** While the server is away, or has nothing to read yet. */
const AWAY_MS = 1_000

/** Begins at once, in the background. */
export function registerReader(connection: Pick<Connection, 'ready' | 'readers' | 'generation'>): Reader {
  const { readers } = connection
  const _id = newHolder()
  const stopped = new AbortController()
  const { signal } = stopped

  const beat = async () => {
    await connection.ready()
    const { generation } = connection
    await readers.updateOne({ _id }, { $set: { generation }, $inc: { beat: 1 } }, { upsert: true })
  }
  const run = async () => {
    while (!signal.aborted) {
      // What it fails with, reads fail with as well.
      const isThere = await beat().then(
        () => true,
        () => false,
      )
      const ms = isThere ? BEAT_MS : AWAY_MS
      await delay(ms, undefined, { signal, ref: false }).catch(() => {})
    }
  }
  const running = run()
  return {
    async close() {
      stopped.abort()
      await running
      await readers.deleteOne({ _id }).catch(() => {}) // forgotten when it shows no sign of life
    },
  }
}
