/**
 * Readings that make alarms, and sensors that were heard of: a follower of all events, whose position is kept with the timers. Late
 * readings, and those of a time that is long over, change nothing.
 */
import { PreconditionFailed, Refused, Unavailable } from '../../domain/errors.ts'
import type { Company, RecordedEvent } from '../../domain/events/event.ts'
import { unpacked } from '../../domain/events/packs.ts'
import type { Fields } from '../../domain/json.ts'
import { recentlyUsed } from '../../domain/recently-used.ts'
import { objectOfKey } from '../../domain/records/key.ts'
import { timestampOf } from '../../domain/fields/dates.ts'
import { happeningOf } from '../../domain/records/record.ts'
import type { ProjectionStore } from '../../ports/projection-store.ts'
import type { Timers } from '../../ports/timers.ts'
import type { Projection } from '../../projections/projection.ts'
import { raised, READING, SENSOR, systemCaller, type AlarmWork } from './alarm-work.ts'
import { alarmFields, alarmOf, limitsOf, nextAlarm, type Measured } from './next-alarm.ts'

export interface FollowReadingsOptions {
  readonly work: AlarmWork
  readonly timers: Pick<Timers, 'position' | 'store'>
}

const NAME = 'sensors'
/** Batches without readings after which the position is stored all the same. */
const MOST_AGAIN = 100
/** Readings that were stored longer ago make no alarm: it is too late to do something about them. */
const LATE_MS = 86_400_000
/** How often `LastSeenAt` of a sensor is stored, at most. */
const SEEN_MS = 900_000
const ATTEMPTS = 8
const REMEMBERED = 10_000

export const readingsProjection: Projection<RecordedEvent> = {
  name: NAME,
  needs: [],
  project: (event) => (objectOfKey(event.stream) === READING ? [event] : []),
}

interface Reading extends Measured {
  readonly metric: unknown
}

interface ReadingsOfSensor {
  readonly company: Company
  readonly sensor: string
  readonly readings: Reading[]
}

export function followReadings({ work, timers }: FollowReadingsOptions): ProjectionStore<RecordedEvent> {
  /** When the last reading of a sensor that was judged here was taken. */
  const judged = recentlyUsed<number>(REMEMBERED)
  let passed = 0
  return {
    position: () => timers.position(NAME),
    async apply(batch, position, last) {
      const events = batch.flatMap(({ steps }) => steps.flatMap(({ operations }) => operations))
      if (events.length === 0 && ++passed < MOST_AGAIN) return
      passed = 0
      for (const of of bySensor(events, work.clock.now()))
        await judge(work, of, judged).catch((error: unknown) => {
          // Definitions of the operator may not take it: the next sensor has its turn.
          if (!(error instanceof Refused) || error instanceof Unavailable) throw error
          work.onTrouble(`readings of ${of.sensor} cannot be judged`, error)
        })
      await timers.store([], new Map([[NAME, position]]), last)
    },
    settled: async () => {},
    close: async () => {},
  }
}

function bySensor(events: readonly RecordedEvent[], now: number): readonly ReadingsOfSensor[] {
  const found = new Map<string, ReadingsOfSensor>()
  for (const event of events) {
    const { company, recordedAt } = event.metadata
    const stored = Date.parse(recordedAt)
    if (stored < now - LATE_MS) continue
    for (const { type, data } of unpacked(event)) {
      const { Sensor: sensor, Value: value, MeasuredAt } = data
      if (happeningOf(type) !== 'created' || typeof sensor !== 'string' || typeof value !== 'number') continue
      const name = `${company} ${sensor}`
      const of = found.get(name) ?? { company, sensor, readings: [] }
      // The clock of a sensor may be ahead.
      const at = Math.min(timeIn(MeasuredAt), stored)
      of.readings.push({ at, value, metric: data['Metric'] })
      found.set(name, of)
    }
  }
  return [...found.values()]
}

/** @throws Unavailable when it cannot be done now: what was done is known again */
async function judge(
  work: AlarmWork,
  { company, sensor, readings }: ReadingsOfSensor,
  judged: { get(key: string): number | undefined; set(key: string, at: number): void },
): Promise<void> {
  const definition = work.definitions.get(SENSOR)!
  const inOrder = readings.toSorted((one, other) => one.at - other.at)
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const { status, fields, version } = await work.states.load(company, sensor)
    if (status !== 'live') return
    const seen = Math.max(timeIn(fields['LastSeenAt']), judged.get(sensor) ?? 0)
    const fresh = inOrder.filter(({ at }) => at > seen)
    const body = await changeOf(work, { company, sensor, fields }, fresh)
    try {
      if (Object.keys(body).length > 0) {
        const caller = systemCaller(company, `sensor/${company}/${sensor}/${version}`, inOrder.at(-1)!.at)
        const change = { definition, key: sensor, expected: [version], body, writing: 'replace' } as const
        await work.write.update(caller, change)
      }
      return judged.set(sensor, Math.max(seen, fresh.at(-1)?.at ?? 0))
    } catch (error) {
      if (!(error instanceof PreconditionFailed)) throw error
    }
  }
  throw new Unavailable(`${sensor} is being changed by others`)
}

/** The fields that the readings change, all later than those before. */
async function changeOf(
  work: AlarmWork,
  {
    company,
    sensor,
    fields,
  }: { readonly company: Company; readonly sensor: string; readonly fields: Fields },
  fresh: readonly Reading[],
): Promise<Fields> {
  const last = fresh.at(-1)
  if (!last) return {}
  const limits = limitsOf(fields)
  const before = alarmOf(fields)
  let alarm = before
  let change: Fields = {}
  for (const reading of fresh) {
    const { metric, value } = reading
    const isMeant = metric === undefined || metric === null || (fields['SensorType'] ?? metric) === metric
    const next = isMeant ? nextAlarm(alarm, limits, reading) : alarm
    if (next.state === 'Raised' && alarm.state !== 'Raised')
      change = await raised(work, {
        company,
        sensor,
        fields: { ...fields, ...change },
        since: next.since!,
        value,
      })
    alarm = next
  }
  const isOther = alarm.state !== before.state || alarm.since !== before.since
  const isSeen = isOther || last.at - timeIn(fields['LastSeenAt']) >= SEEN_MS
  return {
    ...change,
    ...((isOther || 'AlarmState' in change) && alarmFields(alarm)),
    ...(isSeen && { LastSeenAt: timestampOf(last.at) }),
  }
}

const timeIn = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : 0)
