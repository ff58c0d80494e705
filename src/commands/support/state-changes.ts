/** How a record came into the state that it is in: every event that set the state, oldest first. */
import type { ObjectDefinition } from '../../domain/definition.ts'
import type { RecordedEvent } from '../../domain/events/event.ts'
import type { Json } from '../../domain/json.ts'

export interface StateChange {
  readonly event: string
  /** The workflow action; undefined when the state was written directly, or came with the create. */
  readonly action: string | undefined
  /** Null before the create. */
  readonly from: Json
  readonly to: Json
  /** ISO 8601 UTC with milliseconds. */
  readonly at: string
  readonly actor: string
  /** Key of the person who did it: the actor, or who is behind the token. */
  readonly person: string
  readonly comment: string | undefined
}

/** The command of an action, as metadata of its event has it. */
export const ACTION_COMMAND = 'workflow:'

export function stateChanges(
  { workflow }: ObjectDefinition,
  events: readonly RecordedEvent[],
): readonly StateChange[] {
  const field = workflow?.field ?? ''
  let state: Json = null
  return events.flatMap(({ type, data, reason, metadata }) => {
    const to = data[field]
    if (to === undefined) return []
    const { recordedAt: at, actor, onBehalfOf, command } = metadata
    const from = state
    state = to
    const action = command.startsWith(ACTION_COMMAND) ? command.slice(ACTION_COMMAND.length) : undefined
    return [{ event: type, action, from, to, at, actor, person: onBehalfOf ?? actor, comment: reason }]
  })
}
