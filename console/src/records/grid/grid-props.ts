/** What every part of the grid works on: the object, and the address that says what is shown. */
import { allFields, type ObjectSeen, type Seen } from '../../api/objects.ts'
import type { ListSearch } from '../../api/records.ts'
import type { Search } from '../../app/search.ts'

const USUAL_COLUMNS = 7

export interface GridProps {
  readonly object: ObjectSeen
  readonly seen: Seen
  readonly search: ListSearch & { readonly columns?: string }
  /** Changes the address; the first page is shown again, unless it says otherwise. */
  readonly onSearch: (change: Search) => void
}

/** The names of columns that are shown, in their order. */
export function columnsOf({ object, search }: Pick<GridProps, 'object' | 'search'>): readonly string[] {
  const names = allFields(object).map(({ Name }) => Name)
  const asked = search.columns?.split(',').filter((name) => names.includes(name))
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
