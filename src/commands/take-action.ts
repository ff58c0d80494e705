/** Take a workflow action: submit, approve … (docs/interface.md#workflow-routes). Who may, and when, is data of the object's definition. */
import { ruleFaults, withDerived } from '../domain/fields/changes.ts'
import type { ObjectDefinition, Transition } from '../domain/definition.ts'
import { Conflict, Forbidden, Invalid, invalid, NotFound } from '../domain/errors.ts'
import type { Fields, Json } from '../domain/json.ts'
import { meantName } from '../domain/filter/closest-name.ts'
import { mergeFields, type RecordState } from '../domain/records/record.ts'
import { actionEvent, changesOf, needsAnother, transitionOf, transitionsFrom } from '../domain/workflow.ts'
import type { Draft } from './command.ts'

/** What decides whether someone may take an action, beside the record's fields. */
export interface Standing {
  /** Key of the person who acts: by a login or by a token of theirs. */
  readonly person: string
  readonly roles: readonly string[]
  /** Key of the person who brought the record into the state that it is in. */
  readonly broughtBy: string | undefined
  /** Whether the record fulfils the action's condition; true when it has none. */
  readonly fulfils: boolean
}

export interface TakeAction {
  readonly definition: ObjectDefinition
  readonly action: string
  readonly comment: string | undefined
  readonly standing: Standing
  /** When it is taken: ISO 8601 UTC. */
  readonly at: string
  /** Whether the caller may see the state that the record is in. */
  readonly seesState?: boolean
}

/**
 * @throws NotFound for an action that the object has not
 * @throws Forbidden without a role that may, and for one's own submission
 * @throws Conflict in another state, or when the condition is not fulfilled
 * @throws Invalid without the comment that the action asks for, and when what it sets breaks a rule
 */
export function takeAction(
  { definition, action, comment, standing, at, seesState = true }: TakeAction,
  { fields }: RecordState,
): Draft {
  const transition = transitionOrNone(definition, action)
  const refusal = refusalOf(definition, transition, standing, fields)
  if (refusal) throw seesState ? refusal : veiled(refusal, definition, action)
  if (transition.requiresComment && !comment?.trim())
    throw invalid('Comment', `is required: ${action} needs a reason`)
  const changes = changesOf(definition, transition, at)
  const data = { ...withDerived(definition, fields, changes), ...changes }
  const faults = ruleFaults({ definition, before: fields, after: mergeFields(fields, data) })
  if (faults.length > 0) throw new Invalid(`${action} would not leave a valid ${definition.object}`, faults)
  return { type: actionEvent(definition, transition), data }
}

/** @throws NotFound when the object has no such action */
export function transitionOrNone(definition: ObjectDefinition, action: string): Transition {
  const transition = transitionOf(definition, action)
  if (transition) return transition
  const known = (definition.workflow?.transitions ?? []).map((one) => one.action)
  const hint = known.length > 0 ? `; it has ${known.join(', ')}` : ''
  throw new NotFound(
    `${definition.object} has no action ${action.slice(0, 100)}${hint}${meantName(action, known)}`,
  )
}

/** Why the action cannot be taken; undefined when it can. Roles come first: they are refused in every state. */
export function refusalOf(
  definition: ObjectDefinition,
  transition: Transition,
  { person, roles, broughtBy, fulfils }: Standing,
  fields: Fields,
): Forbidden | Conflict | undefined {
  const { action, from, condition } = transition
  if (transition.roles && !transition.roles.some((role) => roles.includes(role)))
    return new Forbidden(`${action} needs the role ${transition.roles.join(' or ')}`)
  const field = definition.workflow?.field ?? ''
  const state = fields[field] ?? null
  if (!from.some((one) => one === state)) return wrongState(definition, transition, state)
  if (needsAnother(transition) && broughtBy === person)
    return new Forbidden(`You made it ${shown(state)}: someone else must ${action} it.`)
  if (!fulfils) {
    const message = `${action} needs a record for which this is true: ${condition}`
    return new Conflict(message, [{ Field: field, Message: message }])
  }
  return undefined
}

/** The same without the state of the record. */
function veiled(refusal: Forbidden | Conflict, { object }: ObjectDefinition, action: string) {
  if (refusal instanceof Forbidden) return new Forbidden(`${action} is not for you to take on this ${object}`)
  return new Conflict(`the ${object} is not such that one could ${action} it now`)
}

function wrongState(definition: ObjectDefinition, { action, from }: Transition, state: Json): Conflict {
  const { workflow } = definition
  const others = workflow ? transitionsFrom(workflow, state).map((one) => one.action) : []
  const allowed =
    others.length > 0 ? `actions from ${shown(state)}: ${others.join(', ')}` : 'it has no action'
  const message = `is ${shown(state)}; ${action} needs ${from.join(' or ')}; ${allowed}`
  return new Conflict(`the ${definition.object} ${message}`, [
    { Field: workflow?.field ?? '', Message: message },
  ])
}

function shown(state: Json): string {
  return typeof state === 'string' ? state : 'without a state'
}
