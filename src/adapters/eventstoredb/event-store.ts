/**
 * The event store on EventStoreDB (KurrentDB): a stream there for a stream here, `$all` for the order of all events.
 *
 * A version is the server's revision plus one, a position its commit position. The company is kept in the metadata of
 * each event. The server is only ever asked for an exact revision and for positions that it gave out before.
 */
import type { Company, Position, RecordedEvent } from '../../domain/events/event.ts'
import { requireReadable } from '../../domain/events/upcast.ts'
import type { EventStore } from '../../ports/event-store.ts'
import { appendOnce } from './append.ts'
import { attempts } from './attempts.ts'
import { checkedAppend, isStreamName } from './checks.ts'
import { connection } from './connection.ts'
import { lastOfStream, lastPosition, readStream } from './reading.ts'
import { subscription } from './subscription.ts'

export interface EventStoreDbSettings {
  /** `esdb://[user:password@]host:2113[,host…]?tls=true`, or `esdb+discover://…`, with any of the client's settings. */
  readonly url: string
  /** How long a call goes on trying before it rejects with Unavailable. */
  readonly timeoutMs?: number
  /** Told when the subscription is interrupted and when it goes on. */
  readonly log?: (message: string) => void
}

/**
 * Does not wait for the server: the first call does.
 * @throws Error when `url` is no connection string, or names files that cannot be read
 */
export function eventStoreDbStore({
  url,
  timeoutMs = 10_000,
  log = () => {},
}: EventStoreDbSettings): EventStore {
  const server = connection({ url })
  const closing = new AbortController()
  const persist = attempts({ connection: server, timeoutMs, closing: closing.signal })
  const underWay = new Set<Promise<unknown>>()
  let known: Position = 0

  function track<T>(work: Promise<T>): Promise<T> {
    underWay.add(work)
    const done = () => underWay.delete(work)
    work.then(done, done)
    return work
  }

  return {
    append: async (append) => {
      const checked = checkedAppend(append)
      const appended = await track(
        persist(`append to ${append.stream}`, (link, silence, limit) =>
          appendOnce(link, { silence, limit }, checked),
        ),
      )
      known = Math.max(known, appended.position)
      return appended
    },
    read: async (company, stream, after = 0) => {
      // A key as a caller wrote it, say: what cannot be a stream's name is not there.
      if (!isStreamName(stream)) return []
      const events = await track(
        persist(`read of ${stream}`, ({ client }, ms) => readStream(client, ms, { stream, from: after })),
      )
      const own = events.filter(isOf(company))
      own.forEach(requireReadable)
      return own
    },
    last: async (company, stream) => {
      if (!isStreamName(stream)) return undefined
      const last = await track(
        persist(`last event of ${stream}`, ({ client }, ms) =>
          lastOfStream(client, ms, stream, isOf(company)),
        ),
      )
      if (last) requireReadable(last)
      return last
    },
    subscribe: (after) =>
      subscription({ connection: server, timeoutMs, closing: closing.signal, log }, after),
    head: async () => {
      known = Math.max(
        known,
        await track(persist('head', ({ client }, ms) => lastPosition(client, ms, known))),
      )
      return known
    },
    close: async () => {
      closing.abort()
      await Promise.allSettled(underWay)
      server.close()
    },
  }
}

/** One that does not even tell whose it is may be anyone's. */
const isOf =
  (company: Company) =>
  ({ metadata }: RecordedEvent): boolean =>
    metadata.company === company || metadata.company === ''
