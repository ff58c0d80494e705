/** Workbooks as programs write them: each cell as the program shows it, or marked as not to be relied on. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { DEFAULT_LIMITS } from '../../../../src/imports/formats/reader.ts'
import { shapeOf } from '../../../../src/imports/formats/xlsx/number-formats.ts'
import { readXlsx } from '../../../../src/imports/formats/xlsx/xlsx.ts'
import { inPieces, readAll, refusalOf, type ReadingOf } from '../reading.ts'
import { textRow, workbookOf, zipped, partsOf, type TestWorkbook } from './workbooks.ts'

const read = async (workbook: TestWorkbook, reading?: ReadingOf) =>
  readAll(readXlsx, await workbookOf(workbook), reading)
/** The cells of a row under a header of three columns. */
const row = async (cells: string, more: TestWorkbook = {}) =>
  (await read({ ...more, rows: `${textRow(1, 'A', 'B', 'C')}<row r="2">${cells}</row>` })).cells[0]

const STYLES = `<numFmts><numFmt numFmtId="164" formatCode="00000"/><numFmt numFmtId="165" formatCode="d\\-mmm &quot;h&quot;"/></numFmts>
  <cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="14"/><xf numFmtId="165"/><xf numFmtId="22"/><xf numFmtId="20"/><xf numFmtId="46"/></cellXfs>`

describe('a workbook', () => {
  it('is rows by the columns of its header, numbered as they are shown', async () => {
    const { columns, rows, facts } = await read({
      rows: `${textRow(2, 'Name', 'City')}<row r="5"><c r="A5" t="s"><v>1</v></c><c r="B5"><v>12.50</v></c></row>`,
      strings:
        '<si><t>x</t></si><si><r><t>Jan</t></r><r><t xml:space="preserve">sen </t></r><rPh><t>no</t></rPh></si>',
    })
    expect(columns).to.deep.equal(['Name', 'City'])
    expect(rows).to.deep.equal([{ number: 5, cells: ['Jansen ', { kind: 'number', text: '12.5' }] }])
    expect(facts).to.deep.equal({ format: 'xlsx', sheet: 'One', sheets: [{ name: 'One', hidden: false }] })
  })

  it('counts places that cells and rows do not say', async () =>
    expect(await row('<c><v>1</v></c><c r="C2"><v>3</v></c>')).to.deep.equal([
      { kind: 'number', text: '1' },
      null,
      { kind: 'number', text: '3' },
    ]))

  it('shows numbers as its program does', async () => {
    const number = async (value: string, style = 0) =>
      (await row(`<c s="${style}"><v>${value}</v></c>`, { styles: STYLES }))![0]
    expect(await number('0.30000000000000004')).to.deep.equal({ kind: 'number', text: '0.3' })
    expect(await number('1E-2')).to.deep.equal({ kind: 'number', text: '0.01' })
    expect(await number('123', 1)).to.deep.equal({ kind: 'number', text: '123', shown: '00123' })
    expect(await number('123456789012345')).to.deep.equal({ kind: 'number', text: '123456789012345' })
    expect(await number('12345678901234567'))
      .to.have.property('wrong')
      .that.contains('15 digits')
    expect(await number('x')).to.have.property('wrong')
  })

  it('has days by its calendar, and none on the day that never was', async () => {
    const day = async (serial: string, style: number, from1904 = false) =>
      (await row(`<c s="${style}"><v>${serial}</v></c>`, {
        styles: STYLES,
        workbook: `<workbookPr${from1904 ? ' date1904="1"' : ''}/><sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets>`,
      }))![0]
    expect(await day('44197', 2)).to.deep.equal({ kind: 'date', text: '2021-01-01' })
    expect(await day('42735', 2, true)).to.deep.equal({ kind: 'date', text: '2021-01-01' })
    expect(await day('44197', 3)).to.deep.equal({ kind: 'date', text: '2021-01-01' })
    expect(await day('1', 2)).to.deep.equal({ kind: 'date', text: '1900-01-01' })
    expect(await day('59', 2)).to.deep.equal({ kind: 'date', text: '1900-02-28' })
    expect(await day('61', 2)).to.deep.equal({ kind: 'date', text: '1900-03-01' })
    expect(await day('60', 2))
      .to.have.property('wrong')
      .that.contains('never was')
    expect(await day('0', 2, true)).to.deep.equal({ kind: 'date', text: '1904-01-01' })
    expect(await day('44197.75', 2)).to.deep.equal({ kind: 'timestamp', text: '2021-01-01T18:00:00' })
    expect(await day('44197', 4)).to.deep.equal({ kind: 'timestamp', text: '2021-01-01T00:00:00' })
    expect(await day('0.5', 5)).to.deep.equal({ kind: 'time', text: '12:00:00' })
    expect(await day('1.5', 6)).to.deep.equal({ kind: 'time', text: '36:00:00' })
    expect(await day('0.999999999', 5)).to.deep.include({ kind: 'timestamp' })
    expect(await day('-1', 2)).to.have.property('wrong')
    expect(await day('2958466', 2)).to.have.property('wrong')
  })

  it('knows by the format whether a number is a day', () => {
    for (const [code, shows] of [
      ['dd/mm/yyyy', 'date'],
      ['mmm', 'date'],
      ['yyyy-mm-dd hh:mm', 'timestamp'],
      ['h:mm AM/PM', 'time'],
      ['[h]:mm:ss', 'elapsed'],
      ['[$-409]d-mmm-yy;@', 'date'],
      ['General', undefined],
      ['0.00', undefined],
      ['"day" 0', undefined],
      ['[Red]0', undefined],
      ['0.00E+00', undefined],
      ['#,##0.00_);[Red](#,##0.00)', undefined],
      ['mm:ss', 'time'],
      ['\\d0', undefined],
    ] as const)
      expect(shapeOf(code).shows, code).to.equal(shows)
  })

  it('says what cannot be relied on', async () => {
    expect((await row('<c t="e"><v>#N/A</v></c>'))![0]).to.deep.equal({
      kind: 'error',
      text: '#N/A',
      wrong: 'is the error #N/A',
    })
    expect((await row('<c><f>A1</f></c>'))![0])
      .to.have.property('wrong')
      .that.contains('formula without a result')
    expect((await row('<c t="str"><f>A1</f><v>done</v></c>'))![0]).to.equal('done')
    expect((await row('<c t="s"><v>7</v></c>'))![0])
      .to.have.property('wrong')
      .that.contains('does not have')
    expect(
      await row('<c t="b"><v>1</v></c><c t="d"><v>2021-01-01T10:10:10.5</v></c><c t="str"><v></v></c>'),
    ).to.deep.equal([
      { kind: 'boolean', text: 'true' },
      { kind: 'timestamp', text: '2021-01-01T10:10:10' },
      '',
    ])
  })

  it('has text as it was typed', async () => {
    const text = async (inside: string) => (await row(`<c t="inlineStr"><is>${inside}</is></c>`))![0]
    expect(await text('<t>a_x000D_b_x005F_x0041_</t>')).to.equal('a\rb_x0041_')
    expect(await text('<t xml:space="preserve"> a </t>')).to.equal(' a ')
    expect(await text('<t><![CDATA[<&>]]>&amp;</t>')).to.equal('<&>&')
    expect(await text('<r><t>a</t></r><rPh><t>x</t></rPh><r><t>b</t></r>')).to.equal('ab')
  })

  it('reads a visible sheet, or the one that is named', async () => {
    const workbook = {
      workbook:
        '<sheets><sheet name="Old" state="hidden" r:id="rId1"/><sheet name="New" r:id="rId4"/></sheets>',
      rows: textRow(1, 'hidden'),
      parts: {
        'xl/worksheets/sheet2.xml': `<worksheet><sheetData>${textRow(1, 'shown')}</sheetData></worksheet>`,
      },
    }
    expect((await read(workbook)).columns).to.deep.equal(['shown'])
    expect((await read(workbook, { options: { sheet: 'Old' } })).columns).to.deep.equal(['hidden'])
    const refusal = await refusalOf(() => read(workbook, { options: { sheet: 'None' } }))
    expect(refusal).to.include({ code: 'unknown-sheet', asks: true })
    expect(refusal.message).to.contain('"New"')
  })

  it('says what is hidden, merged or calculated', async () => {
    const workbook = {
      rows: `${textRow(1, 'A', 'B')}<row r="2" hidden="1"><c><v>1</v></c></row><row r="3"><c><f>1</f><v>1</v></c></row><row r="4"><c r="B4"><v>4</v></c></row>`,
      after: '<mergeCells><mergeCell ref="A3:A4"/></mergeCells>',
    }
    expect((await read(workbook)).notices).to.deep.equal(['rows-hidden', 'merged-cells', 'formulas'])
    const one = { kind: 'number', text: '1' }
    expect((await read(workbook, { options: { fillMerged: true } })).cells).to.deep.equal([
      [one],
      [one],
      [one, { kind: 'number', text: '4' }],
    ])
  })

  it('ends where nothing comes for long, and at once where formats go on', async () => {
    const empty = Array.from({ length: 1000 }, (_, i) => `<row r="${i + 3}"><c s="1"/></row>`).join('')
    const { rows, notices } = await read({
      rows: `${textRow(1, 'A')}${textRow(2, 'x')}${empty}${textRow(2000, 'far')}`,
    })
    expect(rows).to.have.length(1)
    expect(notices).to.deep.equal(['ended-at-empty-rows'])
    const all = await read(
      { rows: `${textRow(1, 'A')}${textRow(2000, 'far')}` },
      { options: { stopAtEmptyRows: 0 } },
    )
    expect(all.rows[0]!.number).to.equal(2000)
  })

  it('makes a column of cells beyond the header, with a name', async () => {
    const { columns, cells, notices } = await read({ rows: `${textRow(1, 'A')}${textRow(2, 'x', 'y')}` })
    expect(columns).to.deep.equal(['A', 'Column B'])
    expect(cells).to.deep.equal([['x', 'y']])
    expect(notices).to.deep.equal(['column-named'])
  })

  it('is read with prefixes, other paths and UTF-16, as some programs write it', async () => {
    const parts = partsOf({})
    const sheet = `<x:worksheet xmlns:x="y"><x:sheetData><x:row r="1"><x:c r="A1" t="inlineStr"><x:is><x:t>é</x:t></x:is></x:c></x:row></x:sheetData></x:worksheet>`
    const utf16 = Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?>${sheet}`, 'utf16le')
    for (const part of [sheet, utf16]) {
      const bytes = await zipped({ ...parts, 'xl/worksheets/sheet1.xml': part })
      expect((await readAll(readXlsx, bytes)).columns).to.deep.equal(['é'])
    }
    const { 'xl/worksheets/sheet1.xml': _, ...without } = parts
    const moved = await zipped({
      ...without,
      'xl/_rels/workbook.xml.rels': (parts['xl/_rels/workbook.xml.rels'] as string).replace(
        'worksheets/sheet1.xml',
        '/XL/Other.xml',
      ),
      'xl/other.xml': sheet,
    })
    expect((await readAll(readXlsx, moved)).columns).to.deep.equal(['é'])
  })

  it('is read from a file in place, or from a copy that does not stay', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'daybook-workbook-'))
    const bytes = await workbookOf({ rows: `${textRow(1, 'A')}${textRow(2, 'x')}${textRow(3, 'y')}` })
    for await (const item of readXlsx({ bytes: inPieces(bytes), folder })) if (item.is === 'row') break
    expect(readdirSync(folder)).to.deep.equal([])
    rmSync(folder, { recursive: true })
    const refusal = await refusalOf(() =>
      readAll(readXlsx, bytes, { limits: { ...DEFAULT_LIMITS, bytes: 100 } }),
    )
    expect(refusal.code).to.equal('too-large')
  })
})
