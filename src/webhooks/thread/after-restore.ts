/**
 * The outbox beside a log that is not the one it has followed: the events were put back to an earlier state. Whether
 * receivers are to be sent what they may have had is for the operator to say (WEBHOOKS_AFTER_RESTORE); until then nothing is
 * sent.
 *
 * Of several processes at one outbox, the one that fills it begins it again; the others wait for that.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Unavailable } from '../../domain/errors.ts'
import type { Position } from '../../domain/events/event.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { OutboxCheckpoint } from '../../ports/outbox.ts'
import type { LastEvent, ProjectionStore } from '../../ports/projection-store.ts'
import { describeLast, strayOf } from '../../projections/log-state.ts'

export interface AfterRestore {
  /** Whether deliveries go on. */
  sends(): boolean
  /** Why nothing is sent until the operator has decided; undefined where deliveries go on, or soon will. */
  held(): string | undefined
  /** Of events up to here nothing is sent. */
  skipped(): Position
  /**
   * To be called by the process that fills, before it does: begins again where that was asked for.
   * @throws Unavailable when the outbox cannot be asked
   */
  begin(): Promise<void>
  /** For a process that may not be the one that fills: resolves once it sends or is held, or is closed. */
  watch(): Promise<void>
  /** The store, with the last event kept of what was applied to it. */
  following<O>(store: ProjectionStore<O>): ProjectionStore<O>
  close(): Promise<void>
}

export interface AfterRestoreOptions {
  readonly checkpoint: OutboxCheckpoint
  readonly afterRestore: 'resend' | 'skip' | undefined
  readonly events: Pick<EventStore, 'head' | 'read'>
  readonly onTrouble: (message: string, error: unknown) => void
}

const HELD =
  'Webhooks are held: the outbox is of another log than the events. Set WEBHOOKS_AFTER_RESTORE to resend (what is not known ' +
  'as delivered is sent) or skip (nothing that has happened so far is sent), and restart'
const LOOK_MS = 500

export function settleAfterRestore(options: AfterRestoreOptions): AfterRestore {
  const { checkpoint, afterRestore, events, onTrouble } = options
  const closing = new AbortController()
  const { signal } = closing
  let standing: 'unknown' | 'sends' | 'held' = 'unknown'
  let skipped: Position = 0

  const findStray = async (): Promise<LastEvent | undefined> => {
    const last = await checkpoint.last()
    return strayOf(events, last ? [last] : [], () => signal.aborted)
  }
  const send = async () => {
    skipped = await checkpoint.skipped()
    if (!signal.aborted) standing = 'sends'
  }
  const hold = (stray: LastEvent) => {
    if (standing !== 'held') onTrouble(HELD, new Error(describeLast(stray)))
    standing = 'held'
  }
  const beginAgain = async (stray: LastEvent) => {
    await checkpoint.beginAgain(afterRestore === 'skip' ? await events.head() : 0)
    const begins =
      afterRestore === 'skip'
        ? `the outbox is of another log: nothing that happened up to position ${await checkpoint.skipped()} is sent`
        : 'the outbox is of another log: what is not known as delivered is sent again'
    onTrouble(begins, new Error(describeLast(stray)))
  }
  return {
    sends: () => standing === 'sends',
    held: () => (standing === 'held' ? HELD : undefined),
    skipped: () => skipped,
    async begin() {
      const stray = await findStray()
      if (stray && afterRestore === undefined) return hold(stray)
      if (stray) await beginAgain(stray)
      await send()
    },
    async watch() {
      while (standing === 'unknown' && !signal.aborted)
        try {
          const stray = await findStray()
          if (!stray) await send()
          else if (afterRestore === undefined) hold(stray)
          else await delay(LOOK_MS, undefined, { signal, ref: false })
        } catch (error) {
          if (signal.aborted) return
          if (!(error instanceof Unavailable)) throw error
          await delay(LOOK_MS, undefined, { signal, ref: false }).catch(() => {})
        }
    },
    following: (store) => ({
      ...store,
      async apply(work, position, last) {
        await store.apply(work, position, last)
        if (last) await checkpoint.keep(last)
      },
    }),
    async close() {
      closing.abort()
      await checkpoint.close()
    },
  }
}
