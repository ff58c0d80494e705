/** Alarms of sensors: what follows their readings, and what is done in its time. Nothing where the definitions have no sensors. */
import type { RecordedEvent } from '../../domain/events/event.ts'
import type { ProjectionStore } from '../../ports/projection-store.ts'
import type { Timers } from '../../ports/timers.ts'
import type { Projection } from '../../projections/projection.ts'
import type { TimerRule } from '../../timers/rule.ts'
import { alarmRule } from './alarm-rule.ts'
import { knowsAlarms, type AlarmWork } from './alarm-work.ts'
import { followReadings, readingsProjection } from './follow-readings.ts'

export interface SensorAlarms {
  readonly rules: readonly TimerRule[]
  followers(timers: Timers): readonly {
    readonly store: ProjectionStore<RecordedEvent>
    readonly projections: readonly Projection<RecordedEvent>[]
  }[]
}

export function sensorAlarms(work: AlarmWork): SensorAlarms {
  if (!knowsAlarms(work.definitions)) return { rules: [], followers: () => [] }
  return {
    rules: [alarmRule(work)],
    followers: (timers) => [{ store: followReadings({ work, timers }), projections: [readingsProjection] }],
  }
}
