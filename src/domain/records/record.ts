/** A record's state, folded from its events. `evolve` never throws: what happened, happened. */
import type { Position, RecordedEvent } from '../events/event.ts'
import type { Fields } from '../json.ts'

export interface RecordState {
  readonly status: 'absent' | 'live' | 'deleted'
  /** Version of the last event; 0 when absent. */
  readonly version: number
  /** Position of the last event; 0 when absent. */
  readonly position: Position
  /** Canonical values; a name that is missing has no value. Kept when deleted. */
  readonly fields: Fields
  /** ISO 8601 UTC with milliseconds. */
  readonly createdAt: string
  readonly modifiedAt: string
}

export const absent: RecordState = {
  status: 'absent',
  version: 0,
  position: 0,
  fields: {},
  createdAt: '',
  modifiedAt: '',
}

/** What an event type does to its record. Types other than created, deleted and restored change fields. */
export type Happening = 'created' | 'deleted' | 'restored' | 'changed'

export function happeningOf(type: string): Happening {
  const action = type.slice(type.indexOf('.') + 1)
  return action === 'created' || action === 'deleted' || action === 'restored' ? action : 'changed'
}

/** What a fold needs of an event: also of one that was decided on and is not stored yet. */
export interface FoldedEvent extends Pick<RecordedEvent, 'type' | 'data' | 'version' | 'position'> {
  readonly metadata: Pick<RecordedEvent['metadata'], 'recordedAt'>
}

export function evolve(
  state: RecordState,
  { type, data, version, position, metadata }: FoldedEvent,
): RecordState {
  const at = metadata.recordedAt
  switch (happeningOf(type)) {
    case 'created':
      return {
        status: 'live',
        version,
        position,
        fields: data,
        createdAt: at,
        modifiedAt: at,
      }
    case 'deleted':
      return { ...state, status: 'deleted', version, position, modifiedAt: at }
    case 'restored':
      return { ...state, status: 'live', version, position, modifiedAt: at }
    case 'changed':
      return { ...state, version, position, fields: mergeFields(state.fields, data), modifiedAt: at }
  }
}

/** Fields after a change: values sent replace, `null` clears. */
export function mergeFields(fields: Fields, changes: Fields): Fields {
  let merged: Record<string, Fields[string]> | undefined
  for (const name of Object.keys(changes)) {
    const value = changes[name]!
    merged ??= { ...fields }
    if (value === null) delete merged[name]
    else merged[name] = value
  }
  // Named events change nothing.
  return merged ?? fields
}
