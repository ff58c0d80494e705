/** CSV as programs write it: what is in comes out, is asked about, or is refused with a reason. */
import { expect } from 'chai'
import fc from 'fast-check'
import iconv from 'iconv-lite'
import { readCsv } from '../../../src/imports/formats/csv.ts'
import { DEFAULT_LIMITS } from '../../../src/imports/formats/reader.ts'
import { inPieces, readAll, refusalOf } from './reading.ts'

const read = (bytes: Uint8Array | string, options = {}) => readAll(readCsv, bytes, { options })
const refused = (bytes: Uint8Array | string, options = {}) => refusalOf(() => read(bytes, options))

describe('CSV', () => {
  it('is rows by the columns of its header, numbered as a spreadsheet shows them', async () => {
    const { columns, rows, facts, notices } = await read(
      'Name,City\r\n\r\n"Jansen, Piet",Breda\r\nKoc,"a\r\nb"\r\n',
    )
    expect(columns).to.deep.equal(['Name', 'City'])
    expect(rows).to.deep.equal([
      { number: 3, cells: ['Jansen, Piet', 'Breda'] },
      { number: 4, cells: ['Koc', 'a\r\nb'] },
    ])
    expect(facts).to.deep.equal({ format: 'csv', encoding: 'utf-8', delimiter: ',', quote: '"' })
    expect(notices).to.deep.equal([])
  })

  it('may have a header further down, rows to pass over and an end', async () => {
    const text = 'Export of today\n\nName;Sum\n(name);(sum)\nA;1\nTOTAL;1\n\n\n\nB;2\n'
    const { columns, cells, notices } = await read(text, {
      headerRow: 3,
      skipAfterHeader: 1,
      stopAtEmptyRows: 3,
      skipRowsWhere: { column: 'Name', equals: ['TOTAL'] },
    })
    expect(columns).to.deep.equal(['Name', 'Sum'])
    expect(cells).to.deep.equal([['A', '1']])
    expect(notices).to.deep.equal(['ended-at-empty-rows'])
    expect((await refused('A;B\n1;2\n', { headerRow: 9 })).code).to.equal('no-header')
    expect((await refused('A;B\n1;2\n', { skipRowsWhere: { column: 'C', equals: [] } })).code).to.equal(
      'unknown-column',
    )
  })

  it('without a header has columns named by their letters', async () => {
    const { columns, cells } = await read('a;b\nc;d\n', { headerRow: 0 })
    expect(columns).to.deep.equal(['Column A', 'Column B'])
    expect(cells).to.deep.equal([
      ['a', 'b'],
      ['c', 'd'],
    ])
  })

  it('names columns that have no name or one that is taken, and says so', async () => {
    const { columns, notices } = await read('A,,A\n1,2,3\n')
    expect(columns).to.deep.equal(['A', 'Column B', 'A (2)'])
    expect(notices).to.have.members(['column-named', 'column-repeated'])
  })

  it('with no bytes, or only a header, is nothing rather than a fault', async () => {
    expect((await read('')).notices).to.deep.equal(['nothing-in-it'])
    expect((await read('A,B\n')).notices).to.deep.equal(['nothing-in-it'])
  })

  it('honours the line sep= and does not count it', async () => {
    const { columns, rows, facts } = await read('sep=|\r\nA|B\r\n1;0|2;0\r\n')
    expect(columns).to.deep.equal(['A', 'B'])
    expect(rows).to.deep.equal([{ number: 2, cells: ['1;0', '2;0'] }])
    expect(facts.delimiter).to.equal('|')
  })

  describe('by its delimiter', () => {
    for (const [name, delimiter] of Object.entries({ semicolon: ';', comma: ',', tab: '\t', bar: '|' }))
      it(`takes a ${name}`, async () => {
        const text = [
          ['A', 'B', 'C'],
          ['1', '"x;,\t|y"', '3'],
          ['4', '5', '6'],
        ]
          .map((row) => row.join(delimiter))
          .join('\n')
        expect((await read(text)).facts.delimiter).to.equal(delimiter)
        expect((await read(text)).cells[0]).to.deep.equal(['1', 'x;,\t|y', '3'])
      })

    it('sees through text before the header, and decimal commas', async () => {
      const { facts } = await read('My bank\nAccount: 123\nDate;Amount\n1.2.2029;1,50\n2.2.2029;2,50\n', {
        headerRow: 3,
      })
      expect(facts.delimiter).to.equal(';')
    })

    it('asks where two would do, or none does', async () => {
      for (const text of ['a;b,c\n1;2,3\n', 'a,b\n1,2,3\n4\n5,6,7,8\n'])
        expect(await refused(text)).to.include({ code: 'unknown-delimiter', asks: true })
      expect((await read('a;b,c\n1;2,3\n', { delimiter: ';' })).cells).to.deep.equal([['1', '2,3']])
    })

    it('takes a file of one column', async () => {
      expect((await read('Name\nPiet\nAnne\n')).cells).to.deep.equal([['Piet'], ['Anne']])
    })

    it('sees single quotes where they are the rule', async () => {
      const { cells, facts } = await read("'A';'B'\n'x;y';'2'\n")
      expect(facts.quote).to.equal("'")
      expect(cells).to.deep.equal([['x;y', '2']])
    })
  })

  describe('by its encoding', () => {
    const text = 'Naam;Bedrag\nZoë;€ 5\nMüller;€ 6\n'
    const named = (name: string) => iconv.encode(text, name, { addBOM: name.startsWith('utf') })
    for (const [encoding, bytes] of Object.entries({
      'utf-8': Buffer.from(text),
      'utf-8 with a mark': named('utf8'),
      'utf-16le with a mark': named('utf-16le'),
      'utf-16be with a mark': named('utf-16be'),
      'utf-16le without a mark': iconv.encode(text, 'utf-16le'),
      'utf-16be without a mark': iconv.encode(text, 'utf-16be'),
      'windows-1252': named('win1252'),
    }))
      for (const piece of [1, 7, 65_536])
        it(`takes ${encoding}, in pieces of ${piece}`, async () => {
          const { cells, facts, notices } = await readAll(readCsv, bytes, { piece })
          expect(cells).to.deep.equal([
            ['Zoë', '€ 5'],
            ['Müller', '€ 6'],
          ])
          expect(facts.encoding).to.equal(encoding.split(' ')[0])
          expect(notices).to.deep.equal(encoding === 'windows-1252' ? ['encoding-assumed'] : [])
        })

    it('takes a DOS code page that is named, and asks rather than taking it for windows-1252', async () => {
      const bytes = iconv.encode('Naam;Plaats\nMüller;Köln\n', 'cp850')
      expect(await refused(bytes)).to.include({ code: 'unknown-encoding', asks: true })
      expect((await read(bytes, { encoding: 'ibm850' })).cells).to.deep.equal([['Müller', 'Köln']])
    })

    it('decides by bytes far down, and refuses a mixture', async () => {
      const many = `a;b\n${'x;y\n'.repeat(100_000)}`
      const late = Buffer.concat([Buffer.from(many), Buffer.from('Zo\u00eb;z\n')])
      expect((await read(late)).cells.at(-1)).to.deep.equal(['Zoë', 'z'])
      const mixed = Buffer.concat([
        Buffer.from(many),
        Buffer.from('Zoë;Müller\n'),
        Buffer.from('Zo\xeb;z\n', 'latin1'),
      ])
      expect((await refused(mixed)).code).to.equal('not-text')
    })

    it('refuses NUL bytes, UTF-32, names that are not known, and UTF-8 that is not', async () => {
      expect((await refused('a;b\n1;\0\n')).code).to.equal('not-text')
      expect((await refused(Buffer.from('fffe000041000000', 'hex'))).code).to.equal('unknown-encoding')
      expect((await refused('a;b\n', { encoding: 'klingon' })).code).to.equal('unknown-encoding')
      expect((await refused(Buffer.from('Zo\xeb;b\n', 'latin1'), { encoding: 'utf-8' })).code).to.equal(
        'not-text',
      )
    })
  })

  describe('that is wrong', () => {
    it('is refused with its line where quotes are', async () => {
      const refusal = await refused('a,b\n1,2\n3,5" pipe\n', { delimiter: ',' })
      expect(refusal.code).to.equal('damaged')
      expect(refusal.message).to.contain('Line 3')
      expect((await read('a,b\n3,5" pipe\n', { delimiter: ',', quote: '' })).cells).to.deep.equal([
        ['3', '5" pipe'],
      ])
      expect((await refused('a,b\n1,"never closed\n2,3\n')).code).to.equal('damaged')
      expect((await refused(`a,b\n1,"${'x\n'.repeat(3_000_000)}`)).code).to.equal('cell-too-long')
    })

    it('has rows that fail: cells beyond the header, or an end in the middle of a line', async () => {
      const { rows } = await read('a,b\n1,2,3\n4,5,\n6\n7', { delimiter: ',' })
      expect(rows[0]!.wrong).to.contain('has 3 cells')
      expect(rows[1]).to.deep.equal({ number: 3, cells: ['4', '5'] })
      expect(rows[2]).to.deep.equal({ number: 4, cells: ['6'] })
      expect(rows[3]!.wrong).to.contain('cut off')
    })

    it('is refused over its limits', async () => {
      const over = async (limits: object, text: string) =>
        await refusalOf(() => readAll(readCsv, text, { limits: { ...DEFAULT_LIMITS, ...limits } }))
      expect(await over({ bytes: 10 }, 'a,b\n1,2\n3,4\n')).to.include({ code: 'too-large', tooLarge: true })
      expect((await over({ rows: 1 }, 'a,b\n1,2\n3,4\n')).code).to.equal('too-many-rows')
      expect((await over({ columns: 1 }, 'a,b\n1,2\n')).code).to.equal('too-many-columns')
      expect((await over({ cellCharacters: 3 }, 'a,b\n1,2345\n')).code).to.equal('cell-too-long')
    })
  })

  it('comes out as it went in, whatever the delimiter, encoding, quoting and pieces', () => {
    const delimiters = fc.constantFrom(';', ',', '\t', '|')
    const cell = fc.string({ unit: fc.constantFrom(...'ab1 .,;|\t"é€\n\r'), maxLength: 8 })
    const table = fc
      .integer({ min: 1, max: 5 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 20 }),
      )
    const property = fc.asyncProperty(
      table,
      delimiters,
      fc.constantFrom('utf-8', 'utf-16le', 'win1252'),
      fc.constantFrom('\n', '\r\n'),
      fc.integer({ min: 1, max: 50 }),
      async (rows, delimiter, encoding, end, piece) => {
        const header = rows[0]!.map((_, i) => `"H${i}"`)
        const quoted = rows.map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`))
        const text = [header, ...quoted].map((row) => row.join(delimiter) + end).join('')
        const bytes = iconv.encode(text, encoding)
        const options = { delimiter, encoding: encoding === 'win1252' ? 'windows-1252' : encoding }
        const { cells } = await readAll(readCsv, bytes, { options, piece })
        expect(cells).to.deep.equal(rows.filter((row) => row.some((one) => /\S/.test(one))))
      },
    )
    return fc.assert(property, { numRuns: 150 })
  })

  it('never ends otherwise than by rows or a refusal', () =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => {
        await read(bytes).catch((error: unknown) => expect(error).to.have.property('name', 'FileRefused'))
      }),
      { numRuns: 500 },
    ))

  it('ends its source when its reader stops', async () => {
    let ended = false
    const bytes = (async function* () {
      try {
        yield* inPieces(Buffer.from(`a,b\n${'1,2\n'.repeat(500_000)}`))
      } finally {
        ended = true
      }
    })()
    for await (const item of readCsv({ bytes, folder: '' })) if (item.is === 'row') break
    await new Promise(setImmediate)
    expect(ended).to.equal(true)
  })
})
