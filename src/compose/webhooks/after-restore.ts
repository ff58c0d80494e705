/**
 * The embedded outbox beside a log that is not the one it has followed: an event file was put back to an earlier state.
 * Whether receivers are to be sent what they may have had is for the operator to say (WEBHOOKS_AFTER_RESTORE); until then
 * nothing is sent.
 */
import { join } from 'node:path'
import { openOutboxCheckpoint } from '../../adapters/sqlite/outbox/outbox-checkpoint.ts'
import type { Position } from '../../domain/events/event.ts'
import type { ProjectionStore } from '../../ports/projection-store.ts'
import { describeLast, strayOf } from '../log-state.ts'
import type { EventSource } from '../source.ts'

export interface AfterRestore {
  /** Why nothing is sent; undefined where deliveries go on. */
  readonly held: string | undefined
  /** Worth a line in the log. */
  readonly said: { readonly message: string; readonly detail: string } | undefined
  /** Of events up to here nothing is sent. */
  readonly skipped: Position
  /** The store, with the last event kept of what was applied to it. */
  following<O>(store: ProjectionStore<O>): ProjectionStore<O>
  close(): void
}

export interface AfterRestoreOptions {
  readonly dataDir: string
  readonly afterRestore: 'resend' | 'skip' | undefined
  readonly events: EventSource
}

const HELD =
  'Webhooks are held: the outbox is of another log than the events. Set WEBHOOKS_AFTER_RESTORE to resend (what is not known ' +
  'as delivered is sent) or skip (nothing that has happened so far is sent), and restart'

/** To be called before the outbox is opened. */
export async function settleAfterRestore(options: AfterRestoreOptions): Promise<AfterRestore> {
  const { dataDir, afterRestore, events } = options
  const checkpoint = openOutboxCheckpoint(join(dataDir, 'webhooks.db'))
  const last = checkpoint.last()
  const stray = await strayOf(events, last ? [last] : [], () => false)
  const isHeld = stray !== undefined && afterRestore === undefined
  if (stray && afterRestore !== undefined)
    checkpoint.beginAgain(afterRestore === 'skip' ? await events.head() : 0)
  const begins =
    afterRestore === 'skip'
      ? `the outbox is of another log: nothing that happened up to position ${checkpoint.skipped()} is sent`
      : 'the outbox is of another log: what is not known as delivered is sent again'
  return {
    held: isHeld ? HELD : undefined,
    said: stray && { message: isHeld ? HELD : begins, detail: describeLast(stray) },
    skipped: checkpoint.skipped(),
    following: (store) => ({
      ...store,
      async apply(work, position, last) {
        await store.apply(work, position, last)
        if (last) checkpoint.keep(last)
      },
    }),
    close: checkpoint.close,
  }
}

/** Where the outbox is shared by several processes it is settled there. */
export const nothingRestored: AfterRestore = {
  held: undefined,
  said: undefined,
  skipped: 0,
  following: (store) => store,
  close: () => {},
}
