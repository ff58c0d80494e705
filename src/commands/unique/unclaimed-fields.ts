/**
 * Unique fields of which values may be there that nobody has claimed: those that became unique when there were records already.
 * Until they are claimed, the read models are asked too when a value of such a field is taken or looked for.
 *
 * Which fields are claimed is an event, so that every process knows, and a restart begins where the last one ended.
 */
import type { Definitions } from '../../domain/definition.ts'
import { SYSTEM } from '../../domain/events/event.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EventStore } from '../../ports/event-store.ts'
import { appendIfFirst } from '../support/append-if-first.ts'
import { derivedId } from '../support/identifiers.ts'
import { ownEvent } from '../support/own-event.ts'

export interface UnclaimedFields {
  /** Whether values of the field may be unclaimed; of every field before the first look. */
  has(object: string, field: string): boolean
  isEmpty(): boolean
  /** Looks which fields are claimed by now. @throws Unavailable */
  look(): Promise<void>
  /** Records that all fields are claimed. @throws Unavailable */
  settle(): Promise<void>
}

export interface UnclaimedFieldsOptions {
  readonly events: Pick<EventStore, 'append' | 'last'>
  /** Of all objects. */
  readonly definitions: Definitions
  readonly clock: Clock
}

const STREAM = 'uniquefields'
/** How often it is looked again while some are unclaimed: another process may be claiming them. */
const LOOK_MS = 10_000

export function unclaimedFields({ events, definitions, clock }: UnclaimedFieldsOptions): UnclaimedFields {
  const unique = [...definitions.values()]
    .flatMap(({ object, fields }) =>
      fields.filter((one) => one.unique).map(({ name }) => `${object}.${name}`),
    )
    .sort()
  let unclaimed: ReadonlySet<string> = new Set(unique)
  let looked = clock.elapsed()

  const recorded = async () => {
    const last = await events.last(SYSTEM, STREAM)
    return { version: last?.version ?? 0, fields: (last?.data['Fields'] ?? []) as readonly string[] }
  }
  const look = async () => {
    looked = clock.elapsed()
    const { fields } = await recorded()
    unclaimed = new Set(unique.filter((field) => !fields.includes(field)))
  }
  return {
    has(object, field) {
      if (unclaimed.size === 0) return false
      if (clock.elapsed() - looked >= LOOK_MS) void look().catch(() => {})
      return unclaimed.has(`${object}.${field}`)
    },
    isEmpty: () => unclaimed.size === 0,
    look,
    async settle() {
      for (;;) {
        const { version, fields } = await recorded()
        // A field that is not unique any more is not claimed any more either.
        if (version > 0 && fields.join() === unique.join()) break
        const event = ownEvent({
          stream: STREAM,
          type: 'uniquefields.claimed',
          data: { Fields: unique },
          now: clock.now(),
          command: derivedId(`${STREAM}/${version}/${unique.join()}`),
          name: 'claimFields',
        })
        await appendIfFirst(events, { company: SYSTEM, stream: STREAM, expected: version, events: [event] })
      }
      unclaimed = new Set()
    },
  }
}
