/**
 * An endless subscription made of the server's, which end: on any error, and when the consumer is slow (the server
 * would drop it; here it is left in time). Each goes on from the last position received, so nothing is missed or doubled.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Unavailable } from '../../domain/errors.ts'
import type { Position } from '../../domain/events/event.ts'
import { nameOfStream } from '../../domain/events/stream-name.ts'
import { objectOfKey } from '../../domain/records/key.ts'
import type { EventBatch } from '../../ports/event-store.ts'
import { firstPause, jittered, nextPause } from './attempts.ts'
import { type Backlog, backlog } from './backlog.ts'
import type { Connection } from './connection.ts'
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
  readonly notice: (notice: Notice) => void
  readonly pause: Pause
}

/** Something that happens to a subscription by itself. */
export interface Notice {
  /**
   * `silent`: the leader had events that did not come, so the connection was replaced. `foreign`: an event of another
   * application, in a stream named like a record, was passed over.
   */
  readonly kind: 'interrupted' | 'resumed' | 'silent' | 'foreign'
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
  { connection, timeoutMs, head, notice, pause: rest }: SubscriptionSources,
  received: Backlog,
  stop: AbortSignal,
): Promise<void> {
  let pause = firstPause
  let failingSince: number | undefined
  let heard = 0
  while (!stop.aborted) {
    await received.room()
    const link = connection.current()
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
