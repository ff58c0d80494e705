/**
 * Display fields that changed, and the records that still show the old ones.
 *
 * Each is a document of its own until it is done, so that a crash forgets none. A step brings as many records up to date as
 * one command writes; which those are follows from what they show now, so that repeats do no harm. Steps and batches of
 * events take turns: a record that 100,000 others show is renamed without holding up what happens meanwhile. Where few show
 * the old one they are brought up to date in the turn of the events, so that who renames something reads it.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { lookupsTo, type Definitions } from '../../../domain/definition.ts'
import { lookupValue } from '../../../domain/records/document.ts'
import type { Company, Position } from '../../../domain/events/event.ts'
import type { Fields, Json } from '../../../domain/json.ts'
import type { Connection } from '../connection.ts'
import type { RecordChange, Renamed } from './record-changes.ts'
import { keyLocation, shownLocation } from './locations.ts'
import type { OneAtATime } from '../one-at-a-time.ts'
import { documentId, shadowsOf, wordsOf, type RecordDocument } from './record-document.ts'
import { writeChanges } from './write-changes.ts'

export interface FanOuts {
  /** Within a turn: remembers the renamed records for good, or brings those who show them up to date where they are few. */
  add(renamed: readonly Renamed[], position: Position): Promise<void>
  /** Takes up what an earlier process left. */
  resume(): Promise<void>
  /** Works off what is pending, in the background. */
  workOff(): void
  /** Resolves when nothing is pending that this process knows of and can do now. */
  idle(): Promise<void>
  /** Ends after the step at hand. */
  stop(): Promise<void>
}

export interface FanOutsOptions {
  readonly connection: Connection
  readonly definitions: Definitions
  readonly inTurn: OneAtATime
  /** How far the events are applied; undefined where this process may not write: then it leaves what is pending. */
  readonly reached: () => Position | undefined
  /** Whether this process writes the records of the company: what others write, they bring up to date. */
  readonly has: (company: Company) => boolean
  /** Called when records have changed. */
  readonly onChange: () => Promise<void>
  readonly onTrouble: (message: string, error: unknown) => void
}

/** A record that was renamed, and what it is called by now. */
type Named = Renamed & { readonly name: Json }

/** By the ids of their documents. */
type Names = ReadonlyMap<string, Named>

type LookupTo = ReturnType<typeof lookupsTo>[number]

/** Records of all that one batch of events renames which are brought up to date with it. */
const AT_ONCE = 50
const RETRY_MS = 500

export function fanOuts(options: FanOutsOptions): FanOuts {
  return new PendingFanOuts(options)
}

class PendingFanOuts implements FanOuts {
  readonly #options: FanOutsOptions
  readonly #stopped = new AbortController()
  readonly #pending = new Map<string, Renamed>()
  #working: Promise<void> | undefined

  constructor(options: FanOutsOptions) {
    this.#options = options
  }

  async add(renamed: readonly Renamed[], position: Position): Promise<void> {
    const { connection, definitions } = this.#options
    const shown = renamed.filter(({ object }) => lookupsTo(definitions, object).length > 0)
    const done = await this.#broughtUpToDate(shown)
    for (const one of shown) {
      const { company, object, key } = one
      const _id = documentId(company, key)
      // One that was still being worked off has now come to its end.
      if (done.has(one) && !this.#pending.has(_id)) continue
      await connection.fanOuts.replaceOne({ _id }, { company, object, key, position }, { upsert: true })
      this.#pending.set(_id, { company, object, key, position })
    }
  }

  async resume(): Promise<void> {
    this.#pending.clear()
    for await (const { _id, ...renamed } of this.#options.connection.fanOuts.find())
      this.#pending.set(_id, renamed)
    this.workOff()
  }

  workOff(): void {
    if (!this.#next() || this.#stopped.signal.aborted) return
    this.#working ??= this.#run().finally(() => {
      this.#working = undefined
      this.workOff()
    })
  }

  async idle(): Promise<void> {
    while (this.#working) await this.#working
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#working
  }

  #next(): Renamed | undefined {
    const { reached: reachedNow, has } = this.#options
    const reached = reachedNow()
    if (reached === undefined) this.#pending.clear()
    return [...this.#pending.values()].find(({ after = 0, company }) => after <= reached! && has(company))
  }

  async #run(): Promise<void> {
    const { inTurn, onTrouble } = this.#options
    const { signal } = this.#stopped
    for (;;) {
      const renamed = this.#next()
      if (!renamed || signal.aborted) return
      try {
        await inTurn(() => this.#step(renamed))
      } catch (error) {
        onTrouble(`Records that show ${renamed.key} cannot be brought up to date for now.`, error)
        await delay(RETRY_MS, undefined, { signal, ref: false }).catch(() => {})
      }
    }
  }

  async #step(renamed: Renamed): Promise<void> {
    const { connection, definitions, reached, has, onChange, onTrouble } = this.#options
    if (reached() === undefined) return this.#pending.clear()
    if (!has(renamed.company)) return
    const names = await this.#namesOf(renamed.object, [renamed])
    for (const lookup of lookupsTo(definitions, renamed.object)) {
      const outdated = await this.#findOutdated(lookup, names, connection.writesAtOnce)
      if (outdated.length === 0) continue
      const changes = outdated.map((before) => this.#refreshed(lookup, names, before))
      await writeChanges({ connection, changes, onTrouble })
      await onChange()
      return
    }
    // A step that wrote and then failed has not published the change.
    await onChange()
    const _id = documentId(renamed.company, renamed.key)
    // Not one that the process to which its company was given has renewed.
    await connection.fanOuts.deleteOne({ _id, position: renamed.position })
    this.#pending.delete(_id)
  }

  /** Those of a batch of events whose new names are shown everywhere: all at once, or where they are too many by turns. */
  async #broughtUpToDate(renamed: readonly Renamed[]): Promise<ReadonlySet<Renamed>> {
    if (renamed.length === 0) return new Set()
    if ((await this.#workAtOnce(renamed, AT_ONCE)) !== undefined) return new Set(renamed)
    const done = new Set<Renamed>()
    if (renamed.length === 1) return done
    let left = AT_ONCE
    for (const one of renamed) {
      if (left === 0) break
      const count = await this.#workAtOnce([one], left)
      if (count === undefined) continue
      done.add(one)
      left -= count
    }
    return done
  }

  /** Brings those up to date who show these records; how many, or undefined when they are more than `most` or others write them. */
  async #workAtOnce(renamed: readonly Renamed[], most: number): Promise<number | undefined> {
    const { connection, definitions, onTrouble } = this.#options
    let count = 0
    for (const [object, some] of Map.groupBy(renamed, (one) => one.object)) {
      const names = await this.#namesOf(object, some)
      for (const lookup of lookupsTo(definitions, object)) {
        const left = most - count
        const outdated = await this.#findOutdated(lookup, names, left + 1)
        if (outdated.length > left) return undefined
        const changes = outdated.map((before) => this.#refreshed(lookup, names, before))
        if (changes.length > 0 && !(await writeChanges({ connection, changes, onTrouble }))) return undefined
        count += changes.length
      }
    }
    return count
  }

  /** What these records of an object are called by now, by the ids of their documents. */
  async #namesOf(object: string, renamed: readonly Renamed[]): Promise<Names> {
    const { connection, definitions } = this.#options
    const display = definitions.get(object)?.display ?? ''
    const ids = renamed.map(({ company, key }) => documentId(company, key))
    const found = await connection
      .records(object)
      .find({ _id: { $in: ids } }, { projection: { [`values.${display}`]: 1 } })
      .toArray()
    const values = new Map(found.map(({ _id, values: its }) => [_id, its[display] as Json | undefined]))
    return new Map(renamed.map((one, n) => [ids[n]!, { ...one, name: values.get(ids[n]!) ?? null }]))
  }

  /** Those whose lookup shows an earlier name of these. Collections that were taken over later show the present one already. */
  async #findOutdated(
    { definition: { object }, field }: LookupTo,
    names: Names,
    limit: number,
  ): Promise<RecordDocument[]> {
    const { connection, definitions } = this.#options
    const outdated = [...names.values()]
      .filter(({ position }) => connection.takenOverAt(object) <= position)
      .map(({ company, key, name }) => ({
        company: { $eq: company },
        live: { $eq: true }, // a deleted record is brought up to date when it is restored
        [keyLocation(field)]: { $eq: key },
        [shownLocation(definitions, field)]: { $ne: name },
      }))
    if (outdated.length === 0) return []
    const where = outdated.length === 1 ? outdated[0]! : { $or: outdated }
    return connection.records(object).find(where).limit(limit).toArray()
  }

  #refreshed({ definition, field }: LookupTo, names: Names, before: RecordDocument): RecordChange {
    const { definitions } = this.#options
    const served = JSON.parse(before.json) as Fields
    const { Id: key } = served[field.name] as { Id: string }
    const { name } = names.get(documentId(before.company, key))!
    const record = { ...served, [field.name]: lookupValue(definitions, field, key, name) }
    const isToBeIndexed = before.words !== undefined && field.searchable
    const words = isToBeIndexed ? wordsOf(definition, record) : before.words
    const { isPutAside, ...others } = before
    const after = {
      ...others,
      ...(isPutAside && !isToBeIndexed && { isPutAside }),
      ...shadowsOf(definition, record),
      ...(words && { words }),
      revision: before.revision + 1,
    }
    return { object: definition.object, before, after }
  }
}
