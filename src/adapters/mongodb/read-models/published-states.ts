/**
 * What the process that writes says of its projections, for every process to read: tried until it is stored, because what
 * there is to say is often that the server was away.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { ProjectionStatus } from '../../../ports/read-models.ts'

export interface PublishedStates {
  /** Replaces what was published before. What is superseded before it is stored is never stored. */
  publish(statuses: readonly ProjectionStatus[]): void
  close(): Promise<void>
}

export interface PublishedStatesOptions {
  readonly store: (statuses: readonly ProjectionStatus[]) => Promise<void>
  /** The term in which this process writes: another process may have published since the one before. */
  readonly term: () => number | undefined
  readonly onTrouble: (message: string, error: unknown) => void
  /** Rests before the next try, for so many ms. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

const RETRY_MS = 500

export function publishedStates({
  store,
  term,
  onTrouble,
  pause = (ms, signal) => delay(ms, undefined, { signal, ref: false }),
}: PublishedStatesOptions): PublishedStates {
  const stopped = new AbortController()
  const { signal } = stopped
  let latest: readonly ProjectionStatus[] = []
  let stored: string | undefined
  let storing: Promise<void> | undefined

  const storeLatest = async () => {
    let isAway = false
    for (;;) {
      const said = `${term()} ${saidIn(latest)}`
      if (said === stored || signal.aborted) return
      try {
        // What is stored while the outcome is unknown may be either.
        stored = undefined
        await store(latest)
        stored = said
        isAway = false
      } catch (error) {
        if (!isAway) onTrouble('The state of the projections cannot be published; it is tried again.', error)
        isAway = true
        await pause(RETRY_MS, signal).catch(() => {})
      }
    }
  }

  return {
    publish(statuses) {
      latest = [...statuses]
      storing ??= storeLatest().finally(() => (storing = undefined))
    },
    async close() {
      stopped.abort()
      await storing
    },
  }
}

/** Positions are read from the checkpoint: only what else there is to say costs a write. */
function saidIn(statuses: readonly ProjectionStatus[]): string {
  return JSON.stringify(
    statuses.map(({ name, state, error, rebuilding }) => [name, state, error, rebuilding]),
  )
}
