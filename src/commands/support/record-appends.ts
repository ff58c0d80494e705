/**
 * The last step of every command: unique values are claimed, the event is appended together with the named events that
 * it causes, values that the record let go are released. And the first step of a command that is run again: what has its earlier run stored?
 */
import type { ObjectDefinition } from '../../domain/definition.ts'
import type { EventMetadata, NewEvent, Position, RecordedEvent } from '../../domain/events/event.ts'
import type { Fields } from '../../domain/json.ts'
import { schemaOf } from '../../domain/events/upcast.ts'
import { Unavailable } from '../../domain/errors.ts'
import { namedEvents } from '../../domain/events/named-events.ts'
import { absent, evolve, happeningOf, mergeFields, type RecordState } from '../../domain/records/record.ts'
import type { Clock } from '../../ports/clock.ts'
import { VersionConflict, type EventStore } from '../../ports/event-store.ts'
import type { Caller, Draft, DryRun } from '../command.ts'
import { eventId } from './identifiers.ts'
import type { RecordStates } from './record-states.ts'
import { claimHash, claimsOf, duplicate, type Claim, type UniqueClaims } from './unique-claims.ts'

/** What a write came to: the record's state after it, and the position that a reader must have reached to see it. */
export interface Written {
  readonly key: string
  readonly state: RecordState
  /** When nothing changed: that of the last change. */
  readonly position: Position
  /** Whether this write created the record. */
  readonly created: boolean
  /** Set when nothing was to be done. */
  readonly unchanged?: true
  /** Set when an earlier run of the same request had done it: the source of its event. */
  readonly repeatedBy?: string
  /** Set when nothing was stored: the state is what the write would lead to. */
  readonly judgedOnly?: true
}

export interface RecordAppend {
  readonly caller: Caller
  readonly definition: ObjectDefinition
  readonly key: string
  /** The state that was decided on. */
  readonly state: RecordState
  readonly metadata: EventMetadata
  readonly draft: Draft
  /** Fields to add once the values are claimed: what must not be used up by a command that is refused. */
  readonly assigned?: () => Promise<Fields>
}

export interface RecordAppends {
  /**
   * @throws VersionConflict when the record is not at the state's version any more; nothing has then changed
   * @throws Conflict when another record has a unique value
   */
  append(append: RecordAppend): Promise<Written>
  /** What an earlier run of the same request has done to the record. */
  doneBefore(caller: Caller, key: string): Promise<Written | undefined>
}

export interface RecordAppendsOptions {
  readonly events: Pick<EventStore, 'append' | 'read'>
  readonly states: RecordStates
  readonly claims: UniqueClaims
  readonly clock: Pick<Clock, 'elapsed'>
}

/** From its first claim to its append; `LONGEST_COMMAND_MS` less what the store may take. */
const LONGEST_MS = 20_000

export function recordAppends({ events, states, claims, clock }: RecordAppendsOptions): RecordAppends {
  /** Whether an earlier or another run of the request may have stored something. */
  const mayBeDone = ({ repeatedFrom, runsFirst }: Caller) =>
    repeatedFrom !== undefined && !(runsFirst && states.onlyWriter)

  const doneBefore: RecordAppends['doneBefore'] = async (caller, key) =>
    mayBeDone(caller) ? doneSince(events, caller, key, absent) : undefined

  const store = async (
    { caller, definition, key, state, metadata }: RecordAppend,
    draft: Draft,
  ): Promise<Written> => {
    const drafts = [draft, ...namedDrafts(definition, state, draft)]
    const cause = eventId(caller.command, key, 0)
    const { reason } = caller
    const stored: NewEvent[] = drafts.map((one, index) => ({
      id: index === 0 ? cause : eventId(caller.command, key, index),
      ...one,
      ...(reason !== undefined && { reason }),
      metadata: index === 0 ? metadata : { ...metadata, $causationId: cause, schema: schemaOf(one.type) },
    }))
    try {
      const { company, together } = caller
      const append = { company, stream: key, expected: state.version, events: stored, together }
      const { version, position } = await events.append(append)
      // Of two runs of one request the store keeps the events of the first, whatever the other would have written.
      const first = mayBeDone(caller) ? await doneSince(events, caller, key, state) : undefined
      if (first) {
        states.forget(key)
        return first
      }
      const recorded = stored.map((event, index): RecordedEvent => ({
        ...event,
        stream: key,
        version: version - stored.length + 1 + index,
        // Of the others only the order matters here, and nobody asks for their places.
        position,
      }))
      return { key, state: states.learn(key, state, recorded), position, created: state.version === 0 }
    } catch (error) {
      // Also after an outcome that is not known: what is remembered may be out of date.
      states.forget(key)
      throw error
    }
  }

  return {
    doneBefore,
    async append(append) {
      if (append.caller.dryRun) return judged(claims, append, append.caller.dryRun)
      const { caller, definition, key, state, draft, metadata, assigned } = append
      const { gained, lost } = claimChanges(definition, state, draft, metadata)
      const ownRecord = state.version === 0 && !mayBeDone(caller)
      const by = { command: caller.command, metadata, sharesClaims: !states.onlyWriter && !ownRecord }
      const began = gained.length > 0 ? clock.elapsed() : undefined
      if (gained.length > 0) await claims.take(definition, key, gained, by)
      let sent = false
      let written: Written
      try {
        const whole = assigned ? { ...draft, data: { ...draft.data, ...(await assigned()) } } : draft
        // By now another process may take the values for dangling.
        if (began !== undefined && clock.elapsed() - began > LONGEST_MS)
          throw new Unavailable('The event store is too slow now: nothing was stored. Try again.')
        sent = true
        written = await store(append, whole)
      } catch (error) {
        // After an unknown outcome the claim stays, until the record bears it out or it proves dangling.
        if (!sent || error instanceof VersionConflict) await claims.giveUp(definition, key, gained, by)
        throw error
      }
      // The write is done: a claim that cannot be released now is found dangling by the next who wants the value.
      await claims.release(definition, key, lost, by, written.position).catch(() => {})
      return written
    },
  }
}

/** What `append` would come to. @throws Conflict when another record has, or would have, a unique value */
async function judged(
  claims: Pick<UniqueClaims, 'ownerOf'>,
  { caller: { company }, definition, key, state, draft, metadata }: RecordAppend,
  { taken, place = 0 }: DryRun,
): Promise<Written> {
  const wanted: number[] = []
  for (const claim of claimChanges(definition, state, draft, metadata).gained) {
    const hashed = claimHash(company, definition.object, claim)
    const owner = await claims.ownerOf(company, definition, claim)
    if (taken.has(hashed) || (owner !== undefined && owner !== key)) throw duplicate(definition, claim.field)
    wanted.push(hashed)
  }
  for (const hashed of wanted) taken.set(hashed, place)
  const { version, position } = state
  const after = evolve(state, { ...draft, version: version + 1, position, metadata })
  return { key, state: after, position, created: version === 0, judgedOnly: true }
}

/**
 * What an earlier run of the same request has done to the record.
 * @param from the state before any run of the request that is looked for
 */
async function doneSince(
  events: Pick<EventStore, 'read'>,
  caller: Caller,
  key: string,
  from: RecordState,
): Promise<Written | undefined> {
  let state = from
  let done: Written | undefined
  let index = 0
  for (const event of await events.read(caller.company, key, from.version)) {
    // What one append stored lies together.
    const isNext = event.id === eventId(caller.command, key, index)
    if (done && !isNext) break
    state = evolve(state, event)
    if (!isNext) continue
    index++
    const created = done?.created ?? event.version === 1
    done = { key, state, position: event.position, created, repeatedBy: event.metadata.source }
  }
  return done
}

/** The named events that the change causes. */
function namedDrafts(definition: ObjectDefinition, before: RecordState, { type, data }: Draft): Draft[] {
  const happening = happeningOf(type)
  if (!definition.events || happening === 'deleted' || happening === 'restored') return []
  const after = mergeFields(before.fields, data)
  return namedEvents(definition, happening === 'created' ? undefined : before.fields, after).map((name) => ({
    type: name,
    data: {},
  }))
}

function claimChanges(
  definition: ObjectDefinition,
  before: RecordState,
  draft: Draft,
  metadata: EventMetadata,
) {
  const after = evolve(before, { ...draft, version: 0, position: 0, metadata })
  const [had, has] = [before, after].map(({ status, fields }) =>
    status === 'live' ? claimsOf(definition, fields) : [],
  )
  return { gained: without(has!, had!), lost: without(had!, has!) }
}

function without(claims: readonly Claim[], others: readonly Claim[]): Claim[] {
  return claims.filter(
    ({ field, value }) => !others.some((other) => other.field.name === field.name && other.value === value),
  )
}
