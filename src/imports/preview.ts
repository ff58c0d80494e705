/** The first rows of a file beside what they would become, and what its columns are by all of their cells. */
import type { Fields, Json } from '../domain/json.ts'
import { Conflict } from '../domain/errors.ts'
import type { Import } from './import.ts'
import { rowBodies } from './mapping/row-body.ts'
import { textOf } from './mapping/values.ts'
import { openStaged } from './staging/staged-rows.ts'
import type { ImportWork } from './work.ts'

export async function preview(work: ImportWork, whole: Import, count: number): Promise<Fields> {
  const { read, mapping } = whole
  if (whole.kind === 'undo')
    throw new Conflict(`${whole.key} is an undo and has no file; its rows say what it does.`)
  if (!read) throw new Conflict(`${whole.key} has not been read yet; ask again when it is.`)
  const definition = work.definitions.get(whole.object)!
  const staged = await openStaged(work.files, whole.company, read)
  const rows = staged.chunks > 0 ? (await staged.chunk(0)).slice(0, count) : []
  const bodyOf = mapping && rowBodies(definition, mapping, read.Columns)
  return {
    Columns: read.Columns.map((Column, place): Fields => {
      const found = staged.findings[place]
      return {
        Column,
        Filled: found?.filled ?? 0,
        Empty: found?.empty ?? 0,
        Numbers: found?.numbers ?? 0,
        Dates: found?.dates ?? 0,
        DecimalSign: (found?.decimalSign ?? null) as Json,
        DateFormat: (found?.dateFormat ?? null) as Json,
      }
    }),
    Rows: rows.map(({ number, cells }): Fields => {
      const made = bodyOf?.(cells)
      return {
        Row: number,
        Cells: Object.fromEntries(
          read.Columns.map((column, place) => [column, textOf(cells[place] ?? null)]),
        ),
        Record: made ? { ...made.body, ...lookedUp(made.lookups) } : null,
        Errors: (made?.faults ?? []) as unknown as Json,
      }
    }),
    Mapping: (mapping ?? null) as unknown as Json,
    Questions: whole.questions as unknown as Json,
    Notices: read.Notices as unknown as Json,
  }
}

/** What is looked up only once rows are checked. */
const lookedUp = (
  lookups: readonly { readonly field: { readonly name: string }; readonly text: string }[],
): Fields => Object.fromEntries(lookups.map(({ field, text }) => [field.name, text]))
