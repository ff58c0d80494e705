/** Claims the values that records had before their field became unique, the oldest record first, and reports duplicates. */
import type { Definitions } from '../../domain/definition.ts'
import { Conflict, Unavailable } from '../../domain/errors.ts'
import type { Position, RecordedEvent } from '../../domain/events/event.ts'
import { objectOfKey } from '../../domain/records/key.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { Identifiers } from '../support/identifiers.ts'
import type { KeyedLocks } from '../support/keyed-locks.ts'
import { ownMetadata } from '../support/metadata.ts'
import type { RecordStates } from '../support/record-states.ts'
import { claimsOf, type UniqueClaims } from '../support/unique-claims.ts'
import type { UnclaimedFields } from './unclaimed-fields.ts'

export interface ClaimValues {
  readonly events: Pick<EventStore, 'subscribe' | 'head'>
  readonly definitions: Definitions
  readonly states: Pick<RecordStates, 'load'>
  /** Which go by the events alone. */
  readonly claims: Pick<UniqueClaims, 'take'>
  readonly locks: KeyedLocks
  readonly unclaimed: Pick<UnclaimedFields, 'has'>
  readonly identifiers: Pick<Identifiers, 'newCommand'>
  readonly clock: Pick<Clock, 'now'>
  readonly stopping: AbortSignal
}

export interface ClaimedValues {
  /** `<key>: <field>` of each record whose value an older record has. */
  readonly duplicates: readonly string[]
  /** Records that cannot be read: their values are not claimed. */
  readonly unreadable: readonly string[]
}

/** Up to the head at this moment: what is written later claims its values itself. @throws Unavailable; it may be repeated */
export async function claimValues(options: ClaimValues): Promise<ClaimedValues> {
  const { events, stopping } = options
  const [duplicates, unreadable]: [string[], string[]] = [[], []]
  const seen = new Set<string>()
  for await (const batch of upTo(events, await events.head()))
    for (const event of batch) {
      if (stopping.aborted) throw new Unavailable('the process is stopping')
      const { stream: key, metadata } = event
      if (seen.has(key) || !concerns(options, key)) continue
      seen.add(key)
      try {
        duplicates.push(...(await claimRecord(options, metadata.company, key)))
      } catch (error) {
        if (error instanceof Unavailable) throw error
        unreadable.push(key)
      }
    }
  return { duplicates, unreadable }
}

async function* upTo(events: ClaimValues['events'], head: Position): AsyncIterable<readonly RecordedEvent[]> {
  if (head === 0) return
  for await (const { events: batch, position } of events.subscribe(0)) {
    yield batch
    if (position >= head) return
  }
}

function concerns({ definitions, unclaimed }: ClaimValues, key: string): boolean {
  const object = objectOfKey(key)
  const definition = definitions.get(object ?? '')
  return definition?.fields.some(({ name, unique }) => unique && unclaimed.has(object!, name)) ?? false
}

/** Those of its fields whose value an older record has. */
function claimRecord(
  { definitions, states, claims, locks, unclaimed, identifiers, clock }: ClaimValues,
  company: string,
  key: string,
): Promise<readonly string[]> {
  const object = objectOfKey(key)!
  const definition = definitions.get(object)!
  // A change of the record waits: a value that it lets go would be claimed after it was released.
  return locks.holding([{ key, shared: false }], async () => {
    const { status, fields } = await states.load(company, key)
    if (status !== 'live') return []
    const duplicates: string[] = []
    for (const claim of claimsOf(definition, fields).filter(({ field }) =>
      unclaimed.has(object, field.name),
    )) {
      const command = identifiers.newCommand()
      const circumstances = { type: 'claim.taken', command: 'claim', now: clock.now() }
      const metadata = ownMetadata(company, command, circumstances)
      try {
        await claims.take(definition, key, [claim], { command, metadata, sharesClaims: true })
      } catch (error) {
        if (!(error instanceof Conflict)) throw error
        duplicates.push(`${key}: ${claim.field.name}`)
      }
    }
    return duplicates
  })
}
