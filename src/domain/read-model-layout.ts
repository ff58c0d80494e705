/**
 * What the read model of an object is built by: when any of it changes, the read model must be built again from the events.
 * Everything else of a definition (labels, descriptions, checks, roles, numbering) may change while it is served.
 */
import { targetOf, type Definitions, type ObjectDefinition } from './definition.ts'

/**
 * A text for each object, by its name, in the order of the names: equal texts, equal read models. A lookup shows the
 * display field of its target, so that field is part of it.
 */
export function readModelLayouts(definitions: Definitions): ReadonlyMap<string, string> {
  const objects = [...definitions.keys()].sort()
  return new Map(objects.map((object) => [object, layoutOf(definitions.get(object)!, definitions)]))
}

function layoutOf(definition: ObjectDefinition, definitions: Definitions): string {
  const { object, display, workflow, internal, appendOnly } = definition
  const fields = definition.fields.map((field) => {
    const { name, type, searchable = false, target = null } = field
    const shown = type === 'lookup' ? displayOf(targetOf(definitions, field)) : null
    return [name, type, searchable, target, shown]
  })
  const { secrets = [], listedIn = null } = internal ?? {}
  const numbered = appendOnly ? ['appendOnly'] : []
  return JSON.stringify([object, display, workflow?.field ?? null, secrets, listedIn, fields, ...numbered])
}

function displayOf({ display, fields }: ObjectDefinition): readonly [string, string | null] {
  return [display, fields.find(({ name }) => name === display)?.type ?? null]
}
