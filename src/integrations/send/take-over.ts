/**
 * What of a message is taken over where records go both ways: field by field, by what both sides had last. What both have changed
 * and nobody owns is left as it is here, and shown to a person.
 */
import type { ObjectDefinition } from '../../domain/definition.ts'
import { readValue } from '../../domain/fields/field-values.ts'
import { ValueFault } from '../../domain/fields/types/rules.ts'
import type { Fields, Json } from '../../domain/json.ts'
import type { RecordState } from '../../domain/records/record.ts'
import type { Integration } from '../integration.ts'
import { shown } from '../mapping/unmappable.ts'
import type { IntegrationWork } from '../work.ts'
import { loadCounterpart, noteCounterpart } from './counterparts.ts'
import { digestOf } from './digest.ts'
import { merge, type Merged } from './merge.ts'

export interface TakingOver {
  readonly integration: Integration
  readonly definition: ObjectDefinition
  /** The Id that the record has there. */
  readonly externalId: string
  /** When it happened there. */
  readonly at: string | undefined
}

/** Undefined where records of the object only come in: everything is taken. */
export async function whatToTake(
  work: IntegrationWork,
  { integration, definition, at }: TakingOver,
  {
    record,
    state,
    fields,
  }: { readonly record: string; readonly state: RecordState; readonly fields: Fields },
): Promise<Merged | undefined> {
  const file = work.files.get(integration.definition)
  if (!file?.send.some(({ object }) => object === definition.object)) return undefined
  const name = { company: integration.company, integration: integration.key, record }
  const { agreed } = await loadCounterpart(work, name)
  const theirs = Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [field, asKept(definition, field, value)]),
  )
  const owners = file.owners[definition.object] ?? {}
  const isNewer = () => at !== undefined && Date.parse(at) > Date.parse(state.modifiedAt)
  return merge({ theirs, ours: state.fields, agreed, owners, isNewer })
}

/** What both sides have now: of a new record all that came, of another what was merged. */
export async function noteTaken(
  work: IntegrationWork,
  { integration, definition, externalId }: TakingOver,
  record: string,
  taken: Merged | Fields,
): Promise<void> {
  const file = work.files.get(integration.definition)
  if (!file?.send.some(({ object }) => object === definition.object)) return
  const name = { company: integration.company, integration: integration.key, record }
  const merged = 'disputed' in taken && Array.isArray(taken.disputed) ? (taken as Merged) : undefined
  const came = merged ? undefined : (taken as Fields)
  const agreed =
    merged?.agreed ??
    Object.fromEntries(
      Object.entries(came!).map(([field, value]) => [field, digestOf(asKept(definition, field, value))]),
    )
  await noteCounterpart(work, name, { externalId, agreed })
}

/** Why a person has to look; undefined: nobody has. */
export function disputeOf(merged: Merged | undefined): string | undefined {
  if (!merged || merged.disputed.length === 0) return undefined
  const each = merged.disputed.map(
    ({ Field, Ours, Theirs }) => `${Field} is ${shown(Ours)} here and ${shown(Theirs)} there`,
  )
  return `both sides have changed it: ${each.join('; ')}. Say which holds`
}

/** A value as records keep it; one that they cannot keep stays as it came, and is refused when it is written. */
function asKept({ fields }: ObjectDefinition, name: string, value: Json): Json {
  const field = fields.find((one) => one.name === name)
  if (!field || value === null) return value
  const read = readValue(field, value)
  return read instanceof ValueFault ? value : read
}
