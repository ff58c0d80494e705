/**
 * The projections that keep timers: one for each rule, so that a new rule is planned for all records there are while the
 * others go on.
 *
 * Timers follow from the record as it is now, which may be later than the event at hand: what is planned too early is planned
 * again by the event that it follows from, and what fires is judged again.
 */
import type { Company, Position, RecordedEvent } from '../domain/events/event.ts'
import { unpacked } from '../domain/events/packs.ts'
import { requireUnderstood } from '../domain/events/upcast.ts'
import { objectOfKey } from '../domain/records/key.ts'
import { absent, evolve, happeningOf, type RecordState } from '../domain/records/record.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { ProjectionStore, Step } from '../ports/projection-store.ts'
import type { TimerChange, Timers } from '../ports/timers.ts'
import type { Projection } from '../projections/projection.ts'
import type { Adopted } from './adopt-rules.ts'
import type { PlannedRecord, TimerRule } from './rule.ts'

export interface CurrentStates {
  load(company: Company, key: string): Promise<RecordState>
}

export interface PlanTimersOptions {
  readonly adopted: readonly Adopted[]
  readonly timers: Timers
  readonly states: CurrentStates
  readonly events: Pick<EventStore, 'read'>
}

/** Records whose timers are moved together when a company changes its zone. */
const PIECE = 500
/** Batches without any timer after which the position is stored all the same: it costs a wait for the disk. */
const MOST_AGAIN = 100
const ZONE = 'TimeZone'

/** What is to be followed: events that may move timers of the rule. */
export function timerProjections(adopted: readonly Adopted[]): readonly Projection<RecordedEvent>[] {
  return adopted.map(({ rule, timers }) => {
    const beginning = `${rule.object}-`
    return {
      name: timers,
      needs: [],
      project(event) {
        // Each event is asked about by each rule, and most are of other objects.
        if (!event.stream.startsWith(beginning) && !event.stream.startsWith(COMPANIES)) return NONE
        return unpacked(event).filter((one) => concerns(rule, one))
      },
    }
  })
}

const COMPANY = 'company'
const COMPANIES = `${COMPANY}-`
const NONE: readonly RecordedEvent[] = []

function concerns(rule: TimerRule, event: RecordedEvent): boolean {
  const object = objectOfKey(event.stream)
  if (object !== rule.object && object !== COMPANY) return false
  requireUnderstood(event)
  if (object !== rule.object) return ZONE in event.data
  if (happeningOf(event.type) !== 'changed') return true
  return rule.fields.some((name) => name in event.data)
}

/** Of what concerns the rule, events of companies are about their zones. */
const isZone = ({ rule }: Adopted, stream: string) => rule.object !== COMPANY && stream.startsWith(COMPANIES)

/** The record with the zone of its company; undefined when it is not there. */
export async function plannedRecord(
  states: CurrentStates,
  company: Company,
  key: string,
): Promise<PlannedRecord | undefined> {
  const [state, of] = await Promise.all([states.load(company, key), states.load(company, company)])
  if (state.status !== 'live') return undefined
  return { company, key, state, zone: zoneOf(of) }
}

const zoneOf = ({ fields }: RecordState) => (fields[ZONE] as string | undefined) ?? 'UTC'

/** What the rule has due for the record, without what was due before the rule was there. */
export function duesOf({ rule, since }: Adopted, record: PlannedRecord) {
  // A record that changed since then is looked at as a new one.
  const counts = rule.backfill === true || Date.parse(record.state.modifiedAt) >= since
  return rule.plan(record).filter(({ due }) => counts || due >= since)
}

interface CurrentAt {
  /** A record that knows its events up to the position. */
  load(position: Position, company: Company, key: string): Promise<RecordState>
  /** The zone of the company, as it is after the batch. */
  zone(company: Company): Promise<string>
}

/** What is remembered may not know an event yet that was stored a moment ago. */
function currentAt(states: CurrentStates, events: Pick<EventStore, 'read'>, zones: FollowedZones): CurrentAt {
  const load: CurrentAt['load'] = async (position, company, key) => {
    const state = await states.load(company, key)
    if (state.position >= position) return state
    const all = await events.read(company, key)
    return (all.at(-1)?.version ?? 0) > state.version ? all.reduce(evolve, absent) : state
  }
  return {
    load,
    async zone(company) {
      const known = zones.of.get(company)
      if (known !== undefined) return known
      const zone = zoneOf(await load(zones.upTo, company, company))
      zones.of.set(company, zone)
      return zone
    },
  }
}

/** Zones of companies as they are after all events up to the position: those of a company need not be read for each batch. */
interface FollowedZones {
  of: Map<Company, string>
  upTo: Position
}

/** What the events up to `position` make of the zones; those that they change, or may have changed unseen, are forgotten. */
function followZones(
  zones: FollowedZones,
  work: readonly { readonly one: Adopted; readonly after: Position; readonly steps: Steps }[],
  position: Position,
): void {
  // Rules about companies do not see all that changes a zone.
  const seeing = work.filter(({ one }) => one.rule.object !== COMPANY)
  const earliest = Math.min(...seeing.map(({ after }) => after))
  if (earliest > zones.upTo) zones.of.clear()
  for (const { one, steps } of seeing)
    for (const { operations } of steps)
      for (const { stream } of operations) if (isZone(one, stream)) zones.of.delete(stream)
  zones.upTo = Math.max(zones.upTo, position)
}

type Steps = readonly Step<RecordedEvent>[]

/**
 * The record as it came to be in the batch: nothing else has to be asked. Undefined where it was there before, and where what
 * became of it since makes a difference.
 */
function newIn({ rule, since }: Adopted, events: readonly RecordedEvent[]): RecordState | undefined {
  const [first] = events
  if (first?.version !== 1 || happeningOf(first.type) !== 'created') return undefined
  const state = events.reduce(evolve, absent)
  return rule.backfill === true || Date.parse(state.modifiedAt) >= since ? state : undefined
}

async function plan(
  one: Adopted,
  current: CurrentAt,
  company: Company,
  record: string,
  position: Position,
): Promise<TimerChange> {
  const state = await current.load(position, company, record)
  const zone = state.status === 'live' ? await current.zone(company) : undefined
  const dues = zone === undefined ? [] : duesOf(one, { company, key: record, state, zone })
  return { op: 'plan', company, rule: one.timers, record, position, timers: dues }
}

/** Of records, their timers by the rule. */
async function planRecords(
  one: Adopted,
  current: CurrentAt,
  steps: readonly Step<RecordedEvent>[],
): Promise<readonly TimerChange[]> {
  const changes: TimerChange[] = []
  for (const [record, events] of byRecord(one, steps)) {
    const { position, metadata } = events.at(-1)!
    const { company } = metadata
    const state = newIn(one, events)
    if (!state) {
      changes.push(await plan(one, current, company, record, position))
      continue
    }
    if (state.status !== 'live') continue
    const zone = await current.zone(company)
    const dues = duesOf(one, { company, key: record, state, zone })
    // It had no timers before.
    if (dues.length > 0)
      changes.push({ op: 'plan', company, rule: one.timers, record, position, timers: dues })
  }
  return changes
}

function byRecord(one: Adopted, steps: readonly Step<RecordedEvent>[]): Map<string, RecordedEvent[]> {
  const records = new Map<string, RecordedEvent[]>()
  for (const { operations } of steps)
    for (const event of operations) {
      if (isZone(one, event.stream)) continue
      const before = records.get(event.stream)
      if (before) before.push(event)
      else records.set(event.stream, [event])
    }
  return records
}

/** The place that the projections write to. */
export function planTimers({
  adopted,
  timers,
  states,
  events,
}: PlanTimersOptions): ProjectionStore<RecordedEvent> {
  const named = new Map(adopted.map((one) => [one.timers, one]))
  const zones: FollowedZones = { of: new Map(), upTo: 0 }
  let passed = 0

  /** Companies whose clocks are others now: all their timers are moved. */
  const moveZones = async (
    one: Adopted,
    current: CurrentAt,
    steps: readonly Step<RecordedEvent>[],
  ): Promise<void> => {
    for (const { operations } of steps)
      for (const { stream: company, position } of operations) {
        if (!isZone(one, company)) continue
        for (let after: string | undefined; ;) {
          const records = await timers.records(company, { rule: one.timers, after, limit: PIECE })
          if (records.length === 0) break
          const changes: TimerChange[] = []
          for (const record of records) changes.push(await plan(one, current, company, record, position))
          await timers.store(changes)
          after = records.at(-1)
        }
      }
  }

  return {
    position: (projection) => timers.position(projection),
    async apply(work, position, last) {
      const planned = work.map(({ projection, after = Infinity, steps }) => {
        return { one: named.get(projection)!, after, steps }
      })
      followZones(zones, planned, position)
      if (work.every(({ steps }) => steps.length === 0) && ++passed < MOST_AGAIN) return
      passed = 0
      const current = currentAt(states, events, zones)
      const changes: TimerChange[] = []
      for (const { one, steps } of planned) {
        changes.push(...(await planRecords(one, current, steps)))
        if (!steps.some(({ operations }) => operations.some(({ stream }) => isZone(one, stream)))) continue
        // What it moves has to be there.
        await timers.store(changes.splice(0))
        await moveZones(one, current, steps)
      }
      await timers.store(changes, new Map(work.map(({ projection }) => [projection, position])), last)
    },
    settled: async () => {},
    close: async () => {},
  }
}
