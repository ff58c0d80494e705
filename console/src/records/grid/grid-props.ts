/** What every part of the grid works on: the object, and the address that says what is shown. */
import { allFields, fieldOf, type Field, type ObjectSeen, type Seen } from '../../api/objects.ts'
import type { Json, ListSearch, Record_ } from '../../api/records.ts'
import type { Search } from '../../app/search.ts'

const USUAL_COLUMNS = 7

export interface GridProps {
  readonly object: ObjectSeen
  readonly seen: Seen
  readonly search: ListSearch & { readonly columns?: string }
  /** Changes the address; the first page is shown again, unless it says otherwise. */
  readonly onSearch: (change: Search) => void
}

type Of = Pick<GridProps, 'object' | 'seen'>

/** A column: a field, and the object that has it. */
export interface Column {
  readonly object: ObjectSeen
  readonly field: Field
}

/** `Tenant/Email` is a field of the record that is looked up. Undefined where there is none such. */
export function columnOf({ object, seen }: Of, name: string): Column | undefined {
  const [first = '', of, ...more] = name.split('/')
  const field = fieldOf(object, first)
  if (!field || more.length > 0) return undefined
  if (of === undefined) return { object, field }
  const target = targetOf(seen, field)
  const found = target && fieldOf(target, of)
  return target && found && { object: target, field: found }
}

export function targetOf({ Objects }: Seen, { Type, Target }: Field): ObjectSeen | undefined {
  return Type === 'lookup' ? Objects.find(({ Object }) => Object === Target) : undefined
}

/** What a record has in a column. Of an expanded lookup that is its Key and its name. */
export function valueIn({ object, seen }: Of, record: Record_, name: string): Json | undefined {
  const [first = '', of] = name.split('/')
  const value = record[first]
  const field = fieldOf(object, first)
  const target = field && targetOf(seen, field)
  if (!target || typeof value !== 'object' || value === null) return value
  const found = value as { readonly [name: string]: Json | undefined }
  if (of !== undefined) return found[of]
  return { Id: found['Id'] ?? '', [target.Display]: found[target.Display] ?? null }
}

/** The lookups that are asked for as full records, for the columns that show more of them than a name. */
export function expandOf({ object, seen, search }: Pick<GridProps, 'object' | 'seen' | 'search'>) {
  const ofColumns = columnsOf({ object, seen, search })
    .filter((name) => name.includes('/'))
    .map((name) => name.split('/')[0]!)
  const asked = search.expand?.split(',').filter((name) => name !== '') ?? []
  return [...new Set([...asked, ...ofColumns])].join(',') || undefined
}

/** The names of columns that are shown, in their order. */
export function columnsOf({
  object,
  seen,
  search,
}: Pick<GridProps, 'object' | 'seen' | 'search'>): readonly string[] {
  const names = allFields(object).map(({ Name }) => Name)
  const asked = search.columns?.split(',').filter((name) => columnOf({ object, seen }, name))
  if (asked?.length) return asked
  const status = object.Workflow?.Field
  const first = object.Fields.filter(
    ({ Type, Name }) => Type !== 'longtext' && Type !== 'json' && Name !== status,
  )
  const usual = first
    .slice(0, status === undefined ? USUAL_COLUMNS : USUAL_COLUMNS - 1)
    .map(({ Name }) => Name)
  return [...new Set([object.Display, ...usual, ...(status === undefined ? [] : [status])])].filter((name) =>
    names.includes(name),
  )
}
