/**
 * Master keys that several processes share through the event store: the first to start generates one.
 *
 * Secrets are then no safer than the store: a dump of it contains the key. The setting SECRETS_KEYS is better.
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
  // Every attempt has its own id: of two processes that start together one is refused and uses the other's key.
  const event = ownEvent({
    stream: STREAM,
    type: 'secrets.generated',
    data: { Key: key },
    now: clock.now(),
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
