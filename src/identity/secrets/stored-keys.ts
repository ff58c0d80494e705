/**
 * Keys for secrets that several processes agree on by the event store: the first to start generates one, all use it.
 *
 * Secrets are then no safer than the store: who has a dump of it has the key too. A setting is better.
 */
import { randomBytes } from 'node:crypto'
import { appendIfFirst } from '../../commands/support/append-if-first.ts'
import { derivedId } from '../../commands/support/identifiers.ts'
import { ownEvent } from '../../commands/support/own-event.ts'
import { SYSTEM } from '../../domain/events/event.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EventStore } from '../../ports/event-store.ts'

const STREAM = 'secrets'

export async function storedKeys({
  events,
  clock,
}: {
  readonly events: Pick<EventStore, 'append' | 'read'>
  readonly clock: Clock
}): Promise<readonly Uint8Array[]> {
  const known = await read(events)
  if (known.length > 0) return known
  const key = randomBytes(32).toString('base64')
  // Its own id each time: of two processes that start together one is refused, and takes the other's.
  const event = ownEvent({
    stream: STREAM,
    type: 'secrets.generated',
    data: { Key: key },
    at: new Date(clock.now()).toISOString(),
    command: derivedId(key),
    name: 'generateKey',
  })
  await appendIfFirst(events, { company: SYSTEM, stream: STREAM, expected: 0, events: [event] })
  return read(events)
}

/** Newest first. */
async function read(events: Pick<EventStore, 'read'>): Promise<readonly Uint8Array[]> {
  const stored = await events.read(SYSTEM, STREAM)
  return stored.map(({ data }) => Buffer.from(data['Key'] as string, 'base64')).reverse()
}
