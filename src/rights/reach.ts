/**
 * What a caller may write and read of the record that a command changes. It is judged on the very state that the command
 * decides on. Absent grants are those of the service itself: everything.
 */
import type { ObjectDefinition } from '../domain/definition.ts'
import { Forbidden } from '../domain/errors.ts'
import type { Filter } from '../domain/filter/ast.ts'
import { rowsOf, shows, sightOf, type Grant } from '../domain/grant.ts'
import { isObject, type Json } from '../domain/json.ts'
import { judgeOf, type Judged, type JudgeRecord } from './judge-record.ts'

/** What a caller was granted for this request; absent: everything of the company. */
export interface Granted {
  readonly grant?: Grant | undefined
  readonly reads?: ((object: string) => Grant | undefined) | undefined
}

/** What the caller may write of this record; undefined: nothing, it does not exist for the caller. */
export async function writableOn(
  judge: JudgeRecord,
  { grant }: Granted,
  judged: Judged,
): Promise<Grant | undefined> {
  return grant?.shares ? judgeOf(judge, judged).grantOn(grant) : (grant ?? {})
}

/** What the caller may read of this record; undefined: nothing, it does not exist for the caller. */
export async function readableOn(
  judge: JudgeRecord,
  { reads }: Granted,
  judged: Judged,
): Promise<Grant | undefined> {
  const grant = reads ? reads(judged.definition.object) : {}
  return grant?.shares ? judgeOf(judge, judged).grantOn(grant) : grant
}

/** The records of an object in which the caller may read the field; undefined: all of them. */
export function readableRows({ reads }: Granted, object: string, field: string): Filter | undefined {
  return reads ? rowsOf(reads(object), field) : undefined
}

/**
 * A write may not move a record to where the caller could not have written it: one and the same share must grant each
 * field that is sent, for the record as it was and as it becomes.
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
  const grant = await judgeOf(judge, after).grantOn(before)
  const sight = sightOf(grant)
  const sent = isObject(body) ? Object.keys(body) : []
  if (!grant || !sent.every((name) => shows(sight, name))) throw new Forbidden(outOfReach(after.definition))
}

function outOfReach({ object }: ObjectDefinition): string {
  return `You are not granted the ${object} that this change would make.`
}
