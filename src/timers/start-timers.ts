/**
 * Timers at work: the rules that make them, what follows the events, and the loop that deals with what is due. The part
 * of processes with the role `scheduler`; several plan and fire the same, without harm.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../ports/log.ts'
import type { Clock } from '../ports/clock.ts'
import type { RecordedEvent } from '../domain/events/event.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { ProjectionStore } from '../ports/projection-store.ts'
import type { Projection } from '../projections/projection.ts'
import type { Timers } from '../ports/timers.ts'
import { followEvents } from '../projections/follow.ts'
import { restingBetween } from '../projections/resting-between.ts'
import { adoptRules } from './adopt-rules.ts'
import { planTimers, timerProjections, type CurrentStates } from './plan-timers.ts'
import { describeLast, strayOf } from '../projections/log-state.ts'
import type { FollowersControl } from '../projections/followers-control.ts'
import { timerPoller } from './poll.ts'
import type { TimerRule } from './rule.ts'

export interface TimersOptions {
  /** Where they are kept; closed with them. */
  readonly timers: Timers
  /** The events are in a file of this process: a batch is as large as what is there. */
  readonly isEmbedded: boolean
  /** After a restore, nothing that has happened so far is sent again. */
  readonly skips: boolean
  readonly rules: readonly TimerRule[]
  /** What else follows the events here, and keeps its position with the timers. */
  readonly followers?: (timers: Timers) => readonly Follower[]
  /** By which operators see what follows the events here. */
  readonly control: FollowersControl
  readonly events: EventStore
  readonly states: CurrentStates
  readonly clock: Clock
  readonly log: Log
  readonly lookMs?: number | undefined
}

export interface Follower {
  readonly store: ProjectionStore<RecordedEvent>
  readonly projections: readonly Projection<RecordedEvent>[]
}

/** This thread answers requests: while events pour in, what follows them here looks so often. */
const REST_MS = 100

/** @throws Unavailable when the stores do not answer yet */
export async function startTimers(options: TimersOptions): Promise<{ stop(): Promise<void> }> {
  const { timers, isEmbedded, rules, control, events, states, clock, log, lookMs } = options
  const onTrouble = (message: string, error: unknown) => log.error({ err: error }, message)
  try {
    const adopted = await adoptRules(rules, { events, timers, clock })
    // A server gives events in small batches that were made for others: resting after each would never catch up.
    const rest = () => delay(REST_MS, undefined, { ref: false })
    const followed = isEmbedded ? restingBetween(events, rest) : events
    const planning = {
      store: planTimers({ adopted, timers, states, events }),
      projections: timerProjections(adopted),
    }
    const all = [planning, ...(options.followers?.(timers) ?? [])]
    await leaveOtherLog(options, all)
    for (const one of all)
      await control.add({
        start: () => followEvents({ ...one, events: followed, onStatus: () => {}, onTrouble }),
        drop: (rule) => timers.store([{ op: 'drop', rule }]),
        shownAs: (rule) => `timers.${rule.replace(/@.*$/, '')}`,
      })
    const poller = timerPoller({ adopted, timers, states, clock, onTrouble, lookMs })
    poller.start()
    return {
      async stop() {
        await Promise.all([poller.stop(), control.stop()])
        await timers.close()
      },
    }
  } catch (error) {
    await control.stop()
    await timers.close()
    throw error
  }
}

/**
 * Begins again where the timers are of another log, for the events were put back to an earlier state. What was done
 * meanwhile is not known to it any more; whether mails may be sent twice is for WEBHOOKS_AFTER_RESTORE to say.
 */
async function leaveOtherLog(
  { timers, skips, events, log }: TimersOptions,
  followers: readonly Follower[],
): Promise<void> {
  const last = await timers.last()
  const stray = await strayOf(events, last ? [last] : [], () => false)
  if (!stray) return
  log.warn({ detail: describeLast(stray) }, 'the timers are of another log, and are planned again')
  const [planned = [], ...following] = followers.map(({ projections }) => projections.map(({ name }) => name))
  const head = skips ? await events.head() : 0
  // Together: what is not to be sent again must not be sent after a power cut either.
  await timers.store(
    [...planned, ...following.flat()].map((rule) => ({ op: 'drop', rule })),
    new Map(skips ? following.flat().map((name) => [name, head]) : []),
  )
}
