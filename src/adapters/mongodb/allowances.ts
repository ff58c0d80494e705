/**
 * Allowances in MongoDB: what a key owes is kept as the moment at which it owes nothing, by the server's clock, so that
 * the clocks of processes need not agree.
 *
 * `$max` with the present and then `$inc`: whatever other processes put in between, each spending counts once. Nothing
 * here has to survive the server, so nothing waits for a majority or a journal.
 */
import type { Collection } from 'mongodb'
import type { Allowances, Spending } from '../../ports/allowances.ts'
import { connect } from './connection.ts'
import { asDomainError, isDuplicate } from './domain-errors.ts'
import { timeLimit } from './read-models/queries/time-limit.ts'

interface AllowanceDocument {
  readonly _id: string
  /** In ms since 1970. */
  readonly nothingAt: number
}

export interface MongoAllowancesOptions {
  readonly url: string
  /** For all of a call. */
  readonly limitMs?: number
}

const LIMIT_MS = 1_500
/** How often the server is asked for its time: clocks drift by less than a millisecond in this. */
const CLOCK_MS = 60_000
/** How often what is regained is cleared away. */
const CLEAR_MS = 600_000

export function mongoAllowances({ url, limitMs = LIMIT_MS }: MongoAllowancesOptions): Allowances {
  const connection = connect({ url, definitions: new Map(), silenceMs: 5_000 })
  const { database } = connection
  const allowances: Collection<AllowanceDocument> = database.collection('rate_allowances', {
    writeConcern: { w: 1 },
    readConcern: { level: 'local' },
  })
  let clock: { readonly ahead: number; readonly asked: number } | undefined
  let cleared = performance.now()

  /** The server's time, as far as it can be known from here. */
  const serverNow = async (): Promise<number> => {
    const asked = performance.now()
    if (!clock || asked - clock.asked > CLOCK_MS) {
      const { localTime } = (await database.command({ hello: 1 })) as { localTime: Date }
      clock = { ahead: localTime.getTime() - (asked + performance.now()) / 2, asked }
    }
    return performance.now() + clock.ahead
  }

  const add = async (spendings: readonly Spending[], now: number): Promise<number[]> => {
    const presents = spendings.map(({ key }) => ({
      updateOne: { filter: { _id: key }, update: { $max: { nothingAt: now } }, upsert: true },
    }))
    await allowances.bulkWrite(presents, { ordered: false }).catch((error: unknown) => {
      // Another process has just made it, at this same moment.
      if (!isDuplicate(error)) throw error
    })
    const additions = spendings.map(({ key, ms }) => ({
      updateOne: { filter: { _id: key }, update: { $inc: { nothingAt: ms } } },
    }))
    await allowances.bulkWrite(additions, { ordered: false })
    const found = await allowances.find({ _id: { $in: spendings.map(({ key }) => key) } }).toArray()
    const at = new Map(found.map(({ _id, nothingAt }) => [_id, nothingAt]))
    return spendings.map(({ key }) => Math.max(0, (at.get(key) ?? now) - now))
  }

  const spend = async (spendings: readonly Spending[]): Promise<readonly number[]> => {
    await connection.ready()
    const now = await serverNow()
    const owed: number[] = []
    const { writesAtOnce } = connection
    for (let at = 0; at < spendings.length; at += writesAtOnce)
      owed.push(...(await add(spendings.slice(at, at + writesAtOnce), now)))
    if (performance.now() - cleared > CLEAR_MS) {
      cleared = performance.now()
      await allowances.deleteMany({ nothingAt: { $lt: now } })
    }
    return owed
  }

  return {
    async spend(spendings) {
      if (spendings.length === 0) return []
      const limit = timeLimit(limitMs)
      try {
        return await limit.within(spend(spendings))
      } catch (error) {
        throw asDomainError(error)
      }
    },
    close: () => connection.close(),
  }
}
