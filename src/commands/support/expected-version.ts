/** `If-Match`: a write that was made for an earlier version is refused, with what has changed since. */
import { secondsOf } from '../../domain/fields/dates.ts'
import { fieldOf, type ObjectDefinition } from '../../domain/definition.ts'
import { PreconditionFailed, type Fault } from '../../domain/errors.ts'
import type { Company } from '../../domain/events/event.ts'
import { shows, type Sight } from '../../domain/grant.ts'
import type { RecordState } from '../../domain/records/record.ts'
import type { EventStore } from '../../ports/event-store.ts'

/** The versions that the caller would accept; `any`: the record must be there, in whatever version. */
export type ExpectedVersion = 'any' | readonly number[]

/** @throws PreconditionFailed naming the fields that changed, and who changed them, since the latest version the caller knew */
export async function checkVersion(
  events: Pick<EventStore, 'read'>,
  company: Company,
  definition: ObjectDefinition,
  key: string,
  state: RecordState,
  expected: ExpectedVersion,
  /** The fields that the caller may see. */
  sight: Sight,
  /** Who did it, as the history shows it. */
  nameOf: (actor: string) => Promise<string>,
): Promise<void> {
  if (expected === 'any' || expected.includes(state.version)) return
  if (expected.length > 0 && expected.every((version) => version < 0))
    throw new PreconditionFailed(`${key} is at version ${state.version}`, [
      {
        Field: 'If-Match',
        Message: `must be an ETag such as "${state.version}"; a weak one (W/) or another text never matches`,
      },
    ])
  const known = Math.max(0, ...expected.filter((version) => version < state.version))
  const faults: Fault[] = []
  for (const { type, data, version, metadata } of await events.read(company, key, known)) {
    const fields = Object.keys(data).filter((name) => fieldOf(definition, name) && shows(sight, name))
    const change = `was changed by ${await nameOf(metadata.actor)} at ${secondsOf(metadata.at)} (${type}, version ${version})`
    for (const Field of fields.length > 0 ? fields : ['If-Match']) faults.push({ Field, Message: change })
  }
  throw new PreconditionFailed(`${key} is at version ${state.version}`, faults)
}
