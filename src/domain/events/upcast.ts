/**
 * Where events of earlier shapes are read: each is brought to the newest shape, step by step, on its way out of a store. So
 * nothing else in the service knows that there ever was another.
 *
 * Whenever the shape of stored data or metadata changes: raise `SCHEMA`, add the step that leads to it, and freeze the old
 * shape in `test/corpus`, whose files are never changed. What is stored stays as it is.
 */
import type { RecordedEvent } from './event.ts'
import { isObject } from '../fields/field-values.ts'

/** The shape that this version of the service writes, and the newest that it understands. */
export const SCHEMA = 1

/** From one shape to the next: `steps[1]` leads from shape 1 to shape 2. Changes only events that differ between the two. */
export type UpcastSteps = { readonly [from: number]: (event: RecordedEvent) => RecordedEvent }

const STEPS: UpcastSteps = {}

/** The event in the newest shape. One of a later shape than is known here stays as it is: who reads it has to refuse it. */
export const upcast = upcaster(STEPS, SCHEMA)

/** @param newest the shape that the steps lead to */
export function upcaster(steps: UpcastSteps, newest: number): (event: RecordedEvent) => RecordedEvent {
  return (event) => {
    // As numbers: what was stored by a later version is not what the types say.
    const { schema: stored }: { readonly schema: number } = event.metadata
    let current = event
    for (let schema = stored; schema < newest; schema++) {
      const step = steps[schema]
      if (!step) throw new Error(`${event.type} of ${event.stream}: no step leads on from shape ${schema}`)
      current = step(current)
    }
    return stored < newest ? { ...current, metadata: { ...current.metadata, schema: newest as 1 } } : event
  }
}

/** An event as a store has it: what data and metadata hold is anyone's guess until it was looked at. */
export interface StoredEvent extends Omit<RecordedEvent, 'data' | 'metadata' | 'unreadable'> {
  readonly company: string
  /** Parses what was stored; may throw. */
  readonly parse: () => { readonly data: unknown; readonly metadata: unknown }
}

/** The stored event in the newest shape; or as one that cannot be read, with the reason. */
export function readStored({ company, parse, ...stored }: StoredEvent): RecordedEvent {
  try {
    const { data, metadata } = parse()
    if (!isObject(data)) throw new Error('its data is no object')
    if (!isObject(metadata) || !Number.isSafeInteger(metadata['schema']))
      throw new Error('its metadata names no shape')
    return upcast({ ...stored, data, metadata: metadata as unknown as RecordedEvent['metadata'] })
  } catch (error) {
    const metadata = { company, actor: '', at: '', correlation: '', command: '', schema: SCHEMA } as const
    return { ...stored, data: {}, metadata, unreadable: reasonOf(error) }
  }
}

/** What a parser says of broken JSON quotes it, and this reason is shown and logged where no record may be. */
function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'it is not valid JSON'
  return error instanceof Error ? error.message : String(error)
}

/** @throws Error for an event that cannot be read */
export function requireReadable({ type, stream, version, unreadable }: RecordedEvent): void {
  if (unreadable !== undefined)
    throw new Error(`${type}, version ${version} of ${stream}, cannot be read: ${unreadable}`)
}

/** @throws Error for an event that cannot be read, or that is of a later shape than this version knows */
export function requireUnderstood(event: RecordedEvent): void {
  requireReadable(event)
  const { schema }: { readonly schema: number } = event.metadata
  if (schema > SCHEMA)
    throw new Error(
      `${event.type} of ${event.stream} has shape ${schema}; this version reads up to ${SCHEMA}`,
    )
}
