/** Reads that end: a stream, and the last position of the store. */
import { BACKWARDS, END, type EventStoreDBClient, type StreamingRead } from '@eventstore/db-client'
import type { Position, RecordedEvent } from '../../domain/events/event.ts'
import { isStreamNotFound, TimedOut } from './outcomes.ts'
import { positionOf, recorded, type ServerEvent } from './recorded.ts'

/** The service's events of a stream from a revision (from 0) on; empty when there is no such stream. */
export async function readStream(
  client: EventStoreDBClient,
  ms: number,
  { stream, from, count }: { readonly stream: string; readonly from: number; readonly count?: number },
): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = []
  const options = { fromRevision: BigInt(from), requiresLeader: true, ...(count && { maxCount: count }) }
  try {
    await each(client.readStream(stream, options), ms, (event) => {
      const own = recorded(event)
      if (own) events.push(own)
      return true
    })
  } catch (error) {
    if (!isStreamNotFound(error)) throw error
  }
  return events
}

/** The last of the service's events in a stream that is wanted; undefined when there is none, or no such stream. */
export async function lastOfStream(
  client: EventStoreDBClient,
  ms: number,
  stream: string,
  isWanted: (event: RecordedEvent) => boolean,
): Promise<RecordedEvent | undefined> {
  const place = { direction: BACKWARDS, fromRevision: END, requiresLeader: true } as const
  let last: RecordedEvent | undefined
  // As a rule the very last event is it; without a count, the server would begin to send all that it has.
  for (const maxCount of [1, Number.MAX_SAFE_INTEGER]) {
    let seen = 0
    try {
      await each(client.readStream(stream, { ...place, maxCount }), ms, (event) => {
        seen++
        const own = recorded(event)
        if (own && isWanted(own)) last = own
        return last === undefined || maxCount === 1 // it ends by itself, which costs less than to break it off
      })
    } catch (error) {
      if (!isStreamNotFound(error)) throw error
    }
    if (last || seen < maxCount) return last
  }
  return undefined
}

/**
 * Position of the last event that subscriptions deliver or pass over by themselves; that is, of those that are not the
 * server's own. Looks no further back than `known`, which is the answer then.
 */
export async function lastPosition(
  client: EventStoreDBClient,
  ms: number,
  known: Position,
): Promise<Position> {
  // As a rule the very last event tells; without a count, the server would begin to send all that it has.
  for (const maxCount of [1, 100, Number.MAX_SAFE_INTEGER]) {
    let last: Position | undefined
    const place = { direction: BACKWARDS, fromPosition: END, requiresLeader: true } as const
    await each(client.readAll({ ...place, maxCount }), ms, (event) => {
      const position = positionOf(event.position)
      if (position === undefined) return true
      if (position > known && event.type.startsWith('$')) return true
      last = Math.max(position, known)
      return maxCount === 1 // it ends by itself, which costs less than to break it off
    })
    if (last !== undefined) return last
  }
  return known
}

/** Hands on events until the server ends the read or `take` wants no more. Rejects when none comes for `ms`. */
function each(
  reading: StreamingRead<{ readonly event?: ServerEvent }>,
  ms: number,
  take: (event: ServerEvent) => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => finish(new TimedOut(ms)), ms)
    let finished = false
    let isOver = false
    // Stays on for errors that come late: without a listener they would end the process.
    reading.on('error', (error) => finish(error))
    reading.on('end', () => {
      isOver = true
      finish()
    })
    reading.on('data', onData)

    function onData({ event }: { readonly event?: ServerEvent }): void {
      timer.refresh()
      try {
        if (event && !take(event)) finish()
      } catch (error) {
        finish(error as Error)
      }
    }

    function finish(error?: Error): void {
      if (finished) return
      finished = true
      clearTimeout(timer)
      reading.off('data', onData)
      if (!isOver) {
        reading.cancel().catch(() => {})
        reading.destroy()
      }
      if (error) reject(error)
      else resolve()
    }
  })
}
