/**
 * One attempt to append. Whatever was attempted before, by this process or another: the same ids at the same expected
 * version are stored once, and the answer is that of the first time.
 */
import { type EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client'
import { TooLarge } from '../../domain/errors.ts'
import type { NewEvent, Position } from '../../domain/event.ts'
import { type Append, type Appended, VersionConflict } from '../../ports/event-store.ts'
import { isTooLarge, isWrongExpectedVersion, TimedOut } from './outcomes.ts'
import { readStream } from './reading.ts'
import { positionOf } from './recorded.ts'

/**
 * @param append checked already (`checkAppend`)
 * @throws VersionConflict, TooLarge, or an error of the client, after which the outcome is not known
 */
export async function appendOnce(client: EventStoreDBClient, ms: number, append: Append): Promise<Appended> {
  const { stream, expected, events } = append
  const version = expected + events.length
  try {
    const { position } = await within(
      ms,
      client.appendToStream(stream, events.map(serverEvent), {
        // Never `any`: only an exact revision makes a repeat recognisable after a restart of the server.
        expectedRevision: expected === 0 ? NO_STREAM : BigInt(expected - 1),
        requiresLeader: true,
        deadline: ms,
      }),
    )
    // A repeat that the server recognises may come without a position.
    const last = positionOf(position) ?? (await storedAlready(client, ms, append))
    if (last === undefined) throw new Error(`${stream} was appended to, but its events cannot be read yet`)
    return { version, position: last }
  } catch (error) {
    if (isTooLarge(error)) throw new TooLarge(`append to ${stream}: larger than the event store takes`)
    if (!isWrongExpectedVersion(error)) throw error
    const actual = error.actualVersion === NO_STREAM ? 0 : Number(error.actualVersion) + 1
    // The conflict may be with our own earlier attempt, written but never acknowledged.
    const last = actual >= version ? await storedAlready(client, ms, append) : undefined
    if (last === undefined) throw new VersionConflict(stream, expected, actual)
    return { version, position: last }
  }
}

/** Position of the last of the events if exactly they stand where they were to go. */
async function storedAlready(
  client: EventStoreDBClient,
  ms: number,
  { stream, expected, events }: Append,
): Promise<Position | undefined> {
  const stored = await readStream(client, ms, { stream, from: expected, count: events.length })
  const same = stored.length === events.length && events.every(({ id }, index) => stored[index]?.id === id)
  return same ? stored.at(-1)?.position : undefined
}

const serverEvent = ({ id, type, data, metadata }: NewEvent) =>
  jsonEvent({ id, type, data, metadata: { ...metadata } })

/** The deadline of a call does not cover all that the client does before it, such as looking for the leader. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new TimedOut(ms)), ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
