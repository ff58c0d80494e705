/**
 * One attempt to append. Whatever was attempted before, by this process or another: the same ids at the same expected
 * version are stored once, and the answer is that of the first time.
 */
import { TooLarge } from '../../domain/errors.ts'
import type { Position } from '../../domain/events/event.ts'
import { type Appended, VersionConflict } from '../../ports/event-store.ts'
import type { Patience } from './append-call.ts'
import type { AppendAnswer } from './append-messages.ts'
import type { CheckedAppend } from './checks.ts'
import type { Link } from './connection.ts'
import { isTooLarge, messageOf } from './outcomes.ts'
import { readStream } from './reading.ts'

/** @throws VersionConflict, TooLarge, Damaged, or another error, after which the outcome is not known */
export async function appendOnce(
  link: Link,
  { silence, limit }: Patience,
  append: CheckedAppend,
): Promise<Appended> {
  const { name, before, events } = append
  const expected = append.revision + before
  const version = expected + events.length
  const answer = await answered(link, { silence, limit }, append)
  if (answer.stored && answer.position !== undefined) return { version, position: answer.position }
  // A repeat that the server recognises may come without a position; and a conflict may be one with our own earlier
  // attempt, which was written but never acknowledged.
  const position =
    answer.stored || answer.actual + before >= version
      ? await storedAlready(link, silence, append)
      : undefined
  if (position !== undefined) return { version, position }
  if (!answer.stored) throw new VersionConflict(name, expected, answer.actual + before)
  throw new Error(`${name} was appended to, but its events cannot be read yet`)
}

async function answered({ appends }: Link, patience: Patience, append: CheckedAppend): Promise<AppendAnswer> {
  try {
    return await appends.send(append, patience)
  } catch (error) {
    if (!isTooLarge(error)) throw error
    throw new TooLarge(`append to ${append.name}: larger than the event store takes (${messageOf(error)})`)
  }
}

/** Position of the last of the events if exactly they stand where they were to go. */
async function storedAlready(
  link: Link,
  ms: number,
  { stream, revision, events }: CheckedAppend,
): Promise<Position | undefined> {
  const stored = await readStream(link, ms, { stream, from: revision, count: events.length })
  const same = stored.length === events.length && events.every(({ id }, index) => stored[index]?.id === id)
  return same ? stored.at(-1)?.position : undefined
}
