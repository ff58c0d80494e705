/** Appends where several may be at work on the same stream, and coming second is not a fault. */
import { VersionConflict, type Append, type Appended, type EventStore } from '../../ports/event-store.ts'

/** Undefined, with nothing stored, when the stream is not at the expected version: another was faster. */
export async function appendIfFirst(
  events: Pick<EventStore, 'append'>,
  append: Append,
): Promise<Appended | undefined> {
  try {
    return await events.append(append)
  } catch (error) {
    if (error instanceof VersionConflict) return undefined
    throw error
  }
}
