/**
 * Counts and logs what the subscriptions of all threads notice on EventStoreDB: silences, of which each is worth a line,
 * and events of other applications, of which the first is. A log that was replaced while the process ran ends the process:
 * all that it knows is of another log, and what is derived from it is checked, and built again, at the start.
 */
import type { Notice } from '../adapters/eventstoredb/subscription.ts'
import type { Log } from '../ports/log.ts'
import { notices } from './source.ts'

export interface EventStoreNotices {
  readonly notice: (notice: Notice) => void
  /** How often each has been noticed since the start. */
  readonly counts: () => Readonly<Record<'silent' | 'foreign', number>>
  close(): void
}

export function listenToNotices(
  dataDir: string,
  log: Log,
  onFatal: (reason: string) => void,
): EventStoreNotices {
  const counts = { silent: 0, foreign: 0 }
  const channel = notices(dataDir)
  const notice = ({ kind, message }: Notice) => {
    if (kind === 'replaced') return onFatal(message)
    if (kind === 'silent' || kind === 'foreign') counts[kind]++
    if (kind !== 'foreign' || counts.foreign === 1) log.warn({}, message)
  }
  channel.onmessage = ({ data }: { data: unknown }) => notice(data as Notice)
  return { notice, counts: () => counts, close: () => channel.close() }
}
