/** Workbooks that are written are read back as they were, by our reader. */
import { buffer } from 'node:stream/consumers'
import { expect } from 'chai'
import fc from 'fast-check'
import type { SourceCell } from '../../../../src/imports/formats/reader.ts'
import { writtenXlsx, type WrittenSheet } from '../../../../src/imports/formats/xlsx/writer.ts'
import { readXlsx } from '../../../../src/imports/formats/xlsx/xlsx.ts'
import { readAll } from '../reading.ts'

const written = (sheet: Partial<WrittenSheet>) =>
  buffer(writtenXlsx({ name: 'Rows', columns: [], rows: [], ...sheet }))
const columns = ['A', 'B', 'C', 'D'].map((name) => ({ name }))

const day = fc
  .date({ min: new Date('1900-03-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString())
const text = fc.string({ unit: 'binary', maxLength: 20 }).map((one) => one.toWellFormed())
const cell: fc.Arbitrary<SourceCell> = fc.oneof(
  text,
  fc.constantFrom('=1+1', '@x', '_x000D_', '_x', '  a  ', 'a\r\nb\tc', '<&>"\'', ''),
  fc.constant(null),
  fc.integer().map((value) => ({ kind: 'number' as const, text: String(value) })),
  fc.tuple(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 99 })).map(([whole, part]) => ({
    kind: 'number' as const,
    text: `${whole}.${String(part).padStart(2, '0')}`.replace(/0$/, ''),
  })),
  fc.integer({ min: 0, max: 99 }).map((value) => ({
    kind: 'number' as const,
    text: String(value),
    shown: String(value).padStart(5, '0'),
  })),
  fc.boolean().map((value) => ({ kind: 'boolean' as const, text: String(value) })),
  day.map((iso) => ({ kind: 'date' as const, text: iso.slice(0, 10) })),
  day.map((iso) => ({ kind: 'timestamp' as const, text: iso.slice(0, 19) })),
)

describe('a workbook that is written', () => {
  it('is read back as it was', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(cell, { minLength: 4, maxLength: 4 }), { maxLength: 15 }),
        async (rows) => {
          const { cells } = await readAll(readXlsx, await written({ columns, rows }), {
            options: { stopAtEmptyRows: 0 },
          })
          const trimmed = rows.map((row) => row.slice(0, row.findLastIndex((one) => one !== null) + 1))
          const visible = trimmed.filter((row) =>
            row.some((one) => one !== null && (typeof one !== 'string' || /\S/.test(one))),
          )
          expect(cells).to.deep.equal(visible)
        },
      ),
      { numRuns: 200 },
    ))

  it('offers choices and hints, in columns of text', async () => {
    const bytes = await written({
      name: 'Import of [contract]: all',
      columns: [
        { name: 'Number', text: true, hint: 'text, at most 30 characters' },
        { name: 'Type', choices: ['New', 'Renewal'] },
      ],
    })
    const { facts, columns: read } = await readAll(readXlsx, bytes)
    expect(facts.sheet).to.equal('Import of  contract   all')
    expect(read).to.deep.equal(['Number', 'Type'])
  })

  it('fails as its rows do', async () => {
    const rows = (async function* () {
      yield ['x']
      throw new Error('the rows have ended')
    })()
    const error = await written({ columns, rows }).then(
      () => undefined,
      (caught: unknown) => caught,
    )
    expect(error).to.have.property('message', 'the rows have ended')
  })

  it('holds no more than a part of a long file', async () => {
    let taken = 0
    const rows = (function* () {
      for (let i = 0; i < 1_000_000; i++) {
        taken++
        yield [`row ${i}`]
      }
    })()
    for await (const _ of writtenXlsx({ name: 'x', columns, rows })) if (taken > 10_000) break
    expect(taken).to.be.below(200_000)
  })
})
