/**
 * How far a caller reaches: what they may write is judged on the very state that a write is decided on, and what a write
 * tells them of other records is what they may read. Absent grants are those of the service itself: everything.
 */
import type { ObjectDefinition } from '../domain/definition.ts'
import { Forbidden } from '../domain/errors.ts'
import type { Filter } from '../domain/filter/ast.ts'
import { fieldsOf, rowsOf, shows, type Grant, type Sight } from '../domain/grant.ts'
import { isObject } from '../domain/fields/field-values.ts'
import type { Json } from '../domain/json.ts'
import { fulfils, type Judged, type JudgeRecord } from './judge-record.ts'

/** What a caller was granted for this request; absent: everything of the company. */
export interface Granted {
  readonly grant?: Grant | undefined
  readonly reads?: ((object: string) => Grant | undefined) | undefined
}

/** What of the grant concerns this record; undefined: nothing, it is not there for the caller. */
export async function grantOn(
  judge: JudgeRecord,
  grant: Grant | undefined,
  judged: Judged,
): Promise<Grant | undefined> {
  if (!grant?.shares) return grant
  const shares = []
  for (const share of grant.shares)
    if (!share.rows || (await fulfils(judge, share.rows, judged))) shares.push(share)
  return shares.length > 0 ? { shares } : undefined
}

/** What the caller may write of this record. */
export function writableOn(
  judge: JudgeRecord,
  { grant }: Granted,
  judged: Judged,
): Promise<Grant | undefined> {
  return grantOn(judge, grant ?? {}, judged)
}

/** What the caller may read of this record. */
export function readableOn(
  judge: JudgeRecord,
  { reads }: Granted,
  judged: Judged,
): Promise<Grant | undefined> {
  return grantOn(judge, reads ? reads(judged.definition.object) : {}, judged)
}

/** The records of an object in which the caller may read the field; undefined: in all of them. */
export function readableRows({ reads }: Granted, object: string, field: string): Filter | undefined {
  return reads ? rowsOf(reads(object), field) : undefined
}

/** The fields that a grant shows in some record, or in this one. */
export function sightOf(grant: Grant | undefined): Sight {
  if (!grant) return new Set()
  return grant.shares ? fieldsOf(grant.shares) : 'all'
}

/**
 * A write may not take a record to where the caller could not have written it: each field sent must be granted for the
 * record as it was and as it becomes by one and the same share.
 * @param before what the caller may write of the record as it was
 * @throws Forbidden
 */
export async function checkStays(
  judge: JudgeRecord,
  before: Grant,
  after: Judged,
  body: Json,
): Promise<void> {
  if (!before.shares) return
  const grant = await grantOn(judge, before, after)
  const sight = sightOf(grant)
  const sent = isObject(body) ? Object.keys(body) : []
  if (!grant || !sent.every((name) => shows(sight, name))) throw new Forbidden(outOfReach(after.definition))
}

function outOfReach({ object }: ObjectDefinition): string {
  return `this would make it a ${object} that is not among those granted to you`
}
