/**
 * An endless subscription made of the server's, which end: on any error, and when the consumer is slow (the server
 * would drop it; here it is left in time). Each goes on from the last position received, so nothing is missed or doubled.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Denied, Unavailable } from '../../domain/errors.ts'
import type { Position, RecordedEvent } from '../../domain/events/event.ts'
import { nameOfStream } from '../../domain/events/stream-name.ts'
import { objectOfKey } from '../../domain/records/key.ts'
import type { EventBatch } from '../../ports/event-store.ts'
import { firstPause, jittered, nextPause } from './attempts.ts'
import { type Backlog, backlog } from './backlog.ts'
import type { Connection, Link } from './connection.ts'
import { follow } from './follow.ts'
import { Damaged, isRefusal, isUnexplained, messageOf } from './outcomes.ts'
import { goesSilent, type Pause } from './silence.ts'

export interface SubscriptionSources {
  readonly connection: Connection
  /** For the server to confirm; and how long it may refuse before the consumer learns of it. */
  readonly timeoutMs: number
  readonly closing: AbortSignal
  /** Position of the last event, by the leader. */
  readonly head: () => Promise<Position>
  /** Whether the log still has what was received: the last event, if there was one, and the position. */
  readonly holds: (last: RecordedEvent | undefined, reached: Position) => Promise<boolean>
  readonly notice: (notice: Notice) => void
  readonly pause: Pause
}

/** Something that happens to a subscription by itself. */
export interface Notice {
  /**
   * `silent`: the leader had events that did not come, so the connection was replaced. `foreign`: an event of another
   * application, in a stream named like a record, was passed over. `replaced`: the log lacks what was received from it, so
   * it was restored to an earlier state, or is of another store; the subscription has ended.
   */
  readonly kind: 'interrupted' | 'resumed' | 'silent' | 'foreign' | 'replaced'
  /** For the log. */
  readonly message: string
}

/**
 * Iterating starts a subscription of its own each time. Lost connections are ridden out, however long they last; it
 * throws Unavailable when the server itself keeps refusing.
 */
export function subscription(
  sources: SubscriptionSources,
  after: Position,
): AsyncIterable<EventBatch, undefined> {
  return { [Symbol.asyncIterator]: () => iterator(sources, after) }
}

function iterator(sources: SubscriptionSources, after: Position): AsyncIterator<EventBatch, undefined> {
  const received = backlog(after)
  const stop = new AbortController()
  let started = false

  function end(): void {
    stop.abort()
    received.end()
    sources.closing.removeEventListener('abort', end)
  }

  return {
    next: async () => {
      if (!started) {
        started = true
        if (sources.closing.aborted) end()
        else sources.closing.addEventListener('abort', end)
        void keepFollowing(sources, received, stop.signal)
      }
      const batch = await received.take()
      return batch ? { value: batch, done: false } : { value: undefined, done: true }
    },
    // Not a generator's: that one would wait for the event that a pending `next` waits for.
    return: async () => {
      end()
      return { value: undefined, done: true }
    },
  }
}

async function keepFollowing(
  sources: SubscriptionSources,
  received: Backlog,
  stop: AbortSignal,
): Promise<void> {
  const { connection, timeoutMs, head, notice, pause: rest } = sources
  let pause = firstPause
  let failingSince: number | undefined
  let heard = 0
  let last: RecordedEvent | undefined
  let followed: Link | undefined
  while (!stop.aborted) {
    await received.room()
    const link = connection.current()
    if (followed && (link !== followed || failingSince !== undefined)) {
      if (await isReplaced(sources, last, received.reached(), stop))
        return received.end(new Unavailable(REPLACED))
    }
    followed = link
    const over = new AbortController()
    const watched = { heard: () => heard, reached: received.reached, head, pause: rest }
    void goesSilent(watched, over.signal).then((silent) => {
      if (!silent) return
      notice({
        kind: 'silent',
        message: 'a subscription to the event store is silent: its connection is replaced',
      })
      connection.replace(link)
    })
    try {
      await follow({
        link,
        after: received.reached(),
        confirmMs: timeoutMs,
        heard: () => heard++,
        confirmed: () => {
          connection.worked(link)
          if (failingSince !== undefined)
            notice({ kind: 'resumed', message: 'the subscription to the event store goes on' })
          failingSince = undefined
        },
        foreign: (stream) => {
          if (objectOfKey(nameOfStream(stream) ?? '') !== undefined)
            notice({
              kind: 'foreign',
              message: `an event of another application in ${stream} is passed over`,
            })
        },
        stop,
        take: (passed) => {
          pause = firstPause
          last = passed.event ?? last
          return received.put(passed)
        },
      })
    } catch (error) {
      if (error instanceof Damaged) return received.end(error)
      if (failingSince === undefined)
        notice({
          kind: 'interrupted',
          message: `the subscription to the event store is interrupted: ${messageOf(error)}`,
        })
      failingSince ??= performance.now()
      const hopeless = isRefusal(error) || isUnexplained(error)
      if (hopeless && performance.now() - failingSince > timeoutMs) {
        received.end(new Unavailable(`the event store refuses the subscription: ${messageOf(error)}`))
        return
      }
      connection.failed(link, error)
      await sleep(jittered(pause), undefined, { signal: stop }).catch(() => {})
      pause = nextPause(pause)
    } finally {
      over.abort()
    }
  }
}

const REPLACED = 'the event store is in another state than before: it lacks events that were received from it'

/** A leader that was replaced may go on answering with an older log for a moment: it takes several looks, so many ms apart. */
const LOOKS = 3
const LOOK_MS = 1_000

/** Whether what was received is gone, from a server that was away in between. Asks until the server answers. */
async function isReplaced(
  { holds, notice, pause }: SubscriptionSources,
  last: RecordedEvent | undefined,
  reached: Position,
  stop: AbortSignal,
): Promise<boolean> {
  for (let gone = 0; gone < LOOKS; await pause(LOOK_MS, stop)) {
    if (stop.aborted) return false
    try {
      if (await holds(last, reached)) return false
      gone++
    } catch (error) {
      // What else is wrong, the subscription itself comes across.
      if (!(error instanceof Unavailable) || error instanceof Denied) return false
    }
  }
  notice({ kind: 'replaced', message: REPLACED })
  return true
}
