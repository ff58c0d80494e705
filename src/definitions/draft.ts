/** What is made of a definition file that has faults, so that the rest of it can be checked all the same. */
import type { FieldDefinition, ObjectDefinition } from '../domain/definition.ts'
import type { Findings } from './findings.ts'
import { valueAt, type DefinitionJson } from './read-file.ts'
import { isWithin, standIns, type StandIn } from '../shapes/repaired.ts'

type Path = readonly PropertyKey[]

/** Keys of a field that mean the same for every type. */
const OF_EVERY_TYPE = ['name', 'description', 'required', 'readOnly', 'personal']

/** Stands for missing keys of a file of that name. */
export function standInsFor(object: string, application: string): StandIn {
  const plain = standIns({
    object,
    application,
    name: object.charAt(0).toUpperCase() + object.slice(1),
    display: 'Unreadable',
    'fields.*.choices': ['unreadable'],
    'fields.*.target': object,
    'numbering.pattern': '{sequence}',
    'numbering.digits': 1,
    'workflow.transitions.*.action': 'unreadable',
    'workflow.transitions.*.done': 'unreadable',
    'events.*.name': `${object}.unreadable`,
    'events.*.when': 'Id ne null',
  })
  return (path, draft) => {
    const [part, , key, last] = path
    if (part === 'fields' && path.length === 3) {
      const field = path.slice(0, 2)
      if (key === 'name') return { value: 'Unreadable', doubt: [field] }
      if (key === 'type') {
        const own = Object.keys(valueAt(draft, field) as object).filter((one) => !OF_EVERY_TYPE.includes(one))
        return { value: 'text', doubt: [...own, 'type'].map((one) => [...field, one]) }
      }
    }
    if (part === 'workflow' && path.length === 4) {
      const initial = valueAt(draft, ['workflow', 'initial'])
      if (last === 'to') return { value: initial, doubt: [path] }
      if (last === 'from') return { value: [initial], doubt: [path] }
    }
    return plain(path, draft)
  }
}

/** Keys of a field that others rely on. */
const TELLING = ['name', 'type', 'readOnly', 'unique', 'choices', 'strict', 'derived']

/** Says of which fields nothing can be relied on. */
export function doubtFields(json: DefinitionJson, findings: Findings): void {
  for (const [part, index, key] of json.lost()) {
    if (part !== 'fields' || index === undefined) continue
    if (key !== undefined && !TELLING.includes(String(key))) continue
    const name = valueAt(json.value, ['fields', index, 'name'])
    if (typeof name === 'string') findings.doubt(name)
  }
}

/** Whether a fault of that place may only seem one because of what could not be read elsewhere. */
export function mayFollow([part, index, key]: Path, lost: readonly Path[]): boolean {
  return lost.some((one) => {
    if (part === 'workflow')
      return isWithin(one, ['workflow', 'transitions']) && (index === 'states' || index === 'strictStatus')
    if (part !== 'fields') return false
    if (key === 'default') return one[0] === 'workflow' || one[0] === 'numbering'
    return key === 'required' && (one[0] === 'numbering' || isWithin(one, ['fields', index!, 'derived']))
  })
}

/** The definition, with plain text for the lookups that lead nowhere: filters can be read then. */
export function withoutLostLookups(
  definition: ObjectDefinition,
  isThere: (object: string) => boolean,
): ObjectDefinition {
  const isLost = ({ type, target = '' }: FieldDefinition) => type === 'lookup' && !isThere(target)
  if (!definition.fields.some(isLost)) return definition
  const fields = definition.fields.map((field) =>
    isLost(field) ? { name: field.name, type: 'text' as const } : field,
  )
  return { ...definition, fields }
}
