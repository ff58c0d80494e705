/** The names of events (docs/interface.md#event-names, docs/open-facts.md 28): those that subscribers choose from. */
import type { ObjectDefinition } from '../definition.ts'
import { meantName } from '../filter/closest-name.ts'
import { actionEvent } from '../workflow.ts'

/** What happens to records of every object. */
export const PLAIN_ACTIONS = ['created', 'updated', 'deleted', 'restored'] as const

/** Every event that a record of the object can have. */
export function eventNamesOf(definition: ObjectDefinition): readonly string[] {
  const { object, workflow, events = [] } = definition
  return [
    ...PLAIN_ACTIONS.map((action) => `${object}.${action}`),
    ...(workflow?.transitions ?? []).map((transition) => actionEvent(definition, transition)),
    ...events.map(({ name }) => name),
  ]
}

/** What is said of a name that is not among the known ones. */
export function noSuchEvent(text: string, known: readonly string[]): string {
  return `there is no event ${text.slice(0, 100)}${meantName(text, known)}`
}
