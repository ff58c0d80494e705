/** A projection: a pure function from an event to what changes in a read model. */
import type { Definitions, ObjectDefinition } from '../domain/definition.ts'
import type { Position, RecordedEvent } from '../domain/events/event.ts'
import { objectOfKey } from '../domain/records/key.ts'
import { requireUnderstood } from '../domain/events/upcast.ts'
import type { LastEvent, Operation, Step } from '../ports/projection-store.ts'

/** `O`: what it writes; read-model operations unless it says otherwise. */
export interface Projection<O = Operation> {
  readonly name: string
  /** Projections whose read models this one reads: it never runs ahead of them. */
  readonly needs: readonly string[]
  /** Throws when it does not understand the event: the projection then stops before it, visibly. */
  readonly project: (event: RecordedEvent) => readonly O[]
}

/** What projections that are in step make of events, for a store to apply. @throws Error what `project` throws */
export function workOf<O>(
  projections: readonly Projection<O>[],
  events: readonly RecordedEvent[],
): { readonly projection: string; readonly steps: readonly Step<O>[] }[] {
  return projections.map(({ name, project }) => ({
    projection: name,
    steps: events.map((event) => ({ position: event.position, operations: project(event) })),
  }))
}

/** What a checkpoint remembers of the events that it covers; undefined where there are none. */
export function lastOf(events: readonly RecordedEvent[], upTo: Position = Infinity): LastEvent | undefined {
  const event = events.findLast(({ position }) => position <= upTo)
  if (!event) return undefined
  const { position, id, stream, version, metadata } = event
  return { position, id, company: metadata.company, stream, version }
}

/** Readings of the audit: events that nothing is shown of but the audit itself. */
const READINGS = 'audit'

/**
 * The object that the event is about; undefined for the service's own bookkeeping: numbering, claims and requests, whose streams are not Keys, and readings of the audit.
 * @throws Error for a record of an object that is not defined, for what cannot happen to one, and for data that cannot be
 * read or is of a later shape than this code knows
 */
export function subjectOf(definitions: Definitions, event: RecordedEvent): ObjectDefinition | undefined {
  const object = objectOfKey(event.stream)
  if (object === undefined || object === READINGS) return undefined
  const definition = definitions.get(object)
  if (!definition)
    throw new Error(`${event.type} of ${event.stream}: there is no definition of the object ${object}`)
  if (!event.type.startsWith(`${object}.`))
    throw new Error(`${event.type} of ${event.stream}: nothing of that name happens to a ${object}`)
  requireUnderstood(event)
  return definition
}
