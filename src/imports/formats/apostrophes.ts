/** Cells of CSV without the apostrophe that was put before them so that no spreadsheet calculates them (`domain/csv-text.ts`). */
import { restored } from '../../domain/csv-text.ts'
import type { Notice, SourceRow } from './reader.ts'

export interface WithoutApostrophes {
  readonly rows: AsyncIterable<SourceRow>
  /** What is to be said of the rows that have passed by. */
  notices(): Notice[]
}

export function withoutApostrophes(rows: AsyncIterable<SourceRow>): WithoutApostrophes {
  let count = 0
  const restoredCell = (cell: SourceRow['cells'][number]) => {
    if (typeof cell !== 'string') return cell
    const text = restored(cell)
    if (text !== cell) count++
    return text
  }
  async function* passing() {
    for await (const row of rows) yield { ...row, cells: row.cells.map(restoredCell) }
  }
  return {
    rows: passing(),
    notices: () => (count === 0 ? [] : [noticeOf(count)]),
  }
}

const noticeOf = (count: number): Notice => ({
  code: 'apostrophes',
  message: `${count} ${count === 1 ? 'cell begins' : 'cells begin'} with an apostrophe before =, +, -, @ or a blank: it is taken for a protection against formulas and left out.`,
})
