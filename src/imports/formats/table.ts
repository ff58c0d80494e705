/**
 * Rows of a file as a table: which is the header, what its columns are called, which rows are passed over, where it ends.
 * CSV and workbooks share it; cells pass through as they are.
 */
import { columnLetters } from './column-letters.ts'
import {
  FileRefused,
  type ReaderItem,
  type ReadLimits,
  type ReadOptions,
  type SourceCell,
  type SourceRow,
} from './reader.ts'

export interface TableRules {
  /** Whether a cell beyond the header makes a column of its own; otherwise its row is wrong. */
  readonly grows: boolean
}

/** Rows before a header that is looked for. */
export const MOST_BEFORE_HEADER = 100

/** The rows under the header. Throws `FileRefused`: `no-header`, `unknown-column`, and those of the limits. */
export async function* tableOf(
  rows: AsyncIterable<SourceRow>,
  options: ReadOptions,
  limits: ReadLimits,
  { grows }: TableRules,
): AsyncGenerator<ReaderItem, void> {
  let header: Header | undefined
  let lastFilled = 0
  let count = 0
  let before = 0
  for await (const row of rows) {
    checkCells(row, limits)
    if (isEmpty(row)) continue
    if (!header) {
      if (options.headerRow !== undefined && row.number < options.headerRow) continue
      const texts = row.cells.map((cell) => oneLine(shownText(cell)))
      if (options.headerSearch?.isHeader(texts) === false) {
        options.headerSearch.passed(texts)
        if (++before === MOST_BEFORE_HEADER) break
        continue
      }
      header = headerOf(row, options)
      lastFilled = row.number
      yield* header.items()
      if (options.headerRow !== 0) continue
    }
    if (row.number <= header.row + (options.skipAfterHeader ?? 0)) continue
    if (options.stopAtEmptyRows && row.number - lastFilled > options.stopAtEmptyRows) {
      yield endedAtEmptyRows(lastFilled)
      break
    }
    lastFilled = row.number
    if (header.isSkipped(row)) continue
    if (++count > limits.rows) throw tooManyRows(limits.rows)
    if (grows && row.cells.length > header.columns.length && header.grow(row)) yield* header.items()
    yield { is: 'row', row: header.fitted(row) }
  }
  if (!header && (options.headerRow ?? 0) > 0) throw noHeader(options.headerRow!)
  if (count === 0)
    yield { is: 'notice', notice: { code: 'nothing-in-it', message: 'There are no rows in the file.' } }
}

interface Header {
  readonly row: number
  readonly columns: readonly string[]
  /** What is to be said of it since the last time. */
  items(): ReaderItem[]
  isSkipped(row: SourceRow): boolean
  /** Makes columns for cells beyond the last; false when they are empty. */
  grow(row: SourceRow): boolean
  fitted(row: SourceRow): SourceRow
}

function headerOf(first: SourceRow, { headerRow, skipRowsWhere }: ReadOptions): Header {
  if (headerRow !== undefined && headerRow > 0 && first.number !== headerRow) throw noHeader(headerRow)
  const row = headerRow === 0 ? 0 : first.number
  const columns: string[] = []
  const used = new Set<string>()
  let notices: ReaderItem[] = []
  const add = (text: string) => {
    const place = columns.length
    const wanted = text === '' ? `Column ${columnLetters(place + 1)}` : text
    let name = wanted
    for (let n = 2; used.has(name); n++) name = `${wanted} (${n})`
    if (text === '' && headerRow !== 0) notices.push(named(name, row))
    else if (name !== wanted) notices.push(repeated(wanted, name, row))
    used.add(name)
    columns.push(name)
  }
  const texts = first.cells.map((cell) => (headerRow === 0 ? '' : oneLine(shownText(cell))))
  while (headerRow !== 0 && texts.at(-1) === '') texts.pop()
  texts.forEach(add)
  const skipped = skipRowsWhere && columns.indexOf(skipRowsWhere.column)
  if (skipped === -1)
    throw new FileRefused(
      'unknown-column',
      `SkipRowsWhere names the column ${JSON.stringify(skipRowsWhere!.column)}, which the header in row ${row} does not have.`,
    )
  const skippedTexts = new Set(skipRowsWhere?.equals.map((text) => text.trim()))
  return {
    row,
    columns,
    items() {
      const items: ReaderItem[] = [{ is: 'columns', columns: [...columns], row }, ...notices]
      notices = []
      return items
    },
    isSkipped: ({ cells }) =>
      skipped !== undefined && skippedTexts.has(shownText(cells[skipped] ?? null).trim()),
    grow({ cells }) {
      if (!cells.slice(columns.length).some(isFilled)) return false
      while (columns.length < cells.length) add('')
      return true
    },
    fitted(one) {
      if (one.cells.length <= columns.length) return one
      const cells = one.cells.slice(0, columns.length)
      if (!one.cells.slice(columns.length).some(isFilled)) return { ...one, cells }
      return {
        ...one,
        cells,
        wrong: `has ${one.cells.length} cells where the header has ${columns.length} columns: a cell that contains the delimiter must be quoted`,
      }
    },
  }
}

/** The text of a cell as a person sees it. */
export const shownText = (cell: SourceCell): string =>
  cell === null ? '' : typeof cell === 'string' ? cell : (cell.shown ?? cell.text)

const isFilled = (cell: SourceCell): boolean => cell !== null && (typeof cell !== 'string' || /\S/.test(cell))

const isEmpty = ({ cells, wrong }: SourceRow): boolean => wrong === undefined && !cells.some(isFilled)

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

function checkCells({ number, cells }: SourceRow, { columns, cellCharacters }: ReadLimits): void {
  if (cells.length > columns)
    throw new FileRefused(
      'too-many-columns',
      `Row ${number} has more than ${columns} columns: leave out those that are not needed.`,
    )
  for (const cell of cells)
    if (cell !== null && (typeof cell === 'string' ? cell : cell.text).length > cellCharacters)
      throw new FileRefused(
        'cell-too-long',
        `Row ${number} has a cell of more than ${cellCharacters} characters; a quote that is never closed makes such cells too.`,
      )
}

const tooManyRows = (most: number) =>
  new FileRefused('too-many-rows', `The file has more than ${most} rows: import it in parts.`)

const noHeader = (row: number) =>
  new FileRefused('no-header', `Row ${row} is empty or not there: HeaderRow must be the row of the header.`)

const named = (name: string, row: number): ReaderItem => ({
  is: 'notice',
  notice: { code: 'column-named', message: `A column without a header is called "${name}".`, row },
})

const repeated = (wanted: string, name: string, row: number): ReaderItem => ({
  is: 'notice',
  notice: { code: 'column-repeated', message: `A second column "${wanted}" is called "${name}".`, row },
})

const endedAtEmptyRows = (row: number): ReaderItem => ({
  is: 'notice',
  notice: {
    code: 'ended-at-empty-rows',
    message: `The table ends at row ${row}: what comes after many empty rows is not read.`,
    row,
  },
})
