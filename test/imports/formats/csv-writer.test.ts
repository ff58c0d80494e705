/** Files that go out: nothing is calculated when one is opened, and a reader finds in it what was written. */
import { buffer } from 'node:stream/consumers'
import { expect } from 'chai'
import fc from 'fast-check'
import { readCsv } from '../../../src/imports/formats/csv.ts'
import { writtenCsv } from '../../../src/imports/formats/csv-writer.ts'
import { ERROR_COLUMN, ROW_COLUMN } from '../../../src/imports/mapping/propose.ts'
import { readXlsx } from '../../../src/imports/formats/xlsx/xlsx.ts'
import { writtenXlsx } from '../../../src/imports/formats/xlsx/writer.ts'
import { columnEvidence } from '../../../src/imports/values/column-evidence.ts'
import { readAll } from './reading.ts'

const special = fc.string({ unit: fc.constantFrom(...`=+-@'"a;,| \n\r\t€＝`), maxLength: 8 })
const text = fc.oneof(special, fc.string({ unit: 'grapheme', maxLength: 12 }).map(storable))
const texts = fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 10 })

/** What a record may hold. */
function storable(any: string): string {
  return any.replaceAll('\0', '').toWellFormed()
}

const read = async (bytes: Uint8Array) => (await readAll(readCsv, bytes)).cells

describe('CSV that is written', () => {
  it('is defused, and marked as UTF-8', async () => {
    const bytes = await buffer(
      writtenCsv(['Name'], [['=cmd|x'], ['-5'], [{ kind: 'number', text: '123', shown: '00123' }], ['a"b']]),
    )
    expect(bytes.toString()).to.equal('\ufeffName\r\n"\'=cmd|x"\r\n"\'-5"\r\n00123\r\n"a""b"\r\n')
  })

  it('has numbers as they are, with no doubt about which sign is the decimal one', async () => {
    const numbers = ['-5', '0', '1.5', '1.234', '-12.345', '1234.567', '12.3456']
    const bytes = await buffer(
      writtenCsv(
        ['Number'],
        numbers.map((text) => [{ kind: 'number', text }]),
      ),
    )
    expect(bytes.toString().split('\r\n').slice(1, -1)).to.deep.equal([
      '-5',
      '0',
      '1.5',
      '1.2340',
      '-12.3450',
      '1234.567',
      '12.3456',
    ])
    for (const cell of (await read(bytes)).flat()) {
      const evidence = columnEvidence()
      evidence.add(1, cell)
      expect(evidence.findings().decimalSign).not.to.have.property('ask')
    }
  })

  for (const [name, columns] of Object.entries({
    'an export': ['Id', 'A', 'B'],
    'an error file': [ROW_COLUMN, 'A', ERROR_COLUMN],
  }))
    it(`comes back as it was, as ${name}`, () =>
      fc.assert(
        fc.asyncProperty(texts, async (rows) => {
          const all = rows.map((row, i) => [`tenant-${i}`, ...row])
          expect(await read(await buffer(writtenCsv(columns, all)))).to.deep.equal(all)
        }),
        { numRuns: 300 },
      ))

  it('comes back with the names of its columns', async () => {
    const bytes = await buffer(writtenCsv(["'=x", '+47'], [['a', 'b']]))
    expect((await readAll(readCsv, bytes)).columns).to.deep.equal(["'=x", '+47'])
  })

  it('of another program loses the apostrophe that protects from formulas, and no other', async () => {
    const { cells, notices } = await readAll(readCsv, "Name,Town\n'+47 22,'s-Hertogenbosch\nO'Neil,'''\n")
    expect(cells).to.deep.equal([
      ['+47 22', "'s-Hertogenbosch"],
      ["O'Neil", "'''"],
    ])
    expect(notices).to.deep.equal(['apostrophes'])
  })

  it('is read to the letter where it is a bank’s', async () => {
    const headerSearch = { isHeader: () => true, passed: () => undefined }
    const { cells } = await readAll(readCsv, "Name\n'+47 22\n", { options: { headerSearch } })
    expect(cells).to.deep.equal([["'+47 22"]])
  })
})

describe('A workbook that is written', () => {
  it('comes back as it was', () =>
    fc.assert(
      fc.asyncProperty(texts, async (rows) => {
        const all = rows.map((row, i) => [`tenant-${i}`, ...row])
        const columns = ['Id', 'A', 'B'].map((name) => ({ name }))
        const { cells } = await readAll(
          readXlsx,
          await buffer(writtenXlsx({ name: 'Tenant', columns, rows: all })),
        )
        expect(cells.map((row) => row.map((cell) => cell ?? ''))).to.deep.equal(all)
      }),
      { numRuns: 50 },
    ))
})
