/**
 * Keys for secrets that several processes agree on by the event store: the first to start generates one, all use it.
 *
 * Secrets are then no safer than the store: who has a dump of it has the key too. A setting is better.
 */
import { randomBytes } from 'node:crypto'
import { derivedId, eventId } from '../commands/identifiers.ts'
import type { Clock } from '../ports/clock.ts'
import { VersionConflict, type EventStore } from '../ports/event-store.ts'
import { SYSTEM } from './objects.ts'

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
  const command = derivedId(key)
  const metadata = {
    company: SYSTEM,
    actor: SYSTEM,
    at: new Date(clock.now()).toISOString(),
    correlation: command,
    command: 'generateKey',
    schema: 1,
  } as const
  const event = { id: eventId(command, STREAM, 0), type: 'secrets.generated', data: { Key: key }, metadata }
  await events
    .append({ company: SYSTEM, stream: STREAM, expected: 0, events: [event] })
    .catch((error: unknown) => {
      if (!(error instanceof VersionConflict)) throw error
    })
  return read(events)
}

/** Newest first. */
async function read(events: Pick<EventStore, 'read'>): Promise<readonly Uint8Array[]> {
  const stored = await events.read(SYSTEM, STREAM)
  return stored.map(({ data }) => Buffer.from(data['Key'] as string, 'base64')).reverse()
}
