/** Which columns show the names of which records: what has to be read for a lookup, and what a rename has to reach. */
import type { Catalogue } from './catalogue.ts'

/** The field that stands for an object's records where others look them up, and its column. */
export function displayColumns({ tables }: Catalogue) {
  const displays = new Map<string, { readonly field: string; readonly column: string }>()
  for (const { target } of tables.flatMap(({ columns }) => columns)) {
    if (!target) continue
    const columns = tables.find(({ object }) => object === target.object)?.columns ?? []
    const column = columns.find(
      ({ field, part, current }) => field === target.display && part === 'value' && current,
    )
    if (column) displays.set(target.object, { field: target.display, column: column.name })
  }
  return displays
}

export interface Showing {
  readonly by: string
  readonly lookup: string
  readonly nameColumn: string
}

/** For each object the columns that show the names of its records. */
export function showing({ tables }: Catalogue): ReadonlyMap<string, readonly Showing[]> {
  const all = tables.flatMap(({ object: by, columns }) =>
    columns.flatMap(({ field, part, target, current, name: nameColumn }) => {
      if (part !== 'name' || !target || !current) return []
      const lookup = columns.find(
        (column) => column.field === field && column.part === 'value' && column.current,
      )
      return lookup ? [{ by, lookup: lookup.name, nameColumn, target: target.object }] : []
    }),
  )
  return Map.groupBy(all, ({ target }) => target)
}
