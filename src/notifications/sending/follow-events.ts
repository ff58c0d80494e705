/** Triggers that events fire: a follower of all events, whose position is kept with the timers. */
import type { Definitions } from '../../domain/definition.ts'
import type { RecordedEvent } from '../../domain/events/event.ts'
import { unpacked } from '../../domain/events/packs.ts'
import { requireUnderstood } from '../../domain/events/upcast.ts'
import { objectOfKey } from '../../domain/records/key.ts'
import { absent, evolve } from '../../domain/records/record.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { ProjectionStore } from '../../ports/projection-store.ts'
import type { Timers } from '../../ports/timers.ts'
import type { Projection } from '../../projections/projection.ts'
import { waitsFor, type Trigger, type Triggers } from '../triggers.ts'
import type { Cause } from './write-messages.ts'

export interface FollowTriggersOptions {
  readonly triggers: Triggers
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'read' | 'head'>
  readonly timers: Pick<Timers, 'position' | 'store'>
  readonly clock: Pick<Clock, 'now'>
  readonly write: (cause: Cause) => Promise<void>
  readonly catchUpDays: number
}

const DAY_MS = 86_400_000
const NAME = 'notify'
/** Batches without any trigger after which the position is stored all the same. */
const MOST_AGAIN = 100

export function triggerProjection({
  triggers,
  definitions,
}: FollowTriggersOptions): Projection<RecordedEvent> {
  const all = [...triggers.values()]
  /** By type: each event is asked about, and most types no trigger waits for. */
  const awaited = new Map<string, boolean>()
  const isAwaited = (type: string) => {
    let known = awaited.get(type)
    if (known === undefined) awaited.set(type, (known = all.some((trigger) => waitsFor(trigger, type))))
    return known
  }
  return {
    name: NAME,
    needs: [],
    project(event) {
      const object = objectOfKey(event.stream) ?? ''
      if (!definitions.has(object)) return []
      requireUnderstood(event)
      return unpacked(event).filter(
        ({ type }) => isAwaited(type) && all.some((trigger) => concerns(trigger, object, type)),
      )
    },
  }
}

const concerns = (trigger: Trigger, object: string, type: string) =>
  (trigger.object === '*' || trigger.object === object) && waitsFor(trigger, type)

export function followTriggers(options: FollowTriggersOptions): ProjectionStore<RecordedEvent> {
  const { triggers, definitions, events, timers, clock, write, catchUpDays } = options
  const longest = Math.max(
    catchUpDays,
    ...[...triggers.values()].map((one) => one.catchUpDays ?? catchUpDays),
  )
  let passed = 0
  /** Nothing was followed before: what is too late to be sent is not recorded either, however much of it there is. */
  let isFirst = false

  const causesOf = async (event: RecordedEvent): Promise<readonly Cause[]> => {
    const { stream: key, metadata, id, position } = event
    const object = objectOfKey(key)!
    const at = Date.parse(metadata.recordedAt)
    const late = Math.floor((clock.now() - at) / DAY_MS)
    if (isFirst && late > longest) return []
    const imported = metadata.quiet === true || metadata.source.startsWith('import:')
    const fired = [...triggers.values()].filter(
      (one) => concerns(one, object, event.type) && !(imported && one.duringImport === 'mute'),
    )
    if (fired.length === 0) return []
    const state = (await events.read(metadata.company, key))
      .filter(({ version }) => version <= event.version)
      .reduce(evolve, absent)
    return fired.map((trigger): Cause => {
      const days = trigger.catchUpDays ?? catchUpDays
      return {
        company: metadata.company,
        trigger,
        definition: definitions.get(object)!,
        key,
        state,
        occurrence: id,
        at,
        since: at,
        position,
        person: metadata.onBehalfOf ?? metadata.actor,
        causation: id,
        skipped: late > days ? `it happened ${late} days before: at most ${days} are made up for` : undefined,
      }
    })
  }

  return {
    async position() {
      const position = await timers.position(NAME)
      isFirst ||= position === 0
      return position
    },
    async apply(work, position, last) {
      const happened = work.flatMap(({ steps }) => steps.flatMap(({ operations }) => operations))
      if (happened.length === 0 && ++passed < MOST_AGAIN) return
      passed = 0
      for (const event of happened) for (const cause of await causesOf(event)) await write(cause)
      await timers.store([], new Map([[NAME, position]]), last)
    },
    settled: async () => {},
    close: async () => {},
  }
}
