/** What a column is, by all of its cells: decided or asked, never guessed. */
import { expect } from 'chai'
import fc from 'fast-check'
import type { SourceCell } from '../../../src/imports/formats/reader.ts'
import { columnEvidence } from '../../../src/imports/values/column-evidence.ts'
import { dateIn } from '../../../src/imports/values/dates.ts'
import { numberIn, type DecimalSign } from '../../../src/imports/values/numbers.ts'

function findings(...cells: readonly SourceCell[]) {
  const evidence = columnEvidence()
  cells.forEach((cell, i) => evidence.add(i + 2, cell))
  return evidence.findings()
}

describe('the evidence of a column', () => {
  it('decides the decimal sign by one number among many that do not', () => {
    const many = Array.from({ length: 5_000 }, () => '1.234')
    expect(findings(...many).decimalSign).to.deep.equal({
      ask: ['.', ','],
      example: { row: 2, text: '1.234' },
    })
    expect(findings(...many, '1.234.567').decimalSign).to.deep.equal({
      decided: ',',
      by: { row: 5_002, text: '1.234.567' },
    })
    expect(findings(...many, '1.5').decimalSign).to.deep.equal({
      decided: '.',
      by: { row: 5_002, text: '1.5' },
    })
  })

  it('asks where numbers contradict one another, and finds none in plain ones', () => {
    expect(findings('1.5', '1,5').decimalSign).to.deep.equal({
      ask: ['.', ','],
      example: { row: 3, text: '1,5' },
    })
    expect(findings('15', '20', 'x').decimalSign).to.deep.equal({ none: true })
    expect(findings('15', '20', 'x').numbers).to.equal(2)
  })

  it('decides the order of days and months the same way', () => {
    expect(findings('03/04/2029', '05/06/2029').dateFormat).to.deep.equal({
      ask: ['DD-MM-YYYY', 'MM-DD-YYYY'],
      example: { row: 2, text: '03/04/2029' },
    })
    expect(findings('03/04/2029', '30/02/2029').dateFormat).to.deep.equal({
      decided: 'DD-MM-YYYY',
      by: { row: 3, text: '30/02/2029' },
    })
    expect(findings('2029-04-03').dateFormat).to.deep.include({ decided: 'YYYY-MM-DD' })
    expect(findings('13/04/2029', '04/13/2029').dateFormat)
      .to.have.property('ask')
      .with.members(['DD-MM-YYYY', 'MM-DD-YYYY'])
    expect(findings('03/04/29').dateFormat)
      .to.have.property('ask')
      .with.members(['DD-MM-YY', 'MM-DD-YY', 'YY-MM-DD'])
  })

  it('is not misled by what is no day at all', () =>
    expect(findings('13/04/2029', 'n.v.t.', '99/99/2029', '').dateFormat).to.deep.include({
      decided: 'DD-MM-YYYY',
    }))

  it('takes what a workbook says as it is', () => {
    const cells = [
      { kind: 'number', text: '1.234' },
      { kind: 'date', text: '2029-04-03' },
    ] as const
    expect(findings(...cells)).to.deep.include({
      decimalSign: { none: true },
      dateFormat: { none: true },
      numbers: 1,
      dates: 1,
    })
  })

  it('knows words for yes and no, and no others', () => {
    expect(findings('Ja', 'nee', 'JA', '').booleans).to.deep.equal({ true: 'ja', false: 'nee' })
    expect(findings('x', '', 'X').booleans).to.deep.equal({ true: 'x', false: '' })
    expect(findings('n', 'y').booleans).to.deep.equal({ true: 'y', false: 'n' })
    expect(findings('ja', 'nee', 'misschien').booleans).to.equal(undefined)
    expect(findings('links', 'rechts').booleans).to.equal(undefined)
    expect(findings('').booleans).to.equal(undefined)
  })

  it('sees numbers that a spreadsheet has shortened, and zeros that it would take away', () => {
    expect(findings('4E+17', '1.23E+15').shortened).to.deep.equal({
      count: 2,
      example: { row: 2, text: '4E+17' },
    })
    expect(findings({ kind: 'number', text: '1234567890123456', wrong: 'x' }).shortened.count).to.equal(1)
    expect(findings('00123').leadingZeros).to.equal(true)
    expect(findings({ kind: 'number', text: '123', shown: '00123' }).leadingZeros).to.equal(true)
    expect(findings('123', '0.5').leadingZeros).to.equal(false)
  })

  it('reads numbers as they were meant, or asks', () =>
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -999_999_999, max: 999_999_999 }), { minLength: 1, maxLength: 30 }),
        fc.constantFrom<DecimalSign>('.', ','),
        fc.boolean(),
        fc.integer({ min: 0, max: 3 }),
        (values, decimal, grouped, places) => {
          const group = decimal === '.' ? ',' : '.'
          const texts = values.map((value) => {
            const [whole = '', decimals] = (value / 10 ** places).toFixed(places).split('.')
            return (
              (grouped ? whole.replaceAll(/\B(?=(\d{3})+$)/g, group) : whole) +
              (decimals === undefined ? '' : decimal + decimals)
            )
          })
          const { decimalSign } = findings(...texts)
          if ('decided' in decimalSign) expect(decimalSign.decided).to.equal(decimal)
          if ('none' in decimalSign) expect(texts.join('')).not.to.match(/[.,]/)
          if ('decided' in decimalSign)
            for (const [i, text] of texts.entries())
              expect(Number(numberIn(text, { decimal: decimalSign.decided }))).to.equal(
                Number((values[i]! / 10 ** places).toFixed(places)),
              )
        },
      ),
    ))

  it('reads days as they were meant, or asks', () => {
    const day = fc
      .date({ min: new Date('1970-01-01'), max: new Date('2069-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10))
    fc.assert(
      fc.property(
        fc.array(day, { minLength: 1, maxLength: 20 }),
        fc.constantFrom('DD-MM-YYYY', 'MM-DD-YYYY', 'DD-MM-YY', 'YYYY-MM-DD', 'YYYYMMDD'),
        (days, format) => {
          const texts = days.map((iso) =>
            format
              .replace('YYYY', iso.slice(0, 4))
              .replace('YY', iso.slice(2, 4))
              .replace('MM', iso.slice(5, 7))
              .replace('DD', iso.slice(8)),
          )
          const { dateFormat } = findings(...texts)
          expect(dateFormat).not.to.have.property('none')
          if ('decided' in dateFormat)
            expect(texts.map((text) => dateIn(text, dateFormat.decided))).to.deep.equal(days)
          else if ('ask' in dateFormat) expect(dateFormat.ask).to.include(format)
        },
      ),
    )
  })
})
