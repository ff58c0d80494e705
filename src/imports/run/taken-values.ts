/**
 * Unique values of a refused row that others have. A write names the first of them, and only where nothing else is wrong; a row
 * is to be corrected once.
 */
import { claimsOf, duplicate, type Claim, type UniqueClaims } from '../../commands/support/unique-claims.ts'
import { fieldOf, type ObjectDefinition } from '../../domain/definition.ts'
import type { Fault } from '../../domain/errors.ts'
import type { Company } from '../../domain/events/event.ts'
import { readValue } from '../../domain/fields/field-values.ts'
import { ValueFault } from '../../domain/fields/types/rules.ts'
import type { Fields, Json } from '../../domain/json.ts'

export interface TakenValues {
  readonly company: Company
  readonly definition: ObjectDefinition
  readonly ownerOf: UniqueClaims['ownerOf']
  /** The record that the row changes. */
  readonly own: string | undefined
  /** The field that says which record the row is about: the record that has its value is that one. */
  readonly keyField: string | undefined
  /** Another row of the file that has the value, and is written. */
  readonly twinOf: (claim: Claim) => number | undefined
}

/** Rows of the file that have the value of a unique field, by field. */
export type Twins = Readonly<Record<string, number>>

/**
 * The faults of a row together with those of its values that others have.
 * @param body what can be read of the row
 */
export async function withTakenValues(
  { company, definition, ownerOf, own, keyField, twinOf }: TakenValues,
  body: Fields,
  faults: readonly Fault[],
): Promise<{ readonly faults: readonly Fault[]; readonly twins: Twins }> {
  const isOfAnother = async (claim: Claim) => {
    if (claim.field.name === keyField) return false
    const owner = await ownerOf(company, definition, claim)
    return owner !== undefined && owner !== own
  }
  const named = new Map(faults.map(({ Field, Message }) => [Field, Message]))
  const all = new Map(named)
  const twins: Record<string, number> = {}
  for (const claim of claimsOf(definition, readable(definition, body))) {
    const { name } = claim.field
    const said = named.get(name)
    const [{ Message }] = duplicate(definition, claim.field).faults as [Fault]
    if (said !== undefined && said !== Message) continue
    const twin = twinOf(claim)
    if (said === undefined && twin === undefined && !(await isOfAnother(claim))) continue
    if (twin !== undefined) twins[name] = twin
    all.set(name, twin === undefined ? Message : `${Message}; it is also in row ${twin} of this file`)
  }
  return { faults: [...all].map(([Field, Message]) => ({ Field, Message })), twins }
}

/** The values that can be stored, as they would be. */
function readable(definition: ObjectDefinition, body: Fields): Fields {
  const values: Record<string, Json> = {}
  for (const [name, sent] of Object.entries(body)) {
    const field = fieldOf(definition, name)
    const value = !field?.unique || sent === null ? null : readValue(field, sent)
    if (value !== null && !(value instanceof ValueFault)) values[name] = value
  }
  return values
}
