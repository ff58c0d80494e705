/**
 * The journal in MongoDB as it is asked, from any process. Every question is of one company, and of what the process that
 * writes the journal has come to; `caughtUp` waits for that.
 */
import type { Filter } from 'mongodb'
import { NotYet } from '../../../domain/errors.ts'
import type { Company, Position } from '../../../domain/events/event.ts'
import { rowPlaceOf } from '../../../domain/events/packs.ts'
import {
  journalBehind,
  type EventRanges,
  type Journal,
  type JournalFilter,
  type JournalPage,
  type LatestChange,
  type LatestChanges,
  type Range,
} from '../../../ports/journal.ts'
import type { LastEvent } from '../../../ports/projection-store.ts'
import { watchPosition } from '../read-models/position-watch.ts'
import { eventIn, storedIn, type JournalDocument } from './documents.ts'
import { questions, type Asked, type Questions } from './questions.ts'

export interface MongoJournalOptions {
  readonly url: string
  /** Position of the last event of the log. */
  readonly head: () => Promise<Position>
  /** Whether the event is in the log where it was. */
  readonly isInLog: (last: LastEvent) => Promise<boolean>
  /** How long a question may take. */
  readonly limitMs?: number
  /** How long `caughtUp` waits. */
  readonly waitMs?: number
}

const LIMIT_MS = 2_000
/** A batch for a list of the past may take longer. */
const RANGE_MS = 30_000
const WAIT_MS = 5_000
/** Events that are looked at for one page of changes. */
const LOOK = 2_000

export function mongoJournal({
  url,
  head,
  isInLog,
  limitMs = LIMIT_MS,
  waitMs = WAIT_MS,
}: MongoJournalOptions): Journal {
  const { look, ask, close } = questions(url)
  const newWatch = (epoch: number) => ({
    epoch,
    ...watchPosition({ look: async () => (await look()).position }),
  })
  /** What has been reached in one epoch says nothing of the next. */
  let watch = newWatch(0)
  /** What `caughtUp` last answered: how far answers reach at least. */
  let promised: Position = 0

  const requireOwnLog = ownLog(look, isInLog)
  const asking = <T>(question: (asked: Asked) => Promise<T>, needed = promised) =>
    ask(limitMs, needed, question)

  return {
    async caughtUp() {
      const end = await head()
      await requireOwnLog()
      const { epoch, position } = await look()
      if (epoch !== watch.epoch) {
        watch.close()
        watch = newWatch(epoch)
      }
      if (position < end && !(await watch.wait(end, waitMs))) throw journalBehind()
      return (promised = end)
    },
    count: (company, filter, upTo) =>
      asking(({ counted, reached }) => counted(matching(company, filter, { upTo }, reached))),
    find: (company, filter, page) =>
      asking(async ({ found, reached }) => {
        const { descending, offset = 0, limit } = page
        const options = { sort: { position: descending ? -1 : 1 }, skip: offset, limit } as const
        return (await found(matching(company, filter, page, reached), options)).map(eventIn)
      }),
    latestChanges: (company, object, after, most) =>
      asking((asked) => latestChanges(asked, { company, object, after, most })),
    positionAt: (company, moment) =>
      asking((asked) => {
        const upTo = { company, at: { $lte: moment }, position: { $lte: asked.reached } }
        return positionOfFirst(asked, upTo, { at: -1, position: -1 })
      }),
    async close() {
      watch.close()
      await close()
    },
  }
}

/** Another log's journal may be long enough, and is not an answer. */
function ownLog(look: Questions['look'], isInLog: MongoJournalOptions['isInLog']): () => Promise<void> {
  /** The epoch that is known to be of this log. */
  let isOfLog: number | undefined
  return async () => {
    const { epoch, last } = await look()
    if (!last || epoch === isOfLog) return
    if (!(await isInLog(last))) throw new NotYet('the journal is of another log, and is to be written again')
    isOfLog = epoch
  }
}

/** What lists of the past, and replays of webhooks, are made from, in MongoDB. */
export function mongoEventRanges({
  url,
  isInLog,
}: Pick<MongoJournalOptions, 'url' | 'isInLog'>): EventRanges {
  const asked = questions(url)
  const requireOwnLog = ownLog(asked.look, isInLog)
  const ask: Questions['ask'] = async (limitMs, needed, question) => {
    await requireOwnLog()
    return asked.ask(limitMs, needed, question)
  }
  return {
    last: (range) => ask(LIMIT_MS, range.upTo, (at) => positionOfFirst(at, inRange(range), { position: -1 })),
    count: (range) => ask(LIMIT_MS, range.upTo, ({ counted }) => counted(inRange(range))),
    batches: (range, size) => batchesOf(ask, range, size),
    close: () => asked.close(),
  }
}

async function* batchesOf(ask: Questions['ask'], range: Range, size: number) {
  for (let after = range.after; ;) {
    const from = inRange({ ...range, after })
    const batch = await ask(RANGE_MS, range.upTo, ({ found }) =>
      found(from, { sort: { position: 1 }, limit: size }),
    )
    const last = batch.at(-1)
    if (!last) return
    yield batch.map(storedIn)
    after = last.position
  }
}

async function positionOfFirst(
  { found }: Asked,
  filter: Filter<JournalDocument>,
  sort: Record<string, 1 | -1>,
): Promise<Position> {
  return (await found(filter, { sort, limit: 1, projection: { position: 1 } }))[0]?.position ?? 0
}

interface ChangesAfter {
  readonly company: Company
  readonly object: string
  readonly after: Position
  readonly most: number
}

async function latestChanges(
  { found, reached }: Asked,
  { company, object, after, most }: ChangesAfter,
): Promise<LatestChanges> {
  const projection = { position: 1, key: 1, version: 1, type: 1 }
  const options = { sort: { position: 1 }, limit: LOOK, projection } as const
  const looked = await found({ company, object, position: { $gt: after, $lte: reached } }, options)
  const end = looked.at(-1)?.position ?? after
  const latest = new Map<string, JournalDocument>()
  for (const document of looked) {
    latest.delete(document.key)
    latest.set(document.key, document)
  }
  const changesBeyond = async ({ key }: JournalDocument) => {
    if (looked.length < LOOK) return false
    const beyond = { company, key, position: { $gt: end, $lte: reached } }
    return (await found(beyond, { limit: 1, projection: { position: 1 } })).length > 0
  }
  const changes: LatestChange[] = []
  const candidates = [...latest.values()]
  // What changed again beyond what was looked at comes at its new place.
  for (let at = 0; at < candidates.length && changes.length <= most; at += most + 1) {
    const some = candidates.slice(at, at + most + 1)
    const isPassed = await Promise.all(some.map(changesBeyond))
    for (const [i, { position, key, version, type }] of some.entries())
      if (!isPassed[i]) changes.push({ position, key, version, type })
  }
  const page = changes.slice(0, most)
  if (changes.length > most) return { changes: page, position: page.at(-1)!.position, more: true }
  return { changes: page, position: end, more: looked.length === LOOK }
}

function inRange({ company, objects, after, upTo }: Range): Filter<JournalDocument> {
  return { company, object: { $in: [...objects] }, position: { $gt: after, $lte: upTo } }
}

/** Only our operators: values are strings and numbers. */
function matching(
  company: Company,
  { object, key, actor, event, from, to }: JournalFilter,
  { after, upTo = Infinity }: Pick<JournalPage, 'after' | 'upTo'>,
  reached: Position,
): Filter<JournalDocument> {
  const at = { ...(from !== undefined && { $gte: from }), ...(to !== undefined && { $lte: to }) }
  const type =
    event && ('name' in event ? { $eq: event.name } : { $gte: event.begin, $lt: `${event.begin}\u{10ffff}` })
  return {
    company,
    position: { ...(after !== undefined && { $gt: after }), $lte: Math.min(upTo, reached) },
    ...(object !== undefined && { object: { $eq: object } }),
    ...(key !== undefined && { key: { $in: [key, rowPlaceOf(key)?.pack ?? key] } }),
    ...(actor !== undefined && { actor: { $eq: actor } }),
    ...(Object.keys(at).length > 0 && { at }),
    ...(type && { type }),
  }
}
