/** JSON of records: cut while it streams, with the digits that were written. */
import { expect } from 'chai'
import fc from 'fast-check'
import { readJson, readNdjson } from '../../../src/imports/formats/json.ts'
import { DEFAULT_LIMITS } from '../../../src/imports/formats/reader.ts'
import { readAll, refusalOf } from './reading.ts'

const refused = (text: string, limits = {}) =>
  refusalOf(() => readAll(readJson, text, { limits: { ...DEFAULT_LIMITS, ...limits } }))

describe('JSON', () => {
  it('is rows of its records, with a column for each member', async () => {
    const text = '{"Records": [{"A": "x", "B": true}, {"B": false, "C": {"Amount": 12.50}, "A": null}]}'
    const { columns, rows, facts } = await readAll(readJson, text)
    expect(columns).to.deep.equal(['A', 'B', 'C'])
    expect(rows).to.deep.equal([
      { number: 1, cells: ['x', { kind: 'boolean', text: 'true' }] },
      {
        number: 2,
        cells: [
          { kind: 'json', text: 'null' },
          { kind: 'boolean', text: 'false' },
          { kind: 'json', text: '{"Amount":12.50}' },
        ],
      },
    ])
    expect(facts.format).to.equal('json')
  })

  it('keeps the digits of numbers', async () => {
    const { cells } = await readAll(
      readJson,
      '[{"A": 12345678901234567890.10, "B": 1e3, "C": -0.5, "D": 1e999}]',
    )
    expect(cells[0]).to.deep.equal([
      { kind: 'number', text: '12345678901234567890.10' },
      { kind: 'number', text: '1000' },
      { kind: 'number', text: '-0.5' },
      { kind: 'number', text: '1e999', wrong: 'is a number that is too large' },
    ])
  })

  it('has no member with a power of its own', async () => {
    const { columns, cells } = await readAll(readJson, '[{"__proto__": "x", "constructor": "y"}]')
    expect(columns).to.deep.equal(['__proto__', 'constructor'])
    expect(cells).to.deep.equal([['x', 'y']])
  })

  it('of many records is the same wherever it is cut', async () => {
    const records = Array.from({ length: 40 }, (_, i) => ({ Name: `${i} ${'text '.repeat(10)}` }))
    for (let piece = 1025; piece < 1100; piece++) {
      const { cells } = await readAll(readJson, JSON.stringify({ Records: records }), { piece })
      expect(cells, String(piece)).to.deep.equal(records.map(({ Name }) => [Name]))
    }
  })

  it('is the same in pieces of any size', () => {
    const record = fc.dictionary(
      fc.string({ minLength: 1, maxLength: 4 }),
      fc.oneof(
        fc.string(),
        fc.boolean(),
        fc.integer(),
        fc.array(fc.string({ unit: fc.constantFrom(...'{}[]"\\,a') })),
      ),
      { minKeys: 1, maxKeys: 4 },
    )
    return fc.assert(
      fc.asyncProperty(
        fc.array(record, { maxLength: 6 }),
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        async (records, piece, spaced) => {
          const text = JSON.stringify({ Records: records }, null, spaced ? 2 : 0)
          const { columns, cells } = await readAll(readJson, text, { piece })
          const back = cells.map((row) =>
            Object.fromEntries(
              row.flatMap((cell, i) =>
                cell === null
                  ? []
                  : [[columns[i]!, typeof cell === 'string' ? cell : (JSON.parse(cell.text) as unknown)]],
              ),
            ),
          )
          expect(back).to.deep.equal(records.map((one) => ({ ...one })))
        },
      ),
      { numRuns: 150 },
    )
  })

  it('is refused where it is something else, with a reason', async () => {
    for (const text of [
      '{"Rows": []}',
      '"Records"',
      '{"Records": {}}',
      '{"Records": [1]}',
      '[{}{}]',
      '[,{}]',
      '[{},,{}]',
      '[{},]',
      '[{}]x',
      '[{}] }',
    ])
      expect((await refused(text)).code, text).to.equal('not-records')
    for (const text of ['{"Records": [{"A": 1}', '[{"A": 1}, ', '{"Records": [{"A": "x', '{"Records": []'])
      expect((await refused(text)).code, text).to.equal('damaged')
  })

  it('is refused over its limits', async () => {
    expect((await refused(`[{"A": ${'['.repeat(50_000)}`)).code).to.equal('too-deep')
    expect((await refused(`[{"A": "${'x'.repeat(1_100_000)}"}]`)).code).to.equal('cell-too-long')
    expect((await refused('[{"A": "xxxx"}]', { cellCharacters: 3 })).code).to.equal('cell-too-long')
    expect((await refused('[{"A": 1, "B": 2}]', { columns: 1 })).code).to.equal('too-many-columns')
    expect((await refused('[{"A": 1}, {"A": 1}]', { rows: 1 })).code).to.equal('too-many-rows')
    expect((await refused(' '.repeat(1000))).code).to.equal('not-records')
  })

  it('with a record that is wrong has a row that fails', async () => {
    const { rows } = await readAll(readJson, '[{"A": 01}, {"A": 2}]')
    expect(rows.map(({ wrong }) => wrong)).to.deep.equal(['is not a JSON object', undefined])
  })
})

describe('NDJSON', () => {
  it('is rows of its lines, numbered by them', async () => {
    const { columns, rows } = await readAll(
      readNdjson,
      '\ufeff{"A":"x"}\r\n\r\n{"B":"y"}\n[1]\n{"A":"cut o',
      { piece: 3 },
    )
    expect(columns).to.deep.equal(['A', 'B'])
    expect(rows.map(({ number, wrong }) => [number, wrong])).to.deep.equal([
      [1, undefined],
      [3, undefined],
      [4, 'is not a JSON object'],
      [5, 'is not a JSON object'],
    ])
  })

  it('with nothing in it says so', async () =>
    expect((await readAll(readNdjson, '\n\n')).notices).to.deep.equal(['nothing-in-it']))

  it('with a line too long is refused', async () => {
    const refusal = await refusalOf(() => readAll(readNdjson, `{"A":"${'x'.repeat(1_100_000)}`))
    expect(refusal.code).to.equal('cell-too-long')
  })
})
