/**
 * Timers in MongoDB: one document for a record and rule, with all its timers, so that a change is whole without a
 * transaction. A document knows the position that it was planned at: a process that lags behind another changes nothing.
 */
import { randomUUID } from 'node:crypto'
import type { Collection } from 'mongodb'
import { Unavailable } from '../../domain/errors.ts'
import type { Company, Position } from '../../domain/events/event.ts'
import type { LastEvent } from '../../ports/projection-store.ts'
import type { Timer, TimerChange, Timers } from '../../ports/timers.ts'
import { askingOf, type Asking } from './asking.ts'
import { connect } from './connection.ts'
import { isDuplicate } from './domain-errors.ts'
import { ensureIndexes } from './read-models/indexes.ts'

interface KeptTimer {
  readonly occurrence: string
  readonly due: number
  /** When to look at it. */
  readonly look: number
}

interface TimersDocument {
  /** `<rule> <company> <record>` */
  readonly _id: string
  readonly rule: string
  readonly company: Company
  readonly record: string
  readonly position: Position
  readonly timers: readonly KeptTimer[]
  /** The earliest `look` among its timers; `NEVER` when it has none, and is only kept for its position. */
  readonly next: number
  /** Another with every change. */
  readonly stamp: string
}

interface ReachedDocument {
  /** A rule; or `LAST`. */
  readonly _id: string
  readonly position: Position
  readonly last?: LastEvent
}

/** No rule is called so. */
const LAST = 'last event'

/** The last moment that a date has. */
const NEVER = 8_640_000_000_000_000
const INDEXES = [
  { name: 'daybook_next', key: { next: 1 } },
  { name: 'daybook_record', key: { rule: 1, company: 1, record: 1 } },
] as const
/** Changes of one document that cross with those of others. */
const TRIES = 20
const idOf = ({ rule, company, record }: { rule: string; company: string; record: string }) =>
  `${rule} ${company} ${record}`
const nextOf = (timers: readonly KeptTimer[]) => Math.min(NEVER, ...timers.map(({ look }) => look))

export function mongoTimers({ url }: { readonly url: string }): Timers {
  const connection = connect({ url, definitions: new Map(), silenceMs: 5_000 })
  const timers: Collection<TimersDocument> = connection.database.collection('timers')
  const reached: Collection<ReachedDocument> = connection.database.collection('timers_reached')
  let indexed: Promise<unknown> | undefined

  const reaching = askingOf(connection)
  const asking: Asking = (ask) =>
    reaching(async () => {
      indexed ??= ensureIndexes(timers, INDEXES)
      await indexed.catch((error: unknown) => {
        indexed = undefined
        throw error
      })
      return ask()
    })

  const make = async (changes: readonly TimerChange[]): Promise<void> => {
    // Of a record that is planned several times the last plan counts, before and after other changes.
    const plans = new Map<string, TimersDocument>()
    const flush = async () => {
      const all = [...plans.values()]
      for (let from = 0; from < all.length; from += connection.writesAtOnce)
        await planAll(timers, all.slice(from, from + connection.writesAtOnce))
      plans.clear()
    }
    for (const change of changes) {
      if (change.op === 'plan') plans.set(idOf(change), documentOf(change))
      else {
        await flush()
        await makeOther(timers, reached, change)
      }
    }
    await flush()
  }

  return {
    position: (rule) => asking(async () => (await reached.findOne({ _id: rule }))?.position ?? 0),
    last: () => asking(async () => (await reached.findOne({ _id: LAST }))?.last),
    store: (changes, positions = new Map(), last = undefined) =>
      asking(async () => {
        await make(changes)
        for (const [_id, position] of positions)
          await reached.updateOne({ _id }, { $max: { position } }, { upsert: true })
        if (last) await keepLast(reached, last)
      }),
    due: (until, limit) =>
      asking(async () => {
        const found = await timers
          .find({ next: { $lte: until } })
          .sort({ next: 1, _id: 1 })
          .limit(limit)
          .toArray()
        return found
          .flatMap(({ rule, company, record, timers: kept }) =>
            kept
              .filter(({ look }) => look <= until)
              .map((one) => ({ look: one.look, timer: { rule, company, record, ...without(one) } })),
          )
          .sort((a, b) => a.look - b.look || orderOf(a.timer, b.timer))
          .slice(0, limit)
          .map(({ timer }) => timer)
      }),
    records: (company, { rule, after = '', limit }) =>
      asking(async () => {
        const wanted = { rule, company, record: { $gt: after }, next: { $lt: NEVER } }
        const found = await timers.find(wanted).sort({ record: 1 }).limit(limit).toArray()
        return found.map(({ record }) => record)
      }),
    close: () => connection.close(),
  }
}

const without = ({ occurrence, due }: KeptTimer) => ({ occurrence, due })

function orderOf(a: Timer, b: Timer): number {
  const [one, other] = [a, b].map((timer) => `${idOf(timer)} ${timer.occurrence}`)
  return one! < other! ? -1 : 1
}

function documentOf({ timers: planned, ...change }: TimerChange & { op: 'plan' }): TimersDocument {
  const { rule, company, record, position } = change
  const timers = planned.map(({ occurrence, due }) => ({ occurrence, due, look: due }))
  return {
    _id: idOf(change),
    rule,
    company,
    record,
    position,
    timers,
    next: nextOf(timers),
    stamp: randomUUID(),
  }
}

/**
 * Puts the documents where none is, or one of an earlier position. No upsert: one whose filter passes over the document
 * of that id would insert it a second time.
 */
async function planAll(timers: Collection<TimersDocument>, plans: readonly TimersDocument[]): Promise<void> {
  const ids = plans.map(({ _id }) => _id)
  const replace = plans.map(({ _id, ...replacement }) => ({
    replaceOne: { filter: { _id, position: { $lt: replacement.position } }, replacement },
  }))
  const known = await timers.find({ _id: { $in: ids } }, { projection: { _id: 1 } }).toArray()
  const there = new Set(known.map(({ _id }) => _id))
  const missing = plans.filter(({ _id }) => !there.has(_id))
  const crossed =
    missing.length > 0 &&
    (await timers.insertMany(missing, { ordered: false }).then(
      () => false,
      (error: unknown) => {
        // Another process put one there meanwhile, perhaps of an earlier position.
        if (!isDuplicate(error)) throw error
        return true
      },
    ))
  const old = crossed ? replace : replace.filter((_one, index) => there.has(ids[index]!))
  if (old.length > 0) await timers.bulkWrite(old, { ordered: false })
}

/** Changes one timer of a document, unless it is not there as it was. */
async function alter(
  timers: Collection<TimersDocument>,
  timer: Timer,
  to: (kept: KeptTimer) => readonly KeptTimer[],
): Promise<void> {
  const _id = idOf(timer)
  for (let tries = 0; tries < TRIES; tries++) {
    const document = await timers.findOne({ _id })
    if (!document) return
    const after = document.timers.flatMap((kept) =>
      kept.occurrence === timer.occurrence && kept.due === timer.due ? to(kept) : [kept],
    )
    const { matchedCount } = await timers.replaceOne(
      { _id, stamp: document.stamp },
      { ...document, timers: after, next: nextOf(after), stamp: randomUUID() },
    )
    if (matchedCount === 1) return
  }
  throw new Unavailable(`timers of ${timer.record} are being changed by others`)
}

/** Keeps the event, unless a later one is kept. */
async function keepLast(reached: Collection<ReachedDocument>, last: LastEvent): Promise<void> {
  const { position } = last
  const { matchedCount } = await reached.updateOne(
    { _id: LAST, position: { $lte: position } },
    { $set: { position, last } },
  )
  if (matchedCount > 0) return
  await reached.insertOne({ _id: LAST, position, last }).catch((error: unknown) => {
    if (!isDuplicate(error)) throw error
  })
}

async function makeOther(
  timers: Collection<TimersDocument>,
  reached: Collection<ReachedDocument>,
  change: Exclude<TimerChange, { op: 'plan' }>,
): Promise<void> {
  if (change.op === 'done') return alter(timers, change.timer, () => [])
  if (change.op === 'postpone')
    return alter(timers, change.timer, (kept) => [{ ...kept, look: change.until }])
  await timers.deleteMany({ rule: change.rule })
  await reached.deleteMany({ _id: { $in: [change.rule, LAST] } })
}
