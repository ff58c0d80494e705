/**
 * Workbooks of calamine's tests (MIT), where they are: the folder `calamine` in the folder named by `DAYBOOK_CORPORA`.
 * Each is read, or refused for the reason named here.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { FileRefused, type SourceCell } from '../../../../src/imports/formats/reader.ts'
import { sniffed } from '../../../../src/imports/formats/sniff.ts'
import { readXlsx } from '../../../../src/imports/formats/xlsx/xlsx.ts'
import { corpus } from '../../corpus.ts'
import { readAll, type Read, type ReadingOf } from '../reading.ts'

const REFUSED: Readonly<Record<string, string>> = {
  'issue252.xlsx': 'damaged',
  'pass_protected.xlsx': 'encrypted',
}

const number = (value: string): SourceCell => ({ kind: 'number', text: value })
const date = (value: string): SourceCell => ({ kind: 'date', text: value })
const DAYS = [
  [date('2021-01-01'), number('15')],
  [date('2021-01-02'), number('16')],
  [{ kind: 'time', text: '255:10:10' }, number('17')],
] as const

/** What is in the files, as their own program shows it. */
const EXPECTED: Readonly<Record<string, readonly (readonly SourceCell[])[]>> = {
  'date.xlsx': DAYS,
  'date_1904.xlsx': DAYS,
  'temperature.xlsx': [
    ['label', 'value'],
    ['celsius', number('22.2222')],
    ['fahrenheit', number('72')],
  ],
  'nonstandard-xml-ns-prefix.xlsx': [
    ['a', 'b'],
    [number('1'), number('3')],
    [number('2'), number('4')],
  ],
  'has_x000D_.xlsx': [['ABC\r\nDEF']],
  'inlineStr_cdata.xlsx': [
    ['Hello CDATA', 'World'],
    ['12345', 'NormalText'],
  ],
  'encoded_entities.xlsx': [['&']],
  'rph.xlsx': [['課きく　毛こ']],
}

describe("calamine's workbooks", () => {
  const folder = corpus('calamine')
  before(function () {
    if (!folder) this.skip()
  })

  const files = folder ? readdirSync(folder) : []
  const read = (file: string, reading?: ReadingOf): Promise<Read> => {
    const bytes = readFileSync(join(folder!, file))
    expect(sniffed(bytes)).to.equal('xlsx')
    return readAll(readXlsx, bytes, reading)
  }
  const refusal = async (file: string): Promise<string> => {
    try {
      await read(file)
      return 'read'
    } catch (error) {
      if (!(error instanceof FileRefused)) throw error
      return error.code
    }
  }

  for (const file of files.filter((name) => name.endsWith('.xlsx')))
    it(`${file} is ${REFUSED[file] ?? 'read'}`, async () =>
      expect(await refusal(file)).to.equal(REFUSED[file] ?? 'read'))

  for (const file of files.filter((name) => /\.(?:xls|xlsb|ods)$/.test(name)))
    it(`${file} is refused as another format`, async () =>
      expect(await refusal(file)).to.be.oneOf(['other-format', 'encrypted']))

  for (const [file, expected] of Object.entries(EXPECTED))
    it(`${file} has what its program shows`, async () => {
      expect(existsSync(join(folder!, file))).to.equal(true)
      const { cells } = await read(file, { options: { headerRow: 0 } })
      expect(cells).to.deep.equal(expected)
    })
})
