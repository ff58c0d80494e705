/**
 * The rows of a sheet, while its XML comes in. A row is as long as its last cell with something in it, and only rows
 * with cells are there: what a sheet claims of its size is not believed, and emptiness costs nothing.
 */
import { columnOf } from '../column-letters.ts'
import { FileRefused, type ReadLimits, type SourceCell, type SourceRow } from '../reader.ts'
import { xmlParser, type Attributes, type XmlHandlers } from '../xml.ts'
import { sourceCell, type CellContext } from './cells.ts'
import { plainText } from './plain-text.ts'

/** What a sheet can have at most (ECMA-376). */
const LAST_ROW = 1_048_576
const LAST_COLUMN = 16_384

export interface SheetFacts {
  hiddenRows: number
  mergedCells: number
  formulas: number
}

/** Throws `FileRefused`: `damaged`, `too-many-columns`, `cell-too-long`. `facts` is complete when it ends. */
export async function* sheetRows(
  text: AsyncIterable<string>,
  context: CellContext & { readonly limits: ReadLimits },
  facts: SheetFacts,
): AsyncGenerator<SourceRow, void> {
  const rows: SourceRow[] = []
  const parser = xmlParser(
    'The sheet',
    sheetHandlers(context, facts, (row) => rows.push(row)),
  )
  for await (const part of text) {
    parser.take(part)
    yield* rows
    rows.length = 0
  }
  parser.end()
}

function sheetHandlers(
  context: CellContext & { readonly limits: ReadLimits },
  facts: SheetFacts,
  emit: (row: SourceRow) => void,
): XmlHandlers {
  const place = placeKeeper()
  const inline = plainText(context.limits.cellCharacters)
  let cells: SourceCell[] = []
  let cell = { type: 'n', style: 0, hasFormula: false }
  let value: string | undefined
  let inlineText: string | undefined
  let within: 'sheet' | 'value' | 'inline' | 'extension' = 'sheet'

  const endCell = () => {
    const found = sourceCell({ ...cell, value, inline: inlineText }, context)
    if (found === null) return
    const column = place.column()
    if (column > context.limits.columns) throw tooManyColumns(place.row(), context.limits.columns)
    while (cells.length < column - 1) cells.push(null)
    cells[column - 1] = found
  }
  return {
    open(element, attributes) {
      if (within === 'extension') return
      if (within === 'inline') return inline.open(element)
      if (element === 'row') {
        place.beginRow(attributes)
        cells = []
        if (/^(?:1|true)$/.test(attributes['hidden'] ?? '')) facts.hiddenRows++
      } else if (element === 'c') {
        place.beginCell(attributes)
        cell = { type: attributes['t'] || 'n', style: Number(attributes['s'] || 0), hasFormula: false }
        value = inlineText = undefined
      } else if (element === 'v') {
        within = 'value'
        value = ''
      } else if (element === 'is') {
        within = 'inline'
        inline.begin()
      } else if (element === 'f') {
        cell.hasFormula = true
        facts.formulas++
      } else if (element === 'mergeCell') facts.mergedCells++
      else if (element === 'extLst') within = 'extension'
    },
    text(part) {
      if (within === 'inline') inline.text(part)
      else if (within === 'value') value += part
    },
    close(element) {
      if (within === 'extension') {
        if (element === 'extLst') within = 'sheet'
      } else if (element === 'v' || element === 'is') {
        if (within === 'inline') inlineText = inline.end()
        within = 'sheet'
      } else if (within === 'inline') inline.close(element)
      else if (element === 'c') endCell()
      else if (element === 'row' && cells.length > 0) emit({ number: place.row(), cells })
    },
  }
}

/** Where a row and a cell are, which they say themselves or leave to be counted. */
function placeKeeper() {
  let row = 0
  let column = 0
  return {
    row: () => row,
    column: () => column,
    beginRow({ r }: Attributes) {
      const number = r === undefined ? row + 1 : Number(r)
      if (!Number.isInteger(number) || number <= row || number > LAST_ROW)
        throw new FileRefused(
          'damaged',
          `After row ${row} the sheet has a row numbered ${JSON.stringify(r)}.`,
        )
      row = number
      column = 0
    },
    beginCell({ r }: Attributes) {
      const match = r === undefined ? undefined : /^\$?([A-Za-z]{1,4})\$?(\d{1,7})?$/.exec(r)
      const number = match ? columnOf(match[1]!) : column + 1
      if ((r !== undefined && !match) || number <= column || number > LAST_COLUMN)
        throw new FileRefused(
          'damaged',
          `Row ${row} of the sheet has a cell at ${JSON.stringify(r ?? 'no place')}.`,
        )
      column = number
    },
  }
}

const tooManyColumns = (row: number, most: number) =>
  new FileRefused(
    'too-many-columns',
    `Row ${row} has a cell beyond column ${most}: leave out columns that are not needed.`,
  )
