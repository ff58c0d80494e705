/**
 * The journal in MongoDB as it is asked, from any process. Every question is of one company, and of what the process that
 * writes the journal has come to; `caughtUp` waits for that.
 */
import type { Filter, FindOptions } from 'mongodb'
import { Invalid, Unavailable } from '../../../domain/errors.ts'
import type { Company, Position } from '../../../domain/events/event.ts'
import {
  journalTooLong,
  type EventRanges,
  type Journal,
  type JournalFilter,
  type JournalPage,
  type LatestChange,
  type Range,
} from '../../../ports/journal.ts'
import { asDomainError, OutOfTime } from '../domain-errors.ts'
import { watchPosition } from '../read-models/position-watch.ts'
import { timeLimit, type TimeLimit } from '../read-models/queries/time-limit.ts'
import { eventIn, JOURNAL, journalCollections, type JournalDocument } from './documents.ts'

export interface MongoJournalOptions {
  readonly url: string
  /** Position of the last event of the log. */
  readonly head: () => Promise<Position>
}

const LIMIT_MS = 2_000
/** A batch for a list of the past may take longer. */
const RANGE_MS = 30_000
const WAIT_MS = 5_000
/** Events that are looked at for one page of changes. */
const LOOK = 2_000

export function mongoJournal({ url, head }: MongoJournalOptions): Journal & { readonly ranges: EventRanges } {
  const asked = questions(url)
  const { look, asking, found, positionOfLast, counted } = asked
  const watch = watchPosition({ look })

  return {
    async caughtUp() {
      const end = await head()
      // Also where it has been reached before: the journal may be written again.
      if ((await asking(LIMIT_MS, look)) < end && !(await watch.wait(end, WAIT_MS)))
        throw new Unavailable('the journal does not have the latest events yet')
      return end
    },
    count: (company, filter, upTo) =>
      asking(LIMIT_MS, (limit) => counted(matching(company, filter, { upTo }), limit)),
    find: (company, filter, page) =>
      asking(LIMIT_MS, async (limit) => {
        const { descending, offset = 0, limit: most } = page
        const options = { sort: { position: descending ? -1 : 1 }, skip: offset, limit: most } as const
        return (await found(matching(company, filter, page), options, limit)).map(eventIn)
      }),
    latestChanges: latestChangesBy(asked),
    positionAt: (company, moment) =>
      asking(LIMIT_MS, (limit) =>
        positionOfLast({ company, at: { $lte: moment } }, { at: -1, position: -1 }, limit),
      ),
    ranges: rangesBy(asked),
    async close() {
      watch.close()
      await asked.close()
    },
  }
}

/** What every question goes through: the time that it has, and which documents count. */
function questions(url: string) {
  const collections = journalCollections(url)
  const { connection, journal, positions } = collections
  let epoch: number | undefined
  const look = async (): Promise<Position> => {
    await connection.ready()
    const document = await positions.findOne({ _id: JOURNAL })
    epoch = document?.epoch ?? 0
    return document?.positions[JOURNAL] ?? 0
  }
  const asking = async <T>(limitMs: number, ask: (limit: TimeLimit) => Promise<T>): Promise<T> => {
    const limit = timeLimit(limitMs)
    try {
      await connection.ready()
      if (epoch === undefined) await look()
      return await limit.within(ask(limit))
    } catch (error) {
      const known = asDomainError(error)
      throw known instanceof OutOfTime || known instanceof Invalid ? journalTooLong(limitMs) : known
    }
  }
  const found = (filter: Filter<JournalDocument>, options: FindOptions, limit: TimeLimit) =>
    journal.find({ ...filter, epoch: epoch ?? 0 }, { ...options, ...limit.maxTime() }).toArray()
  const positionOfLast = async (
    filter: Filter<JournalDocument>,
    sort: Record<string, 1 | -1>,
    limit: TimeLimit,
  ) => (await found(filter, { sort, limit: 1, projection: { position: 1 } }, limit))[0]?.position ?? 0
  const counted = (filter: Filter<JournalDocument>, limit: TimeLimit) =>
    journal.countDocuments({ ...filter, epoch: epoch ?? 0 }, limit.maxTime())

  return { look, asking, found, positionOfLast, counted, close: () => connection.close() }
}

type Questions = ReturnType<typeof questions>

const latestChangesBy =
  ({ asking, found }: Questions): Journal['latestChanges'] =>
  (company, object, after, most) =>
    asking(LIMIT_MS, async (limit) => {
      const projection = { position: 1, key: 1, version: 1, type: 1 }
      const options = { sort: { position: 1 }, limit: LOOK, projection } as const
      const looked = await found({ company, object, position: { $gt: after } }, options, limit)
      const end = looked.at(-1)?.position ?? after
      const latest = new Map<string, JournalDocument>()
      for (const document of looked) {
        latest.delete(document.key)
        latest.set(document.key, document)
      }
      const changes: LatestChange[] = []
      const candidates = [...latest.values()]
      // What changed again beyond what was looked at comes at its new place.
      for (let at = 0; at < candidates.length && changes.length <= most; at += most + 1) {
        const some = candidates.slice(at, at + most + 1)
        const isLast = await Promise.all(
          some.map(async ({ key }) => {
            if (looked.length < LOOK) return true
            const beyond = { company, key, position: { $gt: end } }
            return (await found(beyond, { limit: 1, projection: { position: 1 } }, limit)).length === 0
          }),
        )
        for (const [i, { position, key, version, type }] of some.entries())
          if (isLast[i]) changes.push({ position, key, version, type })
      }
      const page = changes.slice(0, most)
      if (changes.length > most) return { changes: page, position: page.at(-1)!.position, more: true }
      return { changes: page, position: end, more: looked.length === LOOK }
    })

const rangesBy = ({ asking, found, positionOfLast, counted }: Questions): EventRanges => ({
  last: (range) => asking(LIMIT_MS, (limit) => positionOfLast(inRange(range), { position: -1 }, limit)),
  count: (range) => asking(LIMIT_MS, (limit) => counted(inRange(range), limit)),
  async *batches(range, size) {
    for (let after = range.after; ;) {
      const from = { ...range, after }
      const options = { sort: { position: 1 }, limit: size } as const
      const batch = await asking(RANGE_MS, (limit) => found(inRange(from), options, limit))
      const last = batch.at(-1)
      if (!last) return
      yield batch.map(eventIn)
      after = last.position
    }
  },
  close: async () => {},
})

function inRange({ company, objects, after, upTo }: Range): Filter<JournalDocument> {
  return { company, object: { $in: [...objects] }, position: { $gt: after, $lte: upTo } }
}

/** Only our operators: values are strings and numbers. */
function matching(
  company: Company,
  { object, key, actor, event, from, to }: JournalFilter,
  { after, upTo }: Pick<JournalPage, 'after' | 'upTo'>,
): Filter<JournalDocument> {
  const between = (least: object, most: object) => ({ ...least, ...most })
  const position = between(
    after === undefined ? {} : { $gt: after },
    upTo === undefined || upTo === Infinity ? {} : { $lte: upTo },
  )
  const at = between(from === undefined ? {} : { $gte: from }, to === undefined ? {} : { $lte: to })
  const type =
    event && ('name' in event ? { $eq: event.name } : { $gte: event.begin, $lt: `${event.begin}\u{10ffff}` })
  return {
    company,
    ...(Object.keys(position).length > 0 && { position }),
    ...(object !== undefined && { object: { $eq: object } }),
    ...(key !== undefined && { key: { $eq: key } }),
    ...(actor !== undefined && { actor: { $eq: actor } }),
    ...(Object.keys(at).length > 0 && { at }),
    ...(type && { type }),
  }
}
