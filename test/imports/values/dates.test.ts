/** Days as they are written: only those that the calendar has. */
import { expect } from 'chai'
import fc from 'fast-check'
import {
  DATE_FORMATS,
  dateFormatNamed,
  dateFormatsOf,
  dateIn,
  fullYear,
} from '../../../src/imports/values/dates.ts'

describe('a day that is written', () => {
  it('is read in its format', () => {
    for (const [text, format, day] of [
      ['3-4-2029', 'DD-MM-YYYY', '2029-04-03'],
      ['03/04/2029', 'MM-DD-YYYY', '2029-03-04'],
      ['3. 4. 2029', 'DD-MM-YYYY', '2029-04-03'],
      ['29.2.2028', 'DD-MM-YYYY', '2028-02-29'],
      ['03/04/29', 'DD-MM-YY', '2029-04-03'],
      ['29-04-03', 'YY-MM-DD', '2029-04-03'],
      ['20290403', 'YYYYMMDD', '2029-04-03'],
      ['03042029', 'DDMMYYYY', '2029-04-03'],
      ['3 apr. 2029', 'DD-MMM-YYYY', '2029-04-03'],
      ['3-mrt-29', 'DD-MMM-YY', '2029-03-03'],
      ['März 3, 2029', 'MMM-DD-YYYY', '2029-03-03'],
      ['April 3 2029', 'MMM-DD-YYYY', '2029-04-03'],
    ] as const)
      expect(dateIn(text, format), text).to.equal(day)
  })

  it('has to exist', () => {
    for (const [text, format] of [
      ['29.2.2029', 'DD-MM-YYYY'],
      ['2029-02-30', 'YYYY-MM-DD'],
      ['00/01/2029', 'DD-MM-YYYY'],
      ['31 sept 2029', 'DD-MMM-YYYY'],
      ['3-4-29', 'DD-MM-YYYY'],
      ['3-4-029', 'DD-MM-YYYY'],
      ['2029-4-3x', 'YYYY-MM-DD'],
      ['3 foo 2029', 'DD-MMM-YYYY'],
      ['', 'YYYYMMDD'],
    ] as const)
      expect(dateIn(text, format), text).to.equal(undefined)
  })

  it('with two digits of the year is in the century of the profile', () => {
    expect([
      fullYear(69, 1970),
      fullYear(70, 1970),
      fullYear(29, 2000),
      fullYear(0, 1930),
      fullYear(30, 1930),
    ]).to.deep.equal([2069, 1970, 2029, 2000, 1930])
    expect(dateIn('01-01-70', 'DD-MM-YY', 2000)).to.equal('2070-01-01')
  })

  it('names formats as profiles spell them', () => {
    expect([
      dateFormatNamed('D/M/YY'),
      dateFormatNamed('dd.mm.yyyy'),
      dateFormatNamed('YYYYMMDD'),
      dateFormatNamed('MMM D YYYY'),
      dateFormatNamed('hello'),
    ]).to.deep.equal(['DD-MM-YY', 'DD-MM-YYYY', 'YYYYMMDD', 'MMM-DD-YYYY', undefined])
  })

  it('comes out of every format as it went in', () => {
    const days = fc.date({ min: new Date('1970-01-01'), max: new Date('2069-12-31'), noInvalidDate: true })
    fc.assert(
      fc.property(
        days,
        fc.constantFrom(...DATE_FORMATS),
        fc.constantFrom('-', '/', '.', ' '),
        (date, format, separator) => {
          const iso = date.toISOString().slice(0, 10)
          const [year = '', month = '', day = ''] = iso.split('-')
          const name = date.toLocaleString('en', { month: 'short', timeZone: 'UTC' })
          const text = format
            .replace('YYYY', year)
            .replace('YY', year.slice(2))
            .replace('MMM', name)
            .replace('MM', month)
            .replace('DD', day)
            .replaceAll('-', separator)
          expect(dateIn(text, format), `${text} as ${format}`).to.equal(iso)
          expect(dateFormatsOf(text)).to.include(format)
        },
      ),
    )
  })
})
