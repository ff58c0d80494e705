/** CSV that goes out to be corrected: nothing is calculated when it is opened, and everything comes back. */
import { buffer } from 'node:stream/consumers'
import { expect } from 'chai'
import fc from 'fast-check'
import { readCsv } from '../../../src/imports/formats/csv.ts'
import { writtenCsv } from '../../../src/imports/formats/csv-writer.ts'
import { ROW_COLUMN } from '../../../src/imports/formats/own-columns.ts'
import { readAll } from './reading.ts'

describe('CSV that is written', () => {
  it('is defused, and marked as UTF-8', async () => {
    const bytes = await buffer(
      writtenCsv(['Name'], [['=cmd|x'], ['-5'], [{ kind: 'number', text: '123', shown: '00123' }], ['a"b']]),
    )
    expect(bytes.toString()).to.equal('\ufeffName\r\n\'=cmd|x\r\n\'-5\r\n00123\r\n"a""b"\r\n')
  })

  it('comes back as it was where it is one of ours', () => {
    const text = fc.string({ unit: fc.constantFrom(...`=+-@'"a;, \n\r\t€`), maxLength: 8 })
    return fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 10 }), async (rows) => {
        const all = rows.map((row, i) => [String(i), ...row])
        const bytes = await buffer(writtenCsv([ROW_COLUMN, 'A', 'B'], all))
        const { cells } = await readAll(readCsv, bytes, { options: { delimiter: ',' } })
        expect(cells).to.deep.equal(all)
      }),
    )
  })

  it('of others keeps its apostrophes', async () =>
    expect((await readAll(readCsv, "Name\n'=x\n")).cells).to.deep.equal([["'=x"]]))
})
