/**
 * New keys of companies for an event file whose keys are lost, or that never had any: the values of unique fields are
 * claimed again, under names made with the new keys. The service must not run on the folder.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { openEventLog, openEventReader, type EventLog } from '../../src/adapters/sqlite/events/event-log.ts'
import { sqliteKeyStore } from '../../src/adapters/sqlite/keys/key-store.ts'
import { keysOpened } from '../../src/commands/support/check-keys.ts'
import { ownEvent } from '../../src/commands/support/own-event.ts'
import { claimsOf, claimText, type Claim } from '../../src/commands/support/unique-claims.ts'
import type { Definitions } from '../../src/domain/definition.ts'
import { SYSTEM, type NewEvent, type RecordedEvent } from '../../src/domain/events/event.ts'
import { streamOf } from '../../src/domain/events/stream-name.ts'
import { requireUnderstood } from '../../src/domain/events/upcast.ts'
import { writtenText } from '../../src/domain/events/written-text.ts'
import { objectOfKey } from '../../src/domain/records/key.ts'
import { absent, evolve, type RecordState } from '../../src/domain/records/record.ts'
import { companyKeys } from '../../src/identity/secrets/company-keys.ts'
import type { Sealer } from '../../src/identity/secrets/sealed-secrets.ts'

export interface ClaimAgain {
  readonly folder: string
  /** All objects, those that the service keeps for itself included. */
  readonly definitions: Definitions
  readonly sealer: Pick<Sealer, 'seal' | 'open'>
}

export interface ClaimedAgain {
  readonly claims: number
  /** `<key>: <field>` of each record whose value an older record has: it can be changed, not given again. */
  readonly duplicates: readonly string[]
}

interface Live {
  readonly company: string
  readonly key: string
  readonly state: RecordState
}

const BATCH = 1_000

/** @throws Error for an event that cannot be read, and for records of an object without a definition */
export async function claimAgain({ folder, definitions, sealer }: ClaimAgain): Promise<ClaimedAgain> {
  const path = join(folder, 'events.db')
  const log = openEventLog(path)
  const store = sqliteKeyStore(join(folder, 'keys.db'))
  const now = Date.now()
  const keys = companyKeys({ store, sealer, now: () => now })
  const claimed = new Set<string>()
  const duplicates: string[] = []
  try {
    for (const { company, key, state } of liveRecords(path, definitions)) {
      const definition = definitions.get(objectOfKey(key)!)!
      for (const claim of claimsOf(definition, state.fields)) {
        const name = await keys.nameOf(company, claimText(company, definition.object, claim))
        const stream = `claim-${name.slice(0, 40)}`
        if (claimed.has(stream)) duplicates.push(`${key}: ${claim.field.name}`)
        else append(log, company, stream, claimTaken({ company, stream, key, claim, now }))
        claimed.add(stream)
      }
    }
    const opened = keysOpened(await store.id(), now)
    const expected = versionOf(path, opened.stream)
    append(log, SYSTEM, opened.stream, opened.event, expected)
    return { claims: claimed.size, duplicates }
  } finally {
    await store.close()
    log.close()
  }
}

function claimTaken(of: {
  readonly company: string
  readonly stream: string
  readonly key: string
  readonly claim: Claim
  readonly now: number
}): NewEvent {
  const { company, stream, key, claim, now } = of
  const data = { Key: key, Object: objectOfKey(key)!, Field: claim.field.name }
  return ownEvent({ company, stream, type: 'claim.taken', data, now, command: randomUUID(), name: 'claim' })
}

function append(log: EventLog, company: string, stream: string, event: NewEvent, expected = 0): void {
  const packed = { id: event.id, type: event.type, ...writtenText(event) }
  const [outcome] = log.append([{ company, stream: streamOf(company, stream), expected, events: [packed] }])
  if (!outcome || 'conflict' in outcome) throw new Error(`${stream} has been written to meanwhile`)
}

function versionOf(path: string, stream: string): number {
  const reader = openEventReader(path)
  try {
    return reader.last(SYSTEM, stream)?.version ?? 0
  } finally {
    reader.close()
  }
}

function liveRecords(path: string, definitions: Definitions): readonly Live[] {
  const records = new Map<string, Live>()
  const reader = openEventReader(path, 'once')
  try {
    for (let after = 0, events: RecordedEvent[]; ; after = events.at(-1)!.position) {
      events = reader.readAll(after, BATCH)
      if (events.length === 0) break
      for (const event of events) {
        const { stream: key, metadata } = event
        const object = objectOfKey(key)
        if (object === undefined || object === 'audit') continue
        requireUnderstood(event)
        const definition = definitions.get(object)
        if (!definition)
          throw new Error(`There is no definition of ${object}: set DEFINITIONS_DIR as the service has it.`)
        if (!definition.fields.some(({ unique }) => unique)) continue
        const state = evolve(records.get(key)?.state ?? absent, event)
        records.set(key, { company: metadata.company, key, state })
      }
    }
  } finally {
    reader.close()
  }
  return [...records.values()].filter(({ state }) => state.status === 'live')
}
