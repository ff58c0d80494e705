/**
 * The ledger against the event file: every acknowledged write is there, at the version and position it was told, with
 * what was asked for; nothing that was refused is; what has no answer is there wholly or not at all.
 */
import { isDeepStrictEqual } from 'node:util'
import type { StoredEvent } from '../event-file.ts'
import { actionFault, applyEffect, effectOf, isObject, type ExpectedRecord } from './expected.ts'
import { isAcknowledged, isOpen, type Entry, type RowResult, type Values } from './ledger.ts'

export interface LedgerCheck {
  readonly faults: readonly string[]
  /** What each record must be now. */
  readonly records: ReadonlyMap<string, ExpectedRecord>
  /** Requests without an answer that turned out to be done. */
  readonly doneUnanswered: number
}

/** An event of a record with the request that asked for it and what the record must be after it. */
interface Traced {
  readonly event: StoredEvent
  readonly after: ExpectedRecord
}

export function checkLedger(entries: readonly Entry[], events: readonly StoredEvent[]): LedgerCheck {
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const traces = new Map<string, Traced[]>()
  const records = new Map<string, ExpectedRecord>()
  /** `<key> <version>` of every state in which a record was not deleted. */
  const live = new Set<string>()
  const faults: string[] = []

  for (const event of events) {
    if (!/^(contract|tenant)-/.test(event.stream)) continue
    const { stream: key, version, position } = event
    const entry = byId.get(event.reason ?? '')
    const effect = entry && effectOf(entry, event)
    if (!effect || effect.type !== event.type) {
      faults.push(`${event.type} of ${key} at position ${position} was asked for by no request`)
      continue
    }
    const before = records.get(key)
    const after = applyEffect(before, { key, version }, effect)
    const fault = actionFault(entry, before)
    if (fault !== undefined) faults.push(fault)
    for (const name of Object.keys(effect.fields)) {
      const stored = event.data[name] ?? (name in event.data ? null : (before?.fields[name] ?? null))
      if (!isDeepStrictEqual(stored, after.fields[name] ?? null))
        faults.push(`${entry.id}: ${name} of ${key} was stored as ${JSON.stringify(stored)}`)
    }
    records.set(key, after)
    if (!after.deleted) live.add(`${key} ${version}`)
    traces.set(entry.id, [...(traces.get(entry.id) ?? []), { event, after }])
  }

  const wasLive = (key: string, version: number | undefined) => live.has(`${key} ${version}`)
  for (const entry of entries) faults.push(...entryFaults(entry, traces.get(entry.id) ?? [], wasLive))
  const doneUnanswered = entries.filter((entry) => isOpen(entry) && traces.has(entry.id)).length
  return { faults: [...faults, ...orderFaults(entries)], records, doneUnanswered }
}

function entryFaults(
  entry: Entry,
  traces: readonly Traced[],
  wasLive: (key: string, version: number | undefined) => boolean,
): string[] {
  const { id, intent, answer } = entry
  const what = `${id} (${intent.kind})`
  if (intent.kind === 'batch') return batchFaults(entry, traces)
  if (traces.length > 1) return [`${what} was done ${traces.length} times`]
  const [trace] = traces
  if (isOpen(entry)) return []
  if (!isAcknowledged(entry)) return trace ? [`${what} was refused with ${answer!.status}, and yet done`] : []
  const { Id: key } = answer!.data as { Id: string }
  const { version, position } = answer!
  // Restoring what is not deleted changes nothing.
  if (!trace && intent.kind === 'restore' && wasLive(key, version)) return []
  if (!trace) return [`${what} of ${key} was acknowledged at version ${version} and is LOST`]
  const { event, after } = trace
  if (event.stream !== key || event.version !== version || event.position !== position)
    return [
      `${what} was acknowledged as ${key} version ${version} at ${position}, but is ${event.stream} version ${event.version} at ${event.position}`,
    ]
  return intent.kind === 'delete' ? [] : recordFaults(what, answer!.data as Values, after)
}

/** What was answered, field by field. */
export function recordFaults(what: string, served: Values, { key, fields }: ExpectedRecord): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const shown = served[name] ?? null
    // A lookup is written as a Key and read as an object.
    const isLookup = typeof value === 'string' && isObject(shown)
    const same = isLookup ? shown['Id'] === value : isDeepStrictEqual(shown, value)
    return same
      ? []
      : [`${what}: ${name} of ${key} is ${JSON.stringify(shown)}, not ${JSON.stringify(value)}`]
  })
}

/** Each row stands alone. */
function batchFaults(entry: Entry, traces: readonly Traced[]): string[] {
  const { id, intent, answer } = entry
  if (intent.kind !== 'batch') return []
  const results = isAcknowledged(entry) ? (answer!.data as RowResult[]) : undefined
  return intent.rows.flatMap((row, index) => {
    const what = `${id} (row ${index} of a batch)`
    const done = traces.filter(({ event }) => event.data['Notes'] === row['Notes'])
    if (done.length > 1) return [`${what} was done ${done.length} times`]
    const result = results?.find(({ Index }) => Index === index)
    if (isOpen(entry)) return []
    if (result?.Status === 201)
      return done[0]?.event.stream === result.Id
        ? []
        : [`${what} was acknowledged as ${result.Id} and is LOST`]
    const mayBeThere = result !== undefined && result.Status >= 500
    return done.length === 0 || mayBeThere ? [] : [`${what} was refused, and yet done`]
  })
}

/** What was acknowledged before another request was sent comes before it in the order of events. */
function orderFaults(entries: readonly Entry[]): string[] {
  const placed = entries
    .filter((entry) => isAcknowledged(entry) && entry.intent.kind !== 'batch')
    .filter(({ answer }) => answer!.position !== undefined)
    .sort((one, other) => one.answer!.position! - other.answer!.position!)
  const faults: string[] = []
  let latestSent: Entry | undefined
  for (const entry of placed) {
    if (latestSent && entry.answer!.at < latestSent.sentAt)
      faults.push(`${latestSent.id} was sent after ${entry.id} was answered, but comes before it`)
    if (!latestSent || entry.sentAt > latestSent.sentAt) latestSent = entry
  }
  return faults
}
