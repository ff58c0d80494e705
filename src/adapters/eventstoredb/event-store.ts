/**
 * The event store on EventStoreDB (KurrentDB): a stream there for a stream here, `$all` for the order of all events.
 *
 * A version is the server's revision plus one, a position its commit position. The company is kept in the metadata of
 * each event. The server is only ever asked for an exact revision and for positions that it gave out before.
 */
import type { Company, Position, RecordedEvent } from '../../domain/events/event.ts'
import { rowIn, rowPlaceOf } from '../../domain/events/packs.ts'
import { STORE } from '../../domain/events/store-opened.ts'
import { streamOf } from '../../domain/events/stream-name.ts'
import { requireReadable } from '../../domain/events/upcast.ts'
import type { Appended, EventStore, StoredTexts } from '../../ports/event-store.ts'
import { appendOnce } from './append.ts'
import { type Attempt, type Attempts, attempts } from './attempts.ts'
import { checkedAppend, isStreamName } from './checks.ts'
import { connection, type Link } from './connection.ts'
import { feeds } from './feeds.ts'
import { hasOwnMetadata, lastOfStream, readStream, readTexts, readTail, type Tail } from './reading.ts'
import { revisionAfter } from './recorded.ts'
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
}: EventStoreDbSettings): EventStore & StoredTexts {
  const server = connection({ url })
  const closing = new AbortController()
  const persist = attempts({ connection: server, timeoutMs, closing: closing.signal })
  const underWay = new Set<Promise<unknown>>()
  function track<T>(work: Promise<T>): Promise<T> {
    underWay.add(work)
    const done = () => underWay.delete(work)
    work.then(done, done)
    return work
  }

  const ask: Attempts = (what, attempt) => track(persist(what, attempt))
  const end = endOfLog(ask)
  return {
    append: async (append) => {
      const checked = checkedAppend(append)
      if (append.stream === STORE && append.expected === 0) await refuseEarlierForm(ask)
      const once: Attempt<Appended> = async (link, silence, limit) => {
        const appended = await appendOnce(link, { silence, limit }, checked)
        end.saw(link, { last: appended.position, seen: appended.position })
        return appended
      }
      return await ask(`append to ${append.stream}`, once)
    },
    read: async (company, stream, after = 0) => {
      // A key as a caller wrote it, say: what cannot be a stream's name is not there.
      if (!isStreamName(stream)) return []
      const name = streamOf(company, stream)
      const read: Attempt<readonly RecordedEvent[]> = (link, ms) =>
        readStream(link, ms, { stream: name, from: revisionAfter(after, stream) })
      const events = await ask(`read of ${stream}`, read)
      const own = events.filter(isOf(company))
      own.forEach(requireReadable)
      const row = after === 0 ? await packedRow(ask, company, stream) : undefined
      return row ? [row, ...own] : own
    },
    last: async (company, stream) => {
      if (!isStreamName(stream)) return undefined
      const name = streamOf(company, stream)
      const read: Attempt<RecordedEvent | undefined> = (link, ms) =>
        lastOfStream(link, ms, name, isOf(company))
      const last = await ask(`last event of ${stream}`, read)
      if (last) requireReadable(last)
      return last ?? (await packedRow(ask, company, stream))
    },
    texts: async (company, stream, after = 0) => {
      if (!isStreamName(stream)) return []
      const name = streamOf(company, stream)
      const all = await ask(`texts of ${stream}`, (link, ms) =>
        readTexts(link, ms, { stream: name, from: revisionAfter(after, stream) }),
      )
      return all.flatMap(({ company: owner, ...text }) => (owner === company ? [text] : []))
    },
    subscribe: feeds((after) =>
      subscription(
        {
          ...{ connection: server, timeoutMs, closing: closing.signal, notice, pause },
          ...{ head: end.head, holds: (last, reached) => holds(ask, last, reached) },
        },
        after,
      ),
    ),
    head: end.head,
    close: async () => {
      closing.abort()
      await Promise.allSettled(underWay)
      server.close()
    },
  }
}

/** The row as its pack has it, where the stream is one of a row. */
async function packedRow(
  ask: Attempts,
  company: Company,
  stream: string,
): Promise<RecordedEvent | undefined> {
  const at = rowPlaceOf(stream)
  if (!at) return undefined
  const name = streamOf(company, at.pack)
  const read: Attempt<readonly RecordedEvent[]> = (link, ms) =>
    readStream(link, ms, { stream: name, from: 0, count: 1 })
  const [pack] = await ask(`read of ${at.pack}`, read)
  if (!pack || !isOf(company)(pack)) return undefined
  requireReadable(pack)
  return rowIn(pack, at.place)
}

/**
 * Streams had no shard once: such a store has a founding and no `store.opened`, and would be founded a second time.
 * @throws Error when the server holds one
 */
async function refuseEarlierForm(ask: Attempts): Promise<void> {
  const founded = await ask('the form of the store', (link, ms) => hasOwnMetadata(link, ms, 'bootstrap'))
  if (founded)
    throw new Error(
      'EVENTSTORE_URL: the events of this server were written by an earlier version of the service, which this one cannot ' +
        'read. Start that version again, or start this one on an empty server.',
    )
}

/** Where the log ends, and what is known of that, so that it is not looked for further back than need be. */
function endOfLog(ask: Attempts) {
  // One for each client: a new connection may reach a server that was restored to an older log.
  const tails = new WeakMap<Link, Tail>()

  const tailOf = (link: Link): Tail => tails.get(link) ?? { last: 0, seen: 0 }

  function saw(link: Link, { last, seen }: Tail): Tail {
    const known = tailOf(link)
    const tail = { last: Math.max(known.last, last), seen: Math.max(known.seen, seen) }
    tails.set(link, tail)
    return tail
  }

  async function head(): Promise<Position> {
    const read: Attempt<Tail> = async (link, ms) => {
      const known = tailOf(link)
      const tail = await readTail(link, ms, known)
      if (tail.seen < known.seen) tails.delete(link)
      return saw(link, tail)
    }
    return (await ask('head', read)).last
  }

  return { saw, head }
}

/** Whether the log has the event that was received last, or, when there was none, reaches as far as the position. */
async function holds(ask: Attempts, last: RecordedEvent | undefined, reached: Position): Promise<boolean> {
  if (!last) {
    const read: Attempt<Tail> = (link, ms) => readTail(link, ms, { last: 0, seen: reached })
    return (await ask('end of the log', read)).seen >= reached
  }
  const { id, stream, version, position, metadata } = last
  const place = {
    stream: streamOf(metadata.company, stream),
    from: revisionAfter(version - 1, stream),
    count: 1,
  }
  const read: Attempt<readonly RecordedEvent[]> = (link, ms) => readStream(link, ms, place)
  const [there] = await ask(`read of ${stream}`, read)
  return there?.id === id && there.position === position
}

/** An unreadable event may name no company: it may belong to any. */
const isOf =
  (company: Company) =>
  ({ metadata }: RecordedEvent): boolean =>
    metadata.company === company || metadata.company === ''
