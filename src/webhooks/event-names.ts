/**
 * Event names (docs/interface.md#event-names, docs/open-facts.md 28): which there are, and what a subscription's patterns cover.
 *
 * A pattern is a name, `*` (every event), or a beginning that ends in `.*` (`contract.*`, `contract.workflow.*`).
 */
import type { Definitions } from '../domain/definition.ts'
import { eventNamesOf } from '../domain/events/event-names.ts'

export interface EventName {
  readonly name: string
  /** The object whose record is sent as Data; undefined for events of a subscription itself. */
  readonly object?: string
}

/** Sent on request only. */
export const PING = 'webhook.ping'
/** An endpoint was disabled because deliveries to it failed; sent to the company's other endpoints. */
export const DISABLED = 'webhook.disabled'

/** Every event name that there is, in the order of the definitions. */
export function eventNames(definitions: Definitions): readonly EventName[] {
  const ofObjects = [...definitions.values()].flatMap((definition) =>
    eventNamesOf(definition).map((name) => ({ name, object: definition.object })),
  )
  return [...ofObjects, { name: DISABLED }, { name: PING }]
}

/** Whether the pattern covers the name. */
export function covers(pattern: string, name: string): boolean {
  if (pattern === '*') return true
  return pattern.endsWith('.*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name
}

/**
 * The objects whose records a pattern lets see; undefined when it covers no event that there is. `names`: all that there
 * are.
 */
export function objectsOf(pattern: string, names: readonly EventName[]): ReadonlySet<string> | undefined {
  const covered = names.filter(({ name }) => covers(pattern, name))
  return covered.length > 0 ? new Set(covered.flatMap(({ object }) => object ?? [])) : undefined
}
