/**
 * One subscription of the server to all events that are not its own, for as long as it lasts.
 *
 * Only the leader serves it; but one that was begun goes on in silence when its node loses the lead, or all other nodes.
 */
import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams, { type ReadReq } from '@eventstore/db-client/generated/streams_pb.js'
import type { Position, RecordedEvent } from '../../domain/events/event.ts'
import type { Reading } from './client.ts'
import type { Link } from './connection.ts'
import { TimedOut } from './outcomes.ts'
import type { ReadAnswer } from './read-answers.ts'
import { positionOf, recorded } from './recorded.ts'

/** An event with its position, or a position up to which there is nothing for us. */
export interface Passed {
  readonly event?: RecordedEvent
  readonly position: Position
}

/**
 * Resolves when `take` answers false (it has kept what it was given), when `stop` is aborted or the link retired.
 * Rejects when the server ends the subscription or does not confirm it within `confirmMs`.
 *
 * @param after a position that was received from this store, or 0
 */
export async function follow({
  link,
  after,
  confirmMs,
  heard,
  confirmed,
  foreign,
  stop,
  take,
}: {
  readonly link: Link
  readonly after: Position
  readonly confirmMs: number
  /** The server said something, whatever it is. */
  readonly heard: () => void
  readonly confirmed: () => void
  /** An event of another application was passed over. */
  readonly foreign: (stream: string) => void
  readonly stop: AbortSignal
  readonly take: (passed: Passed) => boolean
}): Promise<void> {
  if (stop.aborted || link.retired.aborted) return
  const over = Promise.withResolvers<void>()
  const halt = () => over.resolve()
  const timer = setTimeout(() => over.reject(new TimedOut(confirmMs)), confirmMs)
  stop.addEventListener('abort', halt)
  link.retired.addEventListener('abort', halt)

  function receive(answer: ReadAnswer): void {
    heard()
    try {
      if (answer.kind === 'confirmed') {
        clearTimeout(timer)
        confirmed()
      }
      const passed = passedBy(answer)
      if (answer.kind === 'event' && !passed?.event) foreign(answer.event.stream)
      if (passed && !take(passed)) over.resolve()
    } catch (error) {
      over.reject(error)
    }
  }

  const opened: Promise<Reading> = link.read(subscriptionOptions(after))
  opened.then((call) => {
    call.on('error', over.reject)
    call.on('end', () => over.reject(new Error('the server ended the subscription')))
    call.on('data', receive)
  }, over.reject)
  try {
    await over.promise
  } finally {
    clearTimeout(timer)
    stop.removeEventListener('abort', halt)
    link.retired.removeEventListener('abort', halt)
    opened.then(
      (call) => call.removeAllListeners('data').cancel(),
      () => {},
    )
  }
}

function passedBy(answer: ReadAnswer): Passed | undefined {
  if (answer.kind === 'checkpoint') return at(positionOf(answer.position))
  if (answer.kind !== 'event') return undefined
  const own = recorded(answer.event)
  // Events of others, in a store that is shared, are passed over.
  return own ? { event: own, position: own.position } : at(positionOf(answer.event.position))
}

const at = (position: Position | undefined): Passed | undefined =>
  position === undefined ? undefined : { position }

function subscriptionOptions(after: Position): ReadReq.Options {
  const { Options } = streams.ReadReq
  const place = new Options.AllOptions()
  if (after === 0) place.setStart(new shared.Empty())
  else
    place.setPosition(
      new Options.Position().setCommitPosition(String(after)).setPreparePosition(String(after)),
    )
  const filter = new Options.FilterOptions()
    .setEventType(new Options.FilterOptions.Expression().setRegex('^[^$]'))
    .setCount(new shared.Empty())
    .setCheckpointintervalmultiplier(1)
  return new Options()
    .setAll(place)
    .setResolveLinks(false)
    .setSubscription(new Options.SubscriptionOptions())
    .setFilter(filter)
    .setUuidOption(new Options.UUIDOption().setString(new shared.Empty()))
}
