/**
 * Writes a large workbook, and reads one with the time and memory it takes:
 *
 *     node scripts/imports/large-workbook.ts write large.xlsx 1040000
 *     node scripts/imports/large-workbook.ts read large.xlsx
 *
 * 1,040,000 rows are about 100 MB. Six of its twelve columns are texts that are shared by no two cells, which is the worst
 * for a reader.
 */
import { createWriteStream } from 'node:fs'
import { tmpdir } from 'node:os'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { columnLetters } from '../../src/imports/formats/column-letters.ts'
import { DEFAULT_LIMITS } from '../../src/imports/formats/reader.ts'
import { readXlsx } from '../../src/imports/formats/xlsx/xlsx.ts'

const TEXTS = ['Contract', 'Tenant', 'Email', 'Address', 'City', 'Notes'] as const
const NUMBERS = ['MonthlyRent', 'Deposit', 'Area', 'Rooms'] as const
const COLUMNS = [...TEXTS, ...NUMBERS, 'StartDate', 'IsActive']
const CHUNK = 128 * 1024

/** Texts joined to parts that are worth compressing. */
async function* inChunks(texts: Iterable<string>): AsyncGenerator<Buffer> {
  let text = ''
  for (const part of texts) {
    text += part
    if (text.length < CHUNK) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(text)
}

/** The same for the same row every time: a sequence without a pattern that compresses away. */
const noise = (row: number, column: number) =>
  (Math.imul(row * 31 + column, 2_654_435_761) >>> 0).toString(36)

function* sharedTexts(rows: number): Generator<string> {
  yield '<sst>'
  for (const name of COLUMNS) yield `<si><t>${name}</t></si>`
  for (let row = 0; row < rows; row++)
    for (const [i, name] of TEXTS.entries()) yield `<si><t>${name} ${noise(row, i)}</t></si>`
  yield '</sst>'
}

function* sheet(rows: number): Generator<string> {
  const shared = (place: string, index: number) => `<c r="${place}" t="s"><v>${index}</v></c>`
  const letters = COLUMNS.map((_, i) => columnLetters(i + 1))
  yield `<worksheet><sheetData><row r="1">${letters.map((letter, i) => shared(`${letter}1`, i)).join('')}</row>`
  for (let row = 0; row < rows; row++) {
    const place = (column: number) => `${letters[column]}${row + 2}`
    const texts = TEXTS.map((_, i) => shared(place(i), COLUMNS.length + row * TEXTS.length + i))
    const numbers = NUMBERS.map((_, i) => `<c r="${place(6 + i)}"><v>${(row % 9973) + i / 4}</v></c>`)
    const day = `<c r="${place(10)}" s="1"><v>${40_000 + (row % 9000)}</v></c>`
    yield `<row r="${row + 2}">${texts.join('')}${numbers.join('')}${day}<c r="${place(11)}" t="b"><v>${row % 2}</v></c></row>`
  }
  yield '</sheetData></worksheet>'
}

const relationships = (...all: readonly (readonly [string, string])[]) =>
  `<Relationships>${all.map(([type, target], i) => `<Relationship Id="r${i + 1}" Type="x/${type}" Target="${target}"/>`).join('')}</Relationships>`

async function write(path: string, rows: number): Promise<void> {
  const zip = new ZipFile()
  const parts: Readonly<Record<string, string>> = {
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': relationships(['officeDocument', 'xl/workbook.xml']),
    'xl/_rels/workbook.xml.rels': relationships(
      ['worksheet', 'sheet.xml'],
      ['sharedStrings', 'texts.xml'],
      ['styles', 'styles.xml'],
    ),
    'xl/workbook.xml': '<workbook><sheets><sheet name="Large" id="r1"/></sheets></workbook>',
    'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
  }
  for (const [name, part] of Object.entries(parts)) zip.addBuffer(Buffer.from(part), name)
  zip.addReadStream(Readable.from(inChunks(sharedTexts(rows))), 'xl/texts.xml')
  zip.addReadStream(Readable.from(inChunks(sheet(rows))), 'xl/sheet.xml')
  zip.end()
  await pipeline(zip.outputStream, createWriteStream(path))
}

async function read(path: string): Promise<void> {
  const begun = performance.now()
  let rows = 0
  const source = { path, folder: tmpdir(), bytes: Readable.from([]) }
  for await (const item of readXlsx(source, {}, { ...DEFAULT_LIMITS, bytes: Infinity }))
    if (item.is === 'row') rows++
  const seconds = (performance.now() - begun) / 1000
  const peak = Math.round(process.resourceUsage().maxRSS / 1024)
  console.log(
    `${rows} rows in ${seconds.toFixed(1)} s, ${Math.round(rows / seconds)} rows/s, at most ${peak} MB resident`,
  )
}

const [what, path = 'large.xlsx', rows = '1040000'] = process.argv.slice(2)
if (what === 'write') await write(path, Number(rows))
else if (what === 'read') await read(path)
else {
  console.error('usage: node scripts/imports/large-workbook.ts write|read <file> [rows]')
  process.exitCode = 2
}
