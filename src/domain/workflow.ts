/** Reading a workflow: its actions, where they lead, the names of their events (docs/workflow.md). */
import { secondsOf } from './fields/dates.ts'
import type { FieldType, ObjectDefinition, Transition, Workflow } from './definition.ts'
import type { Fields, Json } from './json.ts'

/** The transition of that action; undefined when the object has no such action. */
export function transitionOf({ workflow }: ObjectDefinition, action: string): Transition | undefined {
  return workflow?.transitions?.find((transition) => transition.action === action)
}

/** The actions that can be taken in a state. */
export function transitionsFrom({ transitions = [] }: Workflow, state: Json): Transition[] {
  return transitions.filter(({ from }) => from.some((one) => one === state))
}

/** `contract.workflow.approved` */
export function actionEvent({ object }: ObjectDefinition, transition: Transition): string {
  return `${object}.workflow.${transition.done}`
}

/** States in which a record may be created; an import may name any. */
export function entryStates({ initial, entry = [] }: Workflow): readonly string[] {
  return [initial, ...entry.filter((state) => state !== initial)]
}

/** Whether the principal who brought the record into its present state may not take the action. */
export function needsAnother({ action, selfApproval = action !== 'approve' }: Transition): boolean {
  return !selfApproval
}

/** The fields that the action changes, with `now` and `today` filled in. `at`: ISO 8601 UTC. */
export function changesOf(definition: ObjectDefinition, transition: Transition, at: string): Fields {
  const changes: Record<string, Json> = {}
  for (const { name, type } of definition.fields) {
    if (name === definition.workflow?.field) changes[name] = transition.to
    const value = transition.set?.[name]
    if (value !== undefined) changes[name] = momentOf(type, value, at) ?? value
  }
  return changes
}

/** What `now` and `today` stand for; undefined for other values. */
function momentOf(type: FieldType, value: Json, at: string): string | undefined {
  if (type === 'timestamp' && value === NOW) return secondsOf(at)
  return type === 'date' && value === TODAY ? at.slice(0, 10) : undefined
}

/**
 * The changes with the moments that the actions note which lead to the state that is written, as `ReceivedAt` of a payment:
 * where the changes do not say them and the record has none. `at`: ISO 8601 UTC.
 */
export function withMoments(
  definition: ObjectDefinition,
  before: Fields,
  changes: Fields,
  at: string,
): Fields {
  const { workflow } = definition
  const state = workflow && changes[workflow.field]
  if (state === undefined || state === before[workflow!.field]) return changes
  const all: Record<string, Json> = { ...changes }
  for (const { to, set = {} } of workflow!.transitions ?? []) {
    if (to !== state) continue
    for (const { name, type } of definition.fields) {
      const moment = momentOf(type, set[name] ?? null, at)
      if (moment !== undefined && !(name in changes)) all[name] = before[name] ?? moment
    }
  }
  return all
}

/** Values of `set` that stand for the moment of the action. */
export const NOW = 'now'
export const TODAY = 'today'
