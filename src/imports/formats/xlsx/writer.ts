/**
 * Workbooks of a sheet, or of two, written as a stream: files of rows to correct, and templates. Text is text in the cell itself,
 * which no program calculates; a typed cell keeps its type, so that what is read back is what was written.
 */
import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import { columnLetters } from '../column-letters.ts'
import type { SourceCell } from '../reader.ts'
import { writtenCell, xmlText } from './written-cells.ts'
import { STYLES_PART, TEXT_STYLE, HEADER_STYLE } from './written-styles.ts'

export interface WrittenColumn {
  readonly name: string
  /** Whether empty cells of the column are text: then what is typed into them stays as it is typed, zeros and all. */
  readonly text?: boolean
  /** What may be chosen; a list in the sheet where it is short enough. */
  readonly choices?: readonly string[]
  /** What is shown when a cell of the column is selected. */
  readonly hint?: string
}

export interface WrittenSheet {
  readonly name: string
  readonly columns: readonly WrittenColumn[]
  readonly rows: AsyncIterable<readonly SourceCell[]> | Iterable<readonly SourceCell[]>
  /** A sheet of texts beside it. */
  readonly second?: SecondSheet
}

export interface SecondSheet {
  readonly name: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly SourceCell[])[]
}

/** The bytes of the workbook, as its rows come; fails as they do. */
export async function* writtenXlsx(sheet: WrittenSheet): AsyncGenerator<Uint8Array, void> {
  const zip = new ZipFile()
  const { second } = sheet
  const names = [sheet.name, ...(second ? [second.name] : [])]
  for (const [name, text] of parts(names)) zip.addBuffer(Buffer.from(text), name)
  const rows = Readable.from(inChunks(sheetXml(sheet)))
  const output = zip.outputStream as Readable
  // yazl waits for ever for an entry that fails.
  rows.once('error', (error) => output.destroy(error))
  zip.addReadStream(rows, 'xl/worksheets/sheet1.xml')
  if (second) {
    const columns = second.columns.map((name) => ({ name, text: true }))
    const texts = Readable.from(inChunks(sheetXml({ ...second, columns })))
    zip.addReadStream(texts, 'xl/worksheets/sheet2.xml')
  }
  zip.end()
  try {
    for await (const chunk of output) yield chunk as Uint8Array
  } finally {
    rows.destroy()
  }
}

const CHUNK = 64 * 1024

async function* inChunks(texts: AsyncIterable<string>): AsyncGenerator<Buffer, void> {
  let text = ''
  for await (const part of texts) {
    text += part
    if (text.length < CHUNK) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(text)
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

function parts(names: readonly string[]): readonly (readonly [string, string])[] {
  const type = (part: string, kind: string) =>
    `<Override PartName="/xl/${part}.xml" ContentType="${TYPES}.${kind}+xml"/>`
  const relationship = (id: number, kind: string, target: string) =>
    `<Relationship Id="rId${id}" Type="${RELATIONSHIPS}/${kind}" Target="${target}"/>`
  const related = (...all: string[]) =>
    `${XML}<Relationships xmlns="${PACKAGE}/relationships">${all.join('')}</Relationships>`
  const sheets = names.map((name, i) => ({ name: xmlText(sheetName(name)), number: i + 1 }))
  return [
    [
      '[Content_Types].xml',
      `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${type('workbook', 'sheet.main')}${sheets.map(({ number }) => type(`worksheets/sheet${number}`, 'worksheet')).join('')}${type('styles', 'styles')}</Types>`,
    ],
    ['_rels/.rels', related(relationship(1, 'officeDocument', 'xl/workbook.xml'))],
    [
      'xl/workbook.xml',
      `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONSHIPS}"><sheets>${sheets.map(({ name, number }) => `<sheet name="${name}" sheetId="${number}" r:id="rId${number}"/>`).join('')}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      related(
        ...sheets.map(({ number }) => relationship(number, 'worksheet', `worksheets/sheet${number}.xml`)),
        relationship(sheets.length + 1, 'styles', 'styles.xml'),
      ),
    ],
    ['xl/styles.xml', XML + STYLES_PART],
  ]
}

/** A name has at most 31 characters, and some have a meaning of their own. */
const sheetName = (name: string): string =>
  name
    .replaceAll(/[[\]:*?/\\']/g, ' ')
    .slice(0, 31)
    .trim() || 'Sheet1'

async function* sheetXml({ columns, rows }: WrittenSheet): AsyncGenerator<string, void> {
  const widths = columns.map(
    ({ name, text }, i) =>
      `<col min="${i + 1}" max="${i + 1}" width="${Math.min(60, Math.max(12, name.length + 4))}" customWidth="1"${text ? ` style="${TEXT_STYLE}"` : ''}/>`,
  )
  yield `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`
  yield widths.length > 0 ? `<cols>${widths.join('')}</cols>` : ''
  yield '<sheetData>'
  yield rowXml(
    1,
    columns.map(({ name }) => name),
    HEADER_STYLE,
  )
  let number = 1
  for await (const cells of rows) yield rowXml(++number, cells)
  yield `</sheetData>${validations(columns)}</worksheet>`
}

function rowXml(number: number, cells: readonly SourceCell[], style?: number): string {
  let xml = `<row r="${number}">`
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i]!
    if (cell !== null) xml += writtenCell(`${columnLetters(i + 1)}${number}`, cell, style)
  }
  return `${xml}</row>`
}

/** A list within a formula has at most so many characters. */
const LONGEST_LIST = 255
const LONGEST_HINT = 255

function validations(columns: readonly WrittenColumn[]): string {
  const all = columns.flatMap(({ name, choices, hint }, i) => {
    const list = choices?.join(',') ?? ''
    const fits = list !== '' && list.length <= LONGEST_LIST && !choices!.some((choice) => /[,"]/.test(choice))
    if (!fits && hint === undefined) return []
    const place = `${columnLetters(i + 1)}2:${columnLetters(i + 1)}1048576`
    const prompt =
      hint === undefined
        ? ''
        : ` showInputMessage="1" promptTitle="${xmlText(name.slice(0, 32))}" prompt="${xmlText(hint.slice(0, LONGEST_HINT))}"`
    const formula = fits ? `<formula1>"${xmlText(list)}"</formula1>` : ''
    return [
      `<dataValidation${fits ? ' type="list"' : ''} allowBlank="1"${prompt} sqref="${place}">${formula}</dataValidation>`,
    ]
  })
  return all.length === 0 ? '' : `<dataValidations count="${all.length}">${all.join('')}</dataValidations>`
}
