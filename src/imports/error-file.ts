/** Files that go out: rows that were refused, to be corrected and sent back, and what became of all rows. */
import type { SourceCell } from './formats/reader.ts'
import type { Import } from './import.ts'
import { columnOf } from './mapping/column-of.ts'
import { ERROR_COLUMN, ROW_COLUMN } from './mapping/propose.ts'
import { textOf } from './mapping/values.ts'
import { nameOfRow } from './run/corrections.ts'
import type { RowResult } from './run/outcomes.ts'
import { CHUNK_ROWS, openStaged, type StagedRow } from './staging/staged-rows.ts'
import type { ImportWork } from './work.ts'

/** What is wrong, in one text. `nameOf`: what a field is called; by its own name, where that is undefined. */
export function faultText(
  { fault, more = 0 }: RowResult,
  nameOf: (field: string) => string | undefined = () => undefined,
): string {
  if (!fault) return ''
  const named = fault.faults.map(({ Field, Message }) =>
    Field === '' ? Message : `${nameOf(Field) ?? Field} ${Message}`,
  )
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join('; ')
}

/** A row with what became of it. */
export interface ShownRow {
  readonly result: RowResult
  readonly cells: readonly SourceCell[]
}

/** Results with the cells of their rows; `places`: of each result among all rows of the file. */
export async function* withCells(
  work: ImportWork,
  whole: Import,
  results: AsyncIterable<{ readonly result: RowResult; readonly place: number | undefined }>,
): AsyncGenerator<ShownRow> {
  // Without it nothing became of any row.
  if (!whole.read) return
  const staged = await openStaged(work.files, whole.company, whole.read)
  let held = -1
  let rows = new Map<number, StagedRow>()
  const hold = async (chunk: number) => {
    held = chunk
    rows = new Map((await staged.chunk(chunk)).map((row) => [row.number, row]))
  }
  for await (const { result, place } of results) {
    const chunk = place === undefined ? Math.max(held, 0) : Math.floor(place / CHUNK_ROWS)
    if (chunk !== held && chunk < staged.chunks) await hold(chunk)
    // Of a report only the row's number is known: rows come in the order of the file.
    while (!rows.has(result.row) && place === undefined && held + 1 < staged.chunks) await hold(held + 1)
    yield { result, cells: rows.get(result.row)?.cells ?? [] }
  }
}

/** A file that goes out, whatever its format. */
export interface OutgoingRows {
  readonly columns: readonly string[]
  readonly rows: AsyncIterable<readonly SourceCell[]>
}

/** Rows to correct: the original cells, which row each is, and what is wrong with it. */
export function errorRows(whole: Import, failed: AsyncIterable<ShownRow>): OutgoingRows {
  const all = whole.read?.Columns ?? []
  const columns = all.filter((column) => ![ROW_COLUMN, ERROR_COLUMN].includes(column.trim()))
  const places = columns.map((column) => all.indexOf(column))
  const named = all.findIndex((column) => column.trim() === ROW_COLUMN)
  const nameOf = (field: string) => whole.mapping && columnOf(whole.mapping, field)
  async function* rows() {
    for await (const { result, cells } of failed) {
      // A correction that is wrong again still corrects the row that it names.
      const original = named < 0 ? '' : textOf(cells[named] ?? null).trim()
      const row = original === '' ? nameOfRow(whole.key, result.row) : original
      yield [...places.map((place) => cells[place] || null), row, faultText(result, nameOf)]
    }
  }
  return { columns: [...columns, ROW_COLUMN, ERROR_COLUMN], rows: rows() }
}

/** All rows: number, outcome, Key, version, and what is wrong. */
export function resultRows(results: AsyncIterable<{ readonly result: RowResult }>): OutgoingRows {
  async function* rows() {
    for await (const { result } of results) {
      const { row, outcome, key, version } = result
      const number = version === undefined ? null : ({ kind: 'number', text: String(version) } as const)
      yield [
        { kind: 'number', text: String(row) } as const,
        outcome,
        key ?? null,
        number,
        faultText(result) || null,
      ]
    }
  }
  return { columns: ['Row', 'Outcome', 'Id', 'Version', 'Error'], rows: rows() }
}
