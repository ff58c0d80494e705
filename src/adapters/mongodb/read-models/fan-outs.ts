/**
 * Display fields that changed, and the records that still show the old ones.
 *
 * Each is a document of its own until it is done, so that a crash forgets none. A step brings as many records up to date as one
 * command writes;
 * which those are follows from what they show now, so that repeats do no harm. Steps and batches of events take turns:
 * a record that 100,000 others show is renamed without holding up what happens meanwhile. Where few show the old one they are
 * brought up to date in the turn of the events, so that who renames something reads it.
 */
import { setTimeout as delay } from 'node:timers/promises'
import {
  lookupsTo,
  type Definitions,
  type FieldDefinition,
  type ObjectDefinition,
} from '../../../domain/definition.ts'
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
  /** Resolves when nothing is pending that this process knows of. */
  idle(): Promise<void>
  /** Ends after the step at hand. */
  stop(): Promise<void>
}

export interface FanOutsOptions {
  readonly connection: Connection
  readonly definitions: Definitions
  readonly inTurn: OneAtATime
  /** Asked inside each turn. A process that may not write leaves what is pending to the one that may. */
  readonly mayWrite: () => boolean
  /** Called when records have changed. */
  readonly onChange: () => Promise<void>
  readonly onTrouble: (message: string, error: unknown) => void
}

/** Records of all that one batch of events renames which are brought up to date with it. */
const AT_ONCE = 50
const RETRY_MS = 500

export function fanOuts({
  connection,
  definitions,
  inTurn,
  mayWrite,
  onChange,
  onTrouble,
}: FanOutsOptions): FanOuts {
  const stopped = new AbortController()
  const pending = new Map<string, Renamed>()
  let working: Promise<void> | undefined

  const step = async (renamed: Renamed): Promise<void> => {
    if (!mayWrite()) return pending.clear()
    const { company, object, key } = renamed
    const _id = documentId(company, key)
    const shown = await displayOf(renamed)
    for (const { definition, field } of lookupsTo(definitions, object)) {
      const outdated = await findOutdated(definition, field, company, key, shown, connection.writesAtOnce)
      if (outdated.length === 0) continue
      const changes = outdated.map((before) => refreshed(definition, field, before, shown))
      await writeChanges({ connection, changes, onTrouble })
      await onChange()
      return
    }
    // A step that wrote and then failed has told nobody of the change.
    await onChange()
    await connection.fanOuts.deleteOne({ _id })
    pending.delete(_id)
  }

  const displayOf = async ({ company, object, key }: Renamed): Promise<Json> => {
    const _id = documentId(company, key)
    const record = await connection.records(object).findOne({ _id }, { projection: { values: 1 } })
    const display = definitions.get(object)?.display ?? ''
    return (record?.values[display] as Json | undefined) ?? null
  }

  /** Brings those up to date who show a record; how many, or undefined when they are more than `most` or others write them. */
  const workAtOnce = async (renamed: Renamed, most: number): Promise<number | undefined> => {
    const { company, object, key } = renamed
    const shown = await displayOf(renamed)
    let count = 0
    for (const { definition, field } of lookupsTo(definitions, object)) {
      const left = most - count
      const outdated = await findOutdated(definition, field, company, key, shown, left + 1)
      if (outdated.length > left) return undefined
      const changes = outdated.map((before) => refreshed(definition, field, before, shown))
      if (changes.length > 0 && !(await writeChanges({ connection, changes, onTrouble }))) return undefined
      count += changes.length
    }
    return count
  }

  const findOutdated = (
    { object }: ObjectDefinition,
    field: FieldDefinition,
    company: Company,
    key: string,
    shown: Json,
    limit: number,
  ): Promise<RecordDocument[]> =>
    connection
      .records(object)
      .find({
        company: { $eq: company },
        live: { $eq: true }, // a deleted record is brought up to date when it is restored
        [keyLocation(field)]: { $eq: key },
        [shownLocation(definitions, field)]: { $ne: shown },
      })
      .limit(limit)
      .toArray()

  const refreshed = (
    definition: ObjectDefinition,
    field: FieldDefinition,
    before: RecordDocument,
    shown: Json,
  ): RecordChange => {
    const served = JSON.parse(before.json) as Fields
    const { Id: key } = served[field.name] as { Id: string }
    const record = { ...served, [field.name]: lookupValue(definitions, field, key, shown) }
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

  const run = async () => {
    for (;;) {
      const [renamed] = pending.values()
      if (!renamed || stopped.signal.aborted) return
      try {
        await inTurn(() => step(renamed))
      } catch (error) {
        onTrouble(`records that show ${renamed.key} cannot be brought up to date for now`, error)
        await delay(RETRY_MS, undefined, { signal: stopped.signal, ref: false }).catch(() => {})
      }
    }
  }

  const workOff = () => {
    if (pending.size === 0 || stopped.signal.aborted) return
    working ??= run().finally(() => {
      working = undefined
      workOff()
    })
  }

  return {
    async add(renamed, position) {
      let left = AT_ONCE
      for (const { company, object, key } of renamed) {
        if (lookupsTo(definitions, object).length === 0) continue
        const _id = documentId(company, key)
        const done = left > 0 ? await workAtOnce({ company, object, key }, left) : undefined
        left = done === undefined ? 0 : left - done
        // One that was still being worked off has now come to its end.
        if (done !== undefined && !pending.has(_id)) continue
        await connection.fanOuts.replaceOne({ _id }, { company, object, key, position }, { upsert: true })
        pending.set(_id, { company, object, key })
      }
    },
    async resume() {
      for await (const { _id, company, object, key } of connection.fanOuts.find())
        pending.set(_id, { company, object, key })
      workOff()
    },
    workOff,
    async idle() {
      while (working) await working
    },
    async stop() {
      stopped.abort()
      await working
    },
  }
}
