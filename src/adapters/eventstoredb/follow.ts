/**
 * One subscription of the server to all events that are not its own, for as long as it lasts.
 *
 * Events and checkpoints come through one queue, so that a checkpoint never overtakes the events before it.
 */
import { type AllStreamSubscription, eventTypeFilter, START } from '@eventstore/db-client'
import type { Position, RecordedEvent } from '../../domain/events/event.ts'
import type { Link } from './connection.ts'
import { TimedOut } from './outcomes.ts'
import { positionOf, recorded, type ServerEvent, serverPosition, type ServerPosition } from './recorded.ts'

/** An event with its position, or a position up to which there is nothing for us. */
export interface Passed {
  readonly event?: RecordedEvent
  readonly position: Position
}

type Incoming = { readonly event?: ServerEvent } | { readonly checkpoint: ServerPosition }

/**
 * Resolves when `take` answers false (it has kept what it was given), when `stop` is aborted or the link retired.
 * Rejects when the server ends the subscription or does not confirm it within `confirmMs`.
 *
 * @param after a position that was received from this store, or 0
 */
export function follow({
  link,
  after,
  confirmMs,
  confirmed,
  stop,
  take,
}: {
  readonly link: Link
  readonly after: Position
  readonly confirmMs: number
  readonly confirmed: () => void
  readonly stop: AbortSignal
  readonly take: (passed: Passed) => boolean
}): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stop.aborted || link.retired.aborted) return resolve()
    const subscription: AllStreamSubscription = link.client.subscribeToAll({
      fromPosition: after === 0 ? START : serverPosition(after),
      filter: eventTypeFilter({
        regex: '^[^$]',
        checkpointReached: (_subscription, checkpoint) => {
          // We are inside the transformation of the checkpoint: what is pushed now stands in its place.
          subscription.push({ checkpoint })
        },
      }),
    })
    const timer = setTimeout(() => finish(new TimedOut(confirmMs)), confirmMs)
    const halt = () => finish()
    let finished = false
    // Stays on for errors that come late: without a listener they would end the process.
    subscription.on('error', (error) => finish(error))
    subscription.on('end', () => finish(new Error('the server ended the subscription')))
    subscription.on('confirmation', () => {
      clearTimeout(timer)
      confirmed()
    })
    subscription.on('data', onData)
    stop.addEventListener('abort', halt)
    link.retired.addEventListener('abort', halt)

    // Typed by what `push` above adds to the package's own type.
    function onData(incoming: Incoming): void {
      try {
        const passed =
          'checkpoint' in incoming ? at(positionOf(incoming.checkpoint)) : passedBy(incoming.event)
        if (passed && !take(passed)) finish()
      } catch (error) {
        finish(error as Error)
      }
    }

    function finish(error?: Error): void {
      if (finished) return
      finished = true
      clearTimeout(timer)
      stop.removeEventListener('abort', halt)
      link.retired.removeEventListener('abort', halt)
      subscription.off('data', onData)
      subscription.unsubscribe().catch(() => {})
      subscription.destroy()
      if (error) reject(error)
      else resolve()
    }
  })
}

const at = (position: Position | undefined): Passed | undefined =>
  position === undefined ? undefined : { position }

/** Events of others, in a store that is shared, are passed over. */
function passedBy(event: ServerEvent | undefined): Passed | undefined {
  if (!event) return undefined
  const own = recorded(event)
  return own ? { event: own, position: own.position } : at(positionOf(event.position))
}
