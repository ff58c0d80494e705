/** What must hold between the parts of a workflow, and between a workflow and the fields of its object. */
import type { FieldDefinition, ObjectDefinition, Transition, Workflow } from '../../domain/definition.ts'
import { PLAIN_ACTIONS } from '../../domain/events/event-names.ts'
import { meantName } from '../../domain/filter/closest-name.ts'
import { readValue } from '../../domain/fields/field-values.ts'
import { ValueFault } from '../../domain/fields/types/rules.ts'
import type { Json } from '../../domain/json.ts'
import { NOW, TODAY } from '../../domain/workflow.ts'

type Report = (path: readonly PropertyKey[], reason: string) => void
type Named = ReadonlyMap<string, FieldDefinition>

export function checkWorkflow(definition: ObjectDefinition, named: Named, report: Report): void {
  const { workflow } = definition
  if (!workflow) return
  const within: Report = (path, reason) => report(['workflow', ...path], reason)
  checkStates(workflow, named, within)
  const { transitions = [], strictStatus } = workflow
  if (strictStatus && transitions.length === 0)
    within(['strictStatus'], 'there is no action by which the state could change')
  checkNames(transitions, within)
  for (const [index, transition] of transitions.entries()) {
    const at: Report = (path, reason) => within(['transitions', index, ...path], reason)
    checkKnown(workflow, transition.from, (step, reason) => at(['from', ...step], reason))
    if (!workflow.states.includes(transition.to)) at(['to'], notAState(transition.to, workflow.states))
    for (const [name, value] of Object.entries(transition.set ?? {}))
      checkSet(definition, named, name, value, (reason) => at(['set', name], reason))
    const counted = transition.due?.date
    if (counted !== undefined && named.get(counted)?.type !== 'date')
      at(['due', 'date'], `there is no date field ${counted}${meantName(counted, datesOf(named))}`)
  }
  if (transitions.length > 0) checkReach(workflow, transitions, within)
}

export function checkEventNames({ object, events = [] }: ObjectDefinition, report: Report): void {
  for (const [index, { name }] of events.entries()) {
    const at = (reason: string) => report(['events', index, 'name'], reason)
    const [prefix, action = ''] = name.split('.')
    if (prefix !== object) at(`must begin with ${object}.`)
    if ([...PLAIN_ACTIONS, 'workflow'].includes(action)) at(`${name} is an event of every record`)
    if (events.findIndex((other) => other.name === name) < index) at(`${name} appears twice`)
  }
}

function checkStates(workflow: Workflow, named: Named, report: Report): void {
  const { states, initial, entry = [] } = workflow
  const field = named.get(workflow.field)
  if (!field)
    report(['field'], `there is no field ${workflow.field}${meantName(workflow.field, [...named.keys()])}`)
  else if (field.type !== 'choice' || !field.strict)
    report(['field'], `${field.name} must be a strict choice`)
  else {
    for (const [index, state] of states.entries())
      if (!field.choices?.includes(state))
        report(['states', index], `${state} is not among the choices of ${field.name}`)
    for (const choice of field.choices ?? [])
      if (!states.includes(choice)) report(['states'], `${choice}, a choice of ${field.name}, is missing`)
  }
  for (const [index, state] of states.entries())
    if (states.indexOf(state) < index) report(['states', index], `${state} appears twice`)
  if (!states.includes(initial)) report(['initial'], notAState(initial, states))
  checkKnown(workflow, entry, (step, reason) => report(['entry', ...step], reason))
}

function checkKnown({ states }: Workflow, list: readonly string[], report: Report): void {
  for (const [index, state] of list.entries()) {
    if (!states.includes(state)) report([index], notAState(state, states))
    if (list.indexOf(state) < index) report([index], `${state} appears twice`)
  }
}

/** An action stands for one transition, and an event for one action. */
function checkNames(transitions: readonly Transition[], report: Report): void {
  for (const [index, transition] of transitions.entries()) {
    const earlier = transitions.slice(0, index)
    const { done } = transition
    if (earlier.some(({ action }) => action === transition.action))
      report(['transitions', index, 'action'], `there is already an action ${transition.action}`)
    else if (earlier.some((other) => other.done === done))
      report(['transitions', index, 'done'], `another action has the word ${done} already`)
  }
}

function checkSet(
  definition: ObjectDefinition,
  named: Named,
  name: string,
  value: Json,
  report: (reason: string) => void,
): void {
  const field = named.get(name)
  if (!field) return report(`there is no field ${name}${meantName(name, [...named.keys()])}`)
  if (name === definition.workflow?.field) return report(`${name} is set by the action itself`)
  if (name === definition.numbering?.field) return report(`${name} is numbered`)
  if (field.unique) return report(`${name} is unique: the second record would be a duplicate`)
  if (field.type === 'lookup') return report(`${name} is a lookup, and records belong to one company`)
  if (value === null) return field.required ? report(`${name} is required`) : undefined
  if ((field.type === 'timestamp' && value === NOW) || (field.type === 'date' && value === TODAY)) return
  const read = readValue(field, value)
  if (read instanceof ValueFault) report(read.message)
  else if (read !== value) report(`must be written as it is stored: ${JSON.stringify(read)}`)
}

/** Every state can be reached from those in which records begin. */
function checkReach(
  { initial, entry = [], states }: Workflow,
  transitions: readonly Transition[],
  report: Report,
): void {
  const reached = new Set([initial, ...entry])
  // A set grows while it is walked.
  for (const state of reached)
    for (const { from, to } of transitions) if (from.includes(state)) reached.add(to)
  for (const [index, state] of states.entries())
    if (!reached.has(state)) report(['states', index], `no action leads to ${state}`)
}

function notAState(state: string, states: readonly string[]): string {
  return `${state} is not among the states${meantName(state, states)}`
}

function datesOf(named: Named): readonly string[] {
  return [...named.values()].filter(({ type }) => type === 'date').map(({ name }) => name)
}
