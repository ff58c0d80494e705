/**
 * Sending the past again: every event of the asked span that the endpoint's subscription covers now becomes a delivery of
 * its own, with the `webhook-id` that it always had. Done in small steps that survive a restart.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { Definitions } from '../domain/definition.ts'
import { objectOfKey } from '../domain/records/key.ts'
import type { Replay } from '../ports/delivery-log.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { Endpoint, OutboxChange, Relaying, Sending } from '../ports/outbox.ts'
import { messagesOf } from './messages.ts'
import { statesAsOf } from './states-as-of.ts'
import { wants } from './subscriptions.ts'

export interface ReplaysOptions {
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'read' | 'subscribe'>
  readonly outbox: Pick<Relaying, 'replays' | 'advance'> & Pick<Sending, 'endpoint'>
  readonly onFilled: (endpoints: readonly Endpoint[]) => void
  readonly onTrouble: (message: string, error: unknown) => void
  readonly isStopped: () => boolean
}

/** Works off the replays that wait, one after the other. */
export async function workOffReplays(options: ReplaysOptions): Promise<void> {
  for (const replay of await options.outbox.replays()) {
    if (options.isStopped()) return
    await workOff(options, replay)
  }
}

async function workOff(
  { definitions, events, outbox, onFilled, onTrouble, isStopped }: ReplaysOptions,
  replay: Replay & { readonly position: number },
): Promise<void> {
  const states = statesAsOf(events)
  const messageFor = messagesOf({ definitions, states, onTrouble })
  const end = () => outbox.advance(replay.id, [], replay.until, true)
  if (replay.position >= replay.until) return end()
  for await (const { events: batch, position } of events.subscribe(replay.position)) {
    if (isStopped()) return
    const endpoint = await outbox.endpoint(replay.endpoint)
    if (!endpoint) return end()
    const changes: OutboxChange[] = []
    for (const event of batch) {
      if (event.position > replay.until) break
      states.pass(event)
      const definition = definitions.get(objectOfKey(event.stream) ?? '')
      if (!definition || event.metadata.company !== replay.company) continue
      if (!isWithin(replay, event.metadata.recordedAt) || !wants(endpoint, event.type)) continue
      const sent = await messageFor(event, definition, [endpoint], replay.id)
      if (sent) changes.push(sent)
    }
    const isDone = position >= replay.until
    await outbox.advance(replay.id, changes, Math.min(position, replay.until), isDone)
    if (changes.length > 0) onFilled([endpoint])
    // What is due is sent meanwhile, however long the past is.
    await turn()
    if (isDone) return
  }
}

function isWithin({ from, to }: Replay, at: string): boolean {
  const moment = Date.parse(at)
  return (from === undefined || moment >= Date.parse(from)) && (to === undefined || moment < Date.parse(to))
}
