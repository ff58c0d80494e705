/**
 * The event store on EventStoreDB (KurrentDB): a stream there for a stream here, `$all` for the order of all events.
 *
 * A version is the server's revision plus one, a position its commit position. The company is kept in the metadata of
 * each event. The server is only ever asked for an exact revision and for positions that it gave out before.
 */
import type { Company, Position, RecordedEvent } from '../../domain/events/event.ts'
import { streamOf } from '../../domain/events/stream-name.ts'
import { requireReadable } from '../../domain/events/upcast.ts'
import type { Appended, EventStore } from '../../ports/event-store.ts'
import { appendOnce } from './append.ts'
import { type Attempt, attempts } from './attempts.ts'
import { checkedAppend, isStreamName } from './checks.ts'
import { connection, type Link } from './connection.ts'
import { feeds } from './feeds.ts'
import { lastOfStream, readStream, readTail, type Tail } from './reading.ts'
import { type Pause, pauseFor } from './silence.ts'
import { type Notice, subscription } from './subscription.ts'

export interface EventStoreDbSettings {
  /** `esdb://[user:password@]host:2113[,host…]?tls=true`, or `esdb+discover://…`, with any of the client's settings. */
  readonly url: string
  /** How long a call goes on trying before it rejects with Unavailable. */
  readonly timeoutMs?: number
  /** Called with what happens to subscriptions by itself. */
  readonly notice?: (notice: Notice) => void
  /** Rests before the next look at a subscription that says nothing. */
  readonly pause?: Pause
}

/**
 * Does not wait for the server: the first call does.
 * @throws Error when `url` is not a connection string, or names files that cannot be read
 */
export function eventStoreDbStore({
  url,
  timeoutMs = 10_000,
  notice = () => {},
  pause = pauseFor,
}: EventStoreDbSettings): EventStore {
  const server = connection({ url })
  const closing = new AbortController()
  const persist = attempts({ connection: server, timeoutMs, closing: closing.signal })
  const underWay = new Set<Promise<unknown>>()
  // One for each client: a new connection may reach a server that was restored to an older log.
  const tails = new WeakMap<Link, Tail>()

  const tailOf = (link: Link): Tail => tails.get(link) ?? { last: 0, seen: 0 }

  function saw(link: Link, { last, seen }: Tail): Tail {
    const known = tailOf(link)
    const tail = { last: Math.max(known.last, last), seen: Math.max(known.seen, seen) }
    tails.set(link, tail)
    return tail
  }

  function track<T>(work: Promise<T>): Promise<T> {
    underWay.add(work)
    const done = () => underWay.delete(work)
    work.then(done, done)
    return work
  }

  async function head(): Promise<Position> {
    const read: Attempt<Tail> = async (link, ms) => {
      const known = tailOf(link)
      const tail = await readTail(link, ms, known)
      if (tail.seen < known.seen) tails.delete(link)
      return saw(link, tail)
    }
    return (await track(persist('head', read))).last
  }

  return {
    append: async (append) => {
      const checked = checkedAppend(append)
      const once: Attempt<Appended> = async (link, silence, limit) => {
        const appended = await appendOnce(link, { silence, limit }, checked)
        saw(link, { last: appended.position, seen: appended.position })
        return appended
      }
      return await track(persist(`append to ${append.stream}`, once))
    },
    read: async (company, stream, after = 0) => {
      // A key as a caller wrote it, say: what cannot be a stream's name is not there.
      if (!isStreamName(stream)) return []
      const name = streamOf(company, stream)
      const read: Attempt<readonly RecordedEvent[]> = (link, ms) =>
        readStream(link, ms, { stream: name, from: after })
      const events = await track(persist(`read of ${stream}`, read))
      const own = events.filter(isOf(company))
      own.forEach(requireReadable)
      return own
    },
    last: async (company, stream) => {
      if (!isStreamName(stream)) return undefined
      const name = streamOf(company, stream)
      const read: Attempt<RecordedEvent | undefined> = (link, ms) =>
        lastOfStream(link, ms, name, isOf(company))
      const last = await track(persist(`last event of ${stream}`, read))
      if (last) requireReadable(last)
      return last
    },
    subscribe: feeds((after) =>
      subscription({ connection: server, timeoutMs, closing: closing.signal, head, notice, pause }, after),
    ),
    head,
    close: async () => {
      closing.abort()
      await Promise.allSettled(underWay)
      server.close()
    },
  }
}

/** An unreadable event may name no company: it may belong to any. */
const isOf =
  (company: Company) =>
  ({ metadata }: RecordedEvent): boolean =>
    metadata.company === company || metadata.company === ''
