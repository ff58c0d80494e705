/** Filters in a definition, once all definitions are whole: conditions of actions may lead over lookups. */
import { STANDARD_FIELDS, type Definitions, type ObjectDefinition } from '../../domain/definition.ts'
import { Invalid } from '../../domain/errors.ts'
import type { Filter } from '../../domain/filter/ast.ts'
import { parseFilter } from '../../domain/filter/parse.ts'
import { pathsOf } from '../../domain/filter/paths.ts'
import type { ShapeFault } from '../../shapes/shape-faults.ts'

export function checkConditions(
  definition: ObjectDefinition,
  definitions: Definitions,
): readonly ShapeFault[] {
  const faults: ShapeFault[] = []
  const read = (text: string, path: readonly PropertyKey[]): Filter | undefined => {
    try {
      return parseFilter(text, definition, definitions, 'kept')
    } catch (error) {
      if (!(error instanceof Invalid)) throw error
      faults.push({ path, reason: error.faults.map(({ Message }) => Message).join('; ') })
      return undefined
    }
  }
  for (const [index, { condition }] of definition.workflow?.transitions?.entries() ?? [])
    if (condition !== undefined) read(condition, ['workflow', 'transitions', index, 'condition'])
  for (const [index, { when }] of definition.events?.entries() ?? []) {
    const path = ['events', index, 'when']
    const condition = read(when, path)
    for (const { text, hops, field } of condition ? pathsOf(condition) : [])
      if (hops.length > 0 || STANDARD_FIELDS.includes(field))
        faults.push({ path, reason: `${text} is not a field of the record itself` })
  }
  return faults
}
