/**
 * What may be seen or written of the records of one object. It follows from roles (`rights/role.ts`).
 *
 * Several roles may each grant some fields of some records. They are kept apart as shares, so that two of them never add
 * up to a field of a record that neither grants.
 */
import type { Filter } from './filter/ast.ts'
import { anyOf } from './filter/combine.ts'
import { STANDARD_FIELDS } from './definition.ts'

/** These fields of these records. */
export interface Share {
  /** Only records that fulfil this filter; absent: all of the company. */
  readonly rows?: Filter
  /** Only these fields, and those that every record has (Id, CreatedAt, ModifiedAt); absent: all. */
  readonly fields?: ReadonlySet<string>
}

export interface Grant {
  /** A field of a record is granted if one of the shares grants it; never empty. Absent: everything is. */
  readonly shares?: readonly Share[]
}

/** The fields that a grant shows; those that every record has are not listed. */
export type Sight = ReadonlySet<string> | 'all'

const NOTHING: Filter = { op: 'constant', value: false }
const ALWAYS: ReadonlySet<string> = new Set(STANDARD_FIELDS.map(({ name }) => name))

/** The fields that at least one of the shares grants. */
export function fieldsOf(shares: readonly Share[]): Sight {
  const fields = new Set<string>()
  for (const share of shares) {
    if (!share.fields) return 'all'
    for (const name of share.fields) fields.add(name)
  }
  return fields
}

/** The fields that a grant shows in some record: in this one, where the grant is what applies to one record. */
export function sightOf(grant: Grant | undefined): Sight {
  if (!grant) return new Set()
  return grant.shares ? fieldsOf(grant.shares) : 'all'
}

export function shows(sight: Sight, field: string): boolean {
  return sight === 'all' || sight.has(field) || ALWAYS.has(field)
}

/** Which records show the field, or are there at all; undefined: all of them. An absent grant shows none. */
export function rowsOf(grant: Grant | undefined, field?: string): Filter | undefined {
  if (!grant) return NOTHING
  if (!grant.shares) return undefined
  const shares = grant.shares.filter(({ fields }) => !fields || field === undefined || shows(fields, field))
  const rows = shares.map((share) => share.rows)
  if (rows.length === 0) return NOTHING
  return rows.includes(undefined) ? undefined : anyOf(rows as Filter[])
}
