/**
 * Files made to harm: each is refused with a reason or read within its bounds, quickly, and without memory growing by what
 * it claims to be.
 */
import { expect } from 'chai'
import { readXlsx } from '../../../../src/imports/formats/xlsx/xlsx.ts'
import { sniffed } from '../../../../src/imports/formats/sniff.ts'
import { DEFAULT_LIMITS, FileRefused, type ReadLimits } from '../../../../src/imports/formats/reader.ts'
import { readAll } from '../reading.ts'
import { partsOf, textRow, workbookOf, zipped, type TestWorkbook } from './workbooks.ts'

const MB = 1024 * 1024
const A1 = textRow(1, 'A')

/** `ok`, or the code that it is refused by. */
async function outcome(bytes: Buffer, limits: Partial<ReadLimits> = {}): Promise<string> {
  try {
    expect(sniffed(bytes)).to.equal('xlsx')
    await readAll(readXlsx, bytes, { limits: { ...DEFAULT_LIMITS, ...limits } })
    return 'ok'
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error
    expect(error.message).to.match(/^[A-Z][^\n]{10,}$/)
    return error.code
  }
}

const zeros = (length: number) => Buffer.alloc(length, '0')
const nested = (depth: number) => '<x>'.repeat(depth) + '</x>'.repeat(depth)
const cell = (inside: string) => `${A1}<row r="2">${inside}</row>`
const part = (name: string, bytes: string | Buffer) => zipped({ ...partsOf({ rows: A1 }), [name]: bytes })
const without = (name: string) => {
  const { [name]: _, ...rest } = partsOf({ rows: A1 }) as Record<string, string>
  return zipped(rest)
}
/** The bytes with one text replaced by another of the same length, everywhere. */
const patched = (bytes: Buffer, from: Buffer, to: Buffer) => {
  const copy = Buffer.from(bytes)
  for (let at = copy.indexOf(from); at >= 0; at = copy.indexOf(from, at + 1)) to.copy(copy, at)
  return copy
}
/** Sets the bytes at an offset of every header that begins with the signature. */
const inHeaders = (bytes: Buffer, signature: string, offset: number, value: string) => {
  const copy = Buffer.from(bytes)
  const begin = Buffer.from(signature, 'hex')
  for (let at = copy.indexOf(begin); at >= 0; at = copy.indexOf(begin, at + 1))
    Buffer.from(value, 'hex').copy(copy, at + offset)
  return copy
}
const CENTRAL = '504b0102'

const HOSTILE: readonly (readonly [string, string, () => Promise<Buffer>, Partial<ReadLimits>?])[] = [
  [
    'a sheet of zeros that becomes a thousand times as large',
    'damaged',
    () => part('xl/worksheets/sheet1.xml', zeros(100 * MB)),
  ],
  [
    'a sheet of empty elements that does',
    'inflates-too-far',
    () => part('xl/worksheets/sheet1.xml', `<worksheet>${'<a/>'.repeat(10 * MB)}</worksheet>`),
  ],
  [
    'a text of 100 MB',
    'cell-too-long',
    () =>
      part(
        'xl/worksheets/sheet1.xml',
        `<worksheet><sheetData><row><c t="str"><v>${'x'.repeat(10 * MB)}</v></c></row></sheetData></worksheet>`,
      ),
  ],
  [
    'a shared text of 10 MB',
    'cell-too-long',
    () => workbookOf({ strings: `<si><t>${'x'.repeat(10 * MB)}</t></si>` }),
  ],
  [
    'a tag that never ends',
    'cell-too-long',
    () => part('xl/worksheets/sheet1.xml', `<worksheet ${'a'.repeat(10 * MB)}`),
  ],
  [
    'a comment that never ends',
    'cell-too-long',
    () => part('xl/worksheets/sheet1.xml', `<worksheet><!-- ${'a'.repeat(10 * MB)}`),
  ],
  [
    'parts that are too large together',
    'inflates-too-far',
    () => workbookOf({ rows: A1 }),
    { inflated: 500 },
  ],
  ['XML 50,000 deep', 'too-deep', () => part('xl/worksheets/sheet1.xml', nested(50_000))],
  ['styles 50,000 deep', 'too-deep', () => part('xl/styles.xml', nested(50_000))],
  [
    'an external entity',
    'doctype',
    () =>
      part(
        'xl/worksheets/sheet1.xml',
        '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><worksheet>&e;</worksheet>',
      ),
  ],
  [
    'a billion laughs',
    'doctype',
    () => part('xl/sharedStrings.xml', '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><sst>&b;</sst>'),
  ],
  [
    'an entity that is not known',
    'damaged',
    () => part('xl/worksheets/sheet1.xml', '<worksheet>&e;</worksheet>'),
  ],
  [
    'XML that is not well-formed',
    'damaged',
    () => part('xl/worksheets/sheet1.xml', '<worksheet><row></worksheet>'),
  ],
  [
    'XML that ends too early',
    'damaged',
    () => part('xl/worksheets/sheet1.xml', `<worksheet><sheetData>${A1}`),
  ],
  [
    'one cell in the last corner',
    'too-many-columns',
    () => workbookOf({ rows: `${A1}<row r="50"><c r="XFD50"><v>1</v></c></row>` }),
  ],
  [
    'one cell in the last row',
    'ok',
    () => workbookOf({ rows: `${A1}<row r="1048576"><c r="A1048576"><v>1</v></c></row>` }),
  ],
  [
    'a million empty rows',
    'ok',
    () =>
      workbookOf({ rows: A1 + Array.from({ length: 100_000 }, (_, i) => `<row r="${i + 2}"/>`).join('') }),
  ],
  ['a cell beyond XFD', 'damaged', () => workbookOf({ rows: cell('<c r="XFE2"><v>1</v></c>') })],
  ['a cell at no place', 'damaged', () => workbookOf({ rows: cell('<c r="ZZZZZZZZ2"><v>1</v></c>') })],
  ['a row beyond the last', 'damaged', () => workbookOf({ rows: `${A1}<row r="1048577"/>` })],
  ['a row of a number that is not one', 'damaged', () => workbookOf({ rows: `${A1}<row r="1e3x"/>` })],
  ['rows that go backwards', 'damaged', () => workbookOf({ rows: `${textRow(5, 'A')}${textRow(2, 'x')}` })],
  [
    'cells that go backwards',
    'damaged',
    () => workbookOf({ rows: cell('<c r="C2"><v>1</v></c><c r="A2"><v>1</v></c>') }),
  ],
  [
    '65,535 columns',
    'damaged',
    () => workbookOf({ rows: `<row>${'<c><v>1</v></c>'.repeat(500)}<c r="CRXO1"><v>1</v></c></row>` }),
  ],
  [
    'more columns than are taken',
    'too-many-columns',
    () => workbookOf({ rows: `<row>${'<c><v>1</v></c>'.repeat(501)}</row>` }),
  ],
  [
    'more rows than are taken',
    'too-many-rows',
    () => workbookOf({ rows: A1 + textRow(2, 'x') + textRow(3, 'y') }),
    { rows: 1 },
  ],
  [
    'a shared text of a negative number',
    'ok',
    () => workbookOf({ rows: cell('<c t="s"><v>-1</v></c><c t="s"><v>1e99</v></c><c t="s"><v>NaN</v></c>') }),
  ],
  ['a style of a huge number', 'ok', () => workbookOf({ rows: cell('<c s="4294967296"><v>1</v></c>') })],
  [
    'more files than are taken',
    'damaged',
    () =>
      zipped({ ...partsOf({}), ...Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`x${i}`, ''])) }),
    { entries: 20 },
  ],
  [
    'a wrong checksum',
    'damaged',
    async () => inHeaders(await workbookOf({ rows: A1 }), CENTRAL, 16, 'deadbeef'),
  ],
  [
    'a part that is protected',
    'encrypted',
    async () => inHeaders(await workbookOf({ rows: A1 }), CENTRAL, 8, '0100'),
  ],
  [
    'an unknown compression',
    'damaged',
    async () => inHeaders(await workbookOf({ rows: A1 }), CENTRAL, 10, '6300'),
  ],
  [
    'the same part twice',
    'damaged',
    async () =>
      patched(await part('xl/styleX.xml', ''), Buffer.from('xl/styleX.xml'), Buffer.from('xl/styles.xml')),
  ],
  [
    'names that lead outside',
    'damaged',
    async () =>
      patched(await part('aa/evil.xml', ''), Buffer.from('aa/evil.xml'), Buffer.from('../evil.xml')),
  ],
  [
    'a sheet outside the archive',
    'unknown-sheet',
    () =>
      part(
        'xl/_rels/workbook.xml.rels',
        '<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="http://127.0.0.1/x.xml" TargetMode="External"/></Relationships>',
      ),
  ],
  ['a sheet that is not there', 'damaged', () => without('xl/worksheets/sheet1.xml')],
  ['no workbook', 'other-format', () => without('xl/workbook.xml')],
  [
    'a chart for a sheet',
    'unknown-sheet',
    () =>
      part(
        'xl/_rels/workbook.xml.rels',
        '<Relationships><Relationship Id="rId1" Type="x/chartsheet" Target="worksheets/sheet1.xml"/></Relationships>',
      ),
  ],
  [
    'bytes that are not text',
    'not-text',
    () => part('xl/worksheets/sheet1.xml', Buffer.from('<worksheet>\0</worksheet>')),
  ],
]

describe('a workbook made to harm', () => {
  for (const [name, expected, make, limits] of HOSTILE)
    it(`with ${name}: ${expected}`, async () => {
      const bytes = await make()
      const before = process.memoryUsage().rss
      expect(await outcome(bytes, limits)).to.equal(expected)
      expect(process.memoryUsage().rss - before).to.be.below(250 * MB)
    })

  it('cut off anywhere is refused as damaged', async () => {
    const many: TestWorkbook = {
      rows: Array.from({ length: 500 }, (_, i) => textRow(i + 1, `r${Math.sin(i)}`)).join(''),
    }
    const bytes = await workbookOf(many)
    for (let end = 4; end < bytes.length; end += 509)
      expect(await outcome(bytes.subarray(0, end)), `${end}`).to.equal('damaged')
  })

  it('changed in any byte is read or refused', async () => {
    const bytes = await workbookOf({ rows: A1 + textRow(2, 'x') })
    for (let at = 4; at < bytes.length; at += 3) {
      const changed = Buffer.from(bytes)
      changed[at]! ^= 0xff
      expect(await outcome(changed)).to.be.a('string')
    }
  })
})
