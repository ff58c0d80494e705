/**
 * Named events: what a change meant (`payment.received`), beside the event of the change itself (docs/interface.md#event-names).
 *
 * One rule: a named event happens with the write after which its condition is true and before which it was not, whether
 * that write was an action, an update or a create. It is appended right behind the event that caused it, in the same
 * append, and changes no field; deleting and restoring cause none.
 */
import type { NamedEvent, ObjectDefinition } from '../definition.ts'
import type { Filter } from '../filter/ast.ts'
import { matches } from '../filter/evaluate.ts'
import { parseFilter } from '../filter/parse.ts'
import type { Fields } from '../json.ts'

const conditions = new WeakMap<NamedEvent, Filter>()

/**
 * Names of the events that a change of the fields causes, in the order of the definition. `before` is undefined when the
 * record is new.
 */
export function namedEvents(
  definition: ObjectDefinition,
  before: Fields | undefined,
  after: Fields,
): readonly string[] {
  const { events = [] } = definition
  return events
    .filter((event) => {
      const condition = conditionOf(definition, event)
      const holds = (fields: Fields) => matches(condition, fields, () => undefined)
      return holds(after) && !(before && holds(before))
    })
    .map(({ name }) => name)
}

/** Its paths follow no lookups (`definitions/checks/check-conditions.ts`), so no other definition is needed. */
function conditionOf(definition: ObjectDefinition, event: NamedEvent): Filter {
  let condition = conditions.get(event)
  if (!condition) conditions.set(event, (condition = parseFilter(event.when, definition, new Map())))
  return condition
}
