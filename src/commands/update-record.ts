/** Change fields of a record: PUT and PATCH (docs/open-facts.md 10). Nothing changed, nothing happened. */
import { isDeepStrictEqual } from 'node:util'
import { readChanges, ruleFaults, withDerived, type Writing } from '../domain/fields/changes.ts'
import type { ObjectDefinition } from '../domain/definition.ts'
import { Invalid, type Fault } from '../domain/errors.ts'
import type { Sight } from '../domain/grant.ts'
import type { Fields, Json } from '../domain/json.ts'
import { mergeFields, type RecordState } from '../domain/records/record.ts'
import { withMoments } from '../domain/workflow.ts'
import type { Draft } from './command.ts'

export interface UpdateRecord {
  readonly definition: ObjectDefinition
  readonly body: Json
  readonly writing: Writing
  readonly writable?: Sight | undefined
  /** When it changes (ISO 8601 UTC), for moments that its state notes; absent where they are not known, as in an import. */
  readonly at?: string | undefined
}

export function updateRecord(
  { definition, body, writing, writable, at }: UpdateRecord,
  { fields }: RecordState,
): Draft | undefined {
  const { changes, faults } = readChanges({ definition, body, writing, current: fields, writable })
  const said = at === undefined ? changes : withMoments(definition, fields, changes, at)
  const data = onlyDifferent(fields, withDerived(definition, fields, said))
  const broken = ruleFaults({ definition, before: fields, after: mergeFields(fields, data) })
  const all = [...faults, ...stateFaults(definition, data), ...broken]
  if (all.length > 0) throw new Invalid(`The change of the ${definition.object} is not valid.`, all)
  return Object.keys(data).length > 0 ? { type: `${definition.object}.updated`, data } : undefined
}

/** A strict workflow's state is written by its actions alone (docs/open-facts.md 6b). */
function stateFaults({ workflow, object }: ObjectDefinition, data: Fields): Fault[] {
  if (!workflow?.strictStatus || !(workflow.field in data)) return []
  const Message = `changes by actions only: POST /api/v1/${object}/{key}/workflow/{action}`
  return [{ Field: workflow.field, Message }]
}

function onlyDifferent(current: Fields, changes: Fields): Fields {
  return Object.fromEntries(
    Object.entries(changes).filter(([name, value]) => !isDeepStrictEqual(current[name] ?? null, value)),
  )
}
