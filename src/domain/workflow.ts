/** What a workflow says: which actions there are, what they lead to, and how the events are called (specification 3, 4.4, 6.2). */
import type { ObjectDefinition, Transition, Workflow } from './definition.ts'
import type { Fields, Json } from './json.ts'
import { pastParticiple } from './past-participle.ts'

/** The transition of that action, or undefined when the object has none. */
export function transitionOf({ workflow }: ObjectDefinition, action: string): Transition | undefined {
  return workflow?.transitions?.find((transition) => transition.action === action)
}

/** The actions that lead on from a state. */
export function transitionsFrom({ transitions = [] }: Workflow, state: Json): Transition[] {
  return transitions.filter(({ from }) => from.some((one) => one === state))
}

/** `submit` is done when it is `submitted`. */
export function doneOf({ action, done }: Pick<Transition, 'action' | 'done'>): string {
  return done ?? pastParticiple(action)
}

/** `contract.workflow.approved` */
export function actionEvent({ object }: ObjectDefinition, transition: Transition): string {
  return `${object}.workflow.${doneOf(transition)}`
}

/** States in which a record may be created; an import may name any. */
export function entryStates({ initial, entry = [] }: Workflow): readonly string[] {
  return [initial, ...entry.filter((state) => state !== initial)]
}

/** Whether the transition is closed to whoever brought the record into its present state. */
export function needsAnother({ action, selfApproval = action !== 'approve' }: Transition): boolean {
  return !selfApproval
}

/** The fields that the action changes, with `now` and `today` filled in. `at`: ISO 8601 UTC. */
export function changesOf(definition: ObjectDefinition, transition: Transition, at: string): Fields {
  const changes: Record<string, Json> = {}
  for (const { name, type } of definition.fields) {
    if (name === definition.workflow?.field) changes[name] = transition.to
    const value = transition.set?.[name]
    if (value === undefined) continue
    if (type === 'timestamp' && value === NOW) changes[name] = `${at.slice(0, 19)}Z`
    else if (type === 'date' && value === TODAY) changes[name] = at.slice(0, 10)
    else changes[name] = value
  }
  return changes
}

/** Values of `set` that stand for the moment of the action; no timestamp and no date is written so. */
export const NOW = 'now'
export const TODAY = 'today'
