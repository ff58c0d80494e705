/**
 * Which streams of a server have changed, as its events come in: for processes that keep no copy of them. It shares the
 * subscription of whatever else follows the server in this thread.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { positionWaiters } from '../domain/events/position-waiters.ts'
import type { Position } from '../domain/events/event.ts'
import type { EventBatch, EventStore } from '../ports/event-store.ts'

export interface FollowedChanges {
  /** True once the listener has had everything up to the position; false after `timeoutMs`. */
  told(position: Position, timeoutMs: number): Promise<boolean>
  /** The one listener: a stream has come to this version. */
  listen(listener: (stream: string, version: number) => void): void
  close(): Promise<void>
}

export interface FollowChangesOptions {
  readonly events: Pick<EventStore, 'head' | 'subscribe'>
  /** Called once for each time that the server cannot be followed. */
  readonly onAway: (error: unknown) => void
}

const RETRY_MS = 1_000

export function followChanges({ events, onAway }: FollowChangesOptions): FollowedChanges {
  const waiters = positionWaiters()
  const stopping = new AbortController()
  const { signal } = stopping
  let listener = (_stream: string, _version: number) => {}
  /** Ends the wait for the next batch, which may never come. */
  let wake = () => {}
  /** What was stored before this process began is of no interest. */
  let reached: Position | undefined

  const unlessStopped = (next: Promise<IteratorResult<EventBatch>>) =>
    new Promise<IteratorResult<EventBatch> | undefined>((resolve, reject) => {
      wake = () => resolve(undefined)
      next.then(resolve, reject)
    })

  const follow = async () => {
    reached ??= await events.head()
    waiters.reached(reached)
    const batches = events.subscribe(reached)[Symbol.asyncIterator]()
    try {
      while (!signal.aborted) {
        const next = await unlessStopped(batches.next())
        if (!next || next.done) return
        for (const { stream, version } of next.value.events) listener(stream, version)
        reached = next.value.position
        waiters.reached(reached)
      }
    } finally {
      // Not waited for: it may itself be waiting for an event that never comes.
      void batches.return?.()
    }
  }
  const run = async () => {
    for (let isAway = false; !signal.aborted;)
      try {
        return await follow() // the store is closed
      } catch (error) {
        if (!isAway && !signal.aborted) onAway(error)
        isAway = true
        await delay(RETRY_MS, undefined, { signal, ref: false }).catch(() => {})
      }
  }
  const running = run()

  return {
    told: waiters.wait,
    listen: (next) => void (listener = next),
    async close() {
      stopping.abort()
      waiters.close()
      wake()
      await running
    },
  }
}
