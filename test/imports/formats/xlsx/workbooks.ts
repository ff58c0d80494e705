/** Workbooks for tests, put together part by part as programs write them, or as somebody hostile does. */
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'

export const CONTENT_TYPES = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'

export interface TestWorkbook {
  /** The inside of `sheetData`. */
  readonly rows?: string
  /** What comes after it. */
  readonly after?: string
  readonly sheet?: string
  readonly strings?: string
  readonly styles?: string
  readonly workbook?: string
  readonly parts?: Readonly<Record<string, string | Buffer>>
}

const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

const relationships = (...all: readonly (readonly [string, string])[]) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all
    .map(([type, target], i) => `<Relationship Id="rId${i + 1}" Type="${TYPES}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`

export const partsOf = (workbook: TestWorkbook): Readonly<Record<string, string | Buffer>> => ({
  '[Content_Types].xml': CONTENT_TYPES,
  '_rels/.rels': relationships(['officeDocument', 'xl/workbook.xml']),
  'xl/_rels/workbook.xml.rels': relationships(
    ['worksheet', 'worksheets/sheet1.xml'],
    ['sharedStrings', 'sharedStrings.xml'],
    ['styles', 'styles.xml'],
    ['worksheet', 'worksheets/sheet2.xml'],
  ),
  'xl/workbook.xml': `<workbook xmlns:r="r">${workbook.workbook ?? '<sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets>'}</workbook>`,
  'xl/worksheets/sheet1.xml':
    workbook.sheet ??
    `<worksheet><sheetData>${workbook.rows ?? ''}</sheetData>${workbook.after ?? ''}</worksheet>`,
  'xl/sharedStrings.xml': `<sst>${workbook.strings ?? ''}</sst>`,
  'xl/styles.xml': `<styleSheet>${workbook.styles ?? ''}</styleSheet>`,
  ...workbook.parts,
})

/** The archive of the parts. */
export function zipped(parts: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, part] of Object.entries(parts)) zip.addBuffer(Buffer.from(part), name)
  zip.end()
  return buffer(zip.outputStream)
}

export const workbookOf = (workbook: TestWorkbook): Promise<Buffer> => zipped(partsOf(workbook))

/** Cells of one row as inline texts. */
export const textRow = (number: number, ...texts: readonly string[]): string =>
  `<row r="${number}">${texts.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`
