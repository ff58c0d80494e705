/** The columns of files that go out to be corrected and come back: which row it was, and what was wrong. */
import { restored } from '../../domain/csv-text.ts'
import type { ReaderItem } from './reader.ts'

/** The number of the row in the file that it came from. */
export const ROW_COLUMN = 'Daybook-Row'
/** What was wrong with it; ignored when it comes back. */
export const ERROR_COLUMN = 'Daybook-Error'

/** The items of a CSV; where it is one of ours, with the apostrophes taken away that were put before formulas. */
export async function* withoutApostrophes(
  items: AsyncIterable<ReaderItem>,
): AsyncGenerator<ReaderItem, void> {
  let ours = false
  for await (const item of items) {
    if (item.is === 'columns') ours = item.columns.includes(ROW_COLUMN)
    yield ours && item.is === 'row'
      ? {
          is: 'row',
          row: {
            ...item.row,
            cells: item.row.cells.map((cell) => (typeof cell === 'string' ? restored(cell) : cell)),
          },
        }
      : item
  }
}
