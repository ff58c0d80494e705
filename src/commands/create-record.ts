/** Create a record. Its number, if the object has one, is added when everything else is known to be right. */
import { readChanges, ruleFaults, withDerived } from '../domain/fields/changes.ts'
import type { ObjectDefinition } from '../domain/definition.ts'
import { Invalid, type Fault } from '../domain/errors.ts'
import type { Sight } from '../domain/grant.ts'
import type { Fields, Json } from '../domain/json.ts'
import { mergeFields } from '../domain/records/record.ts'
import { entryStates, withMoments } from '../domain/workflow.ts'
import type { Draft } from './command.ts'

export interface CreateRecord {
  readonly definition: ObjectDefinition
  readonly body: Json
  /** The day (UTC) of the create; undefined for an import, which may bring dates of the past and records in any state. */
  readonly today: string | undefined
  readonly writable?: Sight | undefined
  /** When it is created (ISO 8601 UTC), for moments that its state notes; absent where they are not known, as in an import. */
  readonly at?: string | undefined
}

export function createRecord({ definition, body, today, writable, at }: CreateRecord): Draft {
  const { changes, faults } = readChanges({ definition, body, writing: 'replace', current: {}, writable })
  const said = at === undefined ? changes : withMoments(definition, {}, changes, at)
  const fields = mergeFields(defaultsOf(definition), said)
  const after = mergeFields({}, withDerived(definition, {}, fields))
  const late = today === undefined ? [] : stateFaults(definition, changes)
  // A field that is wrong is not reported as missing too.
  const named = new Set(faults.map(({ Field }) => Field))
  const broken = ruleFaults({ definition, before: undefined, after, today }).filter(
    ({ Field }) => !named.has(Field),
  )
  const all = [...faults, ...late, ...broken]
  if (all.length > 0) throw new Invalid(`The ${definition.object} is not valid.`, all)
  return { type: `${definition.object}.created`, data: after }
}

/** A record begins where its workflow begins (docs/interface.md#states). */
function stateFaults({ workflow, object }: ObjectDefinition, changes: Fields): Fault[] {
  const state = workflow && changes[workflow.field]
  if (state === undefined) return []
  const states = entryStates(workflow!)
  if (states.some((one) => one === state)) return []
  return [{ Field: workflow!.field, Message: `must be ${states.join(' or ')} in a new ${object}` }]
}

function defaultsOf(definition: ObjectDefinition): Fields {
  const defaults: Record<string, Json> = {}
  for (const field of definition.fields) if (field.default !== undefined) defaults[field.name] = field.default
  if (definition.workflow) defaults[definition.workflow.field] = definition.workflow.initial
  return defaults
}
