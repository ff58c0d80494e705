/**
 * Watches the parts that the process needs, for as long as it runs: `GET /api/v1/health/ready` and the metrics answer
 * from what was seen last, and so do not wait for an engine that is away.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { boundedWait } from '../../domain/bounded-wait.ts'
import { Denied } from '../../domain/errors.ts'
import type { Position } from '../../domain/events/event.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import type { Check, Readiness } from '../../ports/readiness.ts'
import type { KnownStatus, KnownStatuses } from '../../projections/known-statuses.ts'

export interface WatchedParts {
  readonly events: Pick<EventStore, 'head'>
  readonly readModels: Pick<ReadModels, 'status'>
  readonly statuses: () => Promise<KnownStatuses>
  readonly clock: Pick<Clock, 'elapsed'>
  /** Checks of other parts, which answer at once. */
  readonly others?: readonly (() => Check)[]
  /** Rests before the next look, until the signal is aborted. */
  readonly pause?: (signal: AbortSignal) => Promise<unknown>
}

export interface WatchedReadiness extends Readiness {
  stop(): void
}

const LOOK_MS = 2_000
const WAIT_MS = 3_000
/** A projection that is behind and has not moved for this long stands still. */
const STILL_MS = 60_000

const rest = (signal: AbortSignal) => delay(LOOK_MS, undefined, { signal, ref: false }).catch(() => {})

export function watchReadiness(parts: WatchedParts): WatchedReadiness {
  const { events, readModels, statuses, clock, others = [], pause = rest } = parts
  const stopped = new AbortController()
  const standing = standingStill(clock)
  let seen: readonly Check[] = []

  const look = async () => {
    const [head, read, { known }] = await Promise.all([
      answerOf(events.head()),
      answerOf(readModels.status()),
      statuses(),
    ])
    const end = 'value' in head ? head.value : undefined
    seen = [
      { name: 'events', down: reasonOf('event store', head), required: true },
      { name: 'read models', down: reasonOf('read models', read), required: true },
      ...known.map((one) => projectionCheck(one, standing(one, end))),
    ]
  }
  const watch = async () => {
    while (!stopped.signal.aborted) {
      await look()
      await pause(stopped.signal)
    }
  }
  void watch()
  return {
    checks: () => [...seen, ...others.map((check) => check())],
    stop: () => stopped.abort(),
  }
}

type Answer<T> = { readonly value: T } | { readonly error: unknown }

const answerOf = <T>(asked: Promise<T>): Promise<Answer<T>> =>
  boundedWait(WAIT_MS, asked, 'no answer').then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )

/** What an engine says goes to the log; probes read only this. */
function reasonOf(engine: string, answer: Answer<unknown>): string | undefined {
  if ('value' in answer) return undefined
  return answer.error instanceof Denied
    ? `The ${engine} denies access to the service.`
    : `No answer from the ${engine} for now.`
}

function projectionCheck({ status, failure }: KnownStatus, isStill: boolean): Check {
  const { name, state, error, trouble } = status
  const down =
    failure !== undefined
      ? 'It cannot be asked for its status.'
      : state === 'parked'
        ? error?.isPublic
          ? error.message
          : 'It has stopped before an event that it cannot handle.'
        : trouble !== undefined
          ? 'Its store refuses what it writes. It is tried again until it passes.'
          : isStill
            ? `It is behind and has not moved for ${STILL_MS / 1_000} s.`
            : undefined
  return { name: `projection ${name}`, down, required: false }
}

/** Whether a projection has been behind at the same position for long. */
function standingStill({ elapsed }: Pick<Clock, 'elapsed'>) {
  const since = new Map<string, { readonly position: Position; readonly at: number }>()
  return ({ status: { name, position }, failure }: KnownStatus, end: Position | undefined): boolean => {
    const before = since.get(name)
    if (failure === undefined && end !== undefined && position < end && before?.position === position)
      return elapsed() - before.at >= STILL_MS
    since.set(name, { position, at: elapsed() })
    return false
  }
}
