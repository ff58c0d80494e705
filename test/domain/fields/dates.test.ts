import { expect } from 'chai'
import fc from 'fast-check'
import {
  isDate,
  lastDayOfSpan,
  secondsOf,
  timestampOf,
  utcTimestamp,
} from '../../../src/domain/fields/dates.ts'

const DAY = 86_400_000
const anyDay = fc
  .integer({ min: Date.parse('0001-01-01T00:00:00Z') / DAY, max: Date.parse('9999-12-31T00:00:00Z') / DAY })
  .map((day) => new Date(day * DAY).toISOString().slice(0, 10))

describe('a date', () => {
  it('is every day that the calendar has, and no other day of 31 that a month could have', () => {
    for (const year of [1, 4, 1600, 1899, 1900, 1970, 2000, 2023, 2024, 2026, 2100, 9999]) {
      const days = new Set<string>()
      for (let time = Date.parse(`${pad(year, 4)}-01-01T00:00:00Z`); ; time += DAY) {
        const day = new Date(time).toISOString()
        if (new Date(time).getUTCFullYear() !== year) break
        days.add(day.slice(0, 10))
      }
      for (let month = 0; month <= 13; month++)
        for (let day = 0; day <= 32; day++) {
          const text = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`
          expect(isDate(text), text).to.equal(days.has(text))
        }
    }
  })

  it('has a 29th of February in leap years only', () => {
    for (const year of ['2024', '2000', '1600', '2400', '0004'])
      expect(isDate(`${year}-02-29`)).to.equal(true)
    for (const year of ['2023', '1900', '2100', '0001', '2026'])
      expect(isDate(`${year}-02-29`)).to.equal(false)
  })

  it('is any day of the years 1 to 9999', () => fc.assert(fc.property(anyDay, isDate)))

  it('is written YYYY-MM-DD and in no other way', () => {
    const others = [
      '',
      '2026',
      '2026-1-01',
      '2026-01-1',
      '26-01-01',
      '12026-01-01',
      '+002026-01-01',
      '2026/01/01',
      '20260101',
      '2026-01-01T00:00:00Z',
      ' 2026-01-01',
      '2026-01-01\n',
      '2026-01-0１',
      '٢٠٢٦-01-01',
      '0000-01-01',
      '2026-W01-1',
      '2026-001',
      'today',
    ]
    for (const text of others) expect(isDate(text), JSON.stringify(text)).to.equal(false)
  })
})

describe('a timestamp', () => {
  it('is kept in UTC to the second', () => {
    const kept: [string, string][] = [
      ['2026-03-01T09:30:15Z', '2026-03-01T09:30:15Z'],
      ['2026-03-01T09:30Z', '2026-03-01T09:30:00Z'],
      ['2026-03-01T09:30:15.999Z', '2026-03-01T09:30:15Z'],
      ['2026-03-01T09:30:15.123456789Z', '2026-03-01T09:30:15Z'],
      ['2026-03-01T09:30:15+00:00', '2026-03-01T09:30:15Z'],
      ['2026-03-01T09:30:15+02:00', '2026-03-01T07:30:15Z'],
      ['2026-03-01T00:30+05:45', '2026-02-28T18:45:00Z'],
      ['2024-02-28T23:00:00-02:30', '2024-02-29T01:30:00Z'],
      ['2026-12-31T23:59:59-00:01', '2027-01-01T00:00:59Z'],
      ['2026-01-01T00:00:00.999+00:01', '2025-12-31T23:59:00Z'],
    ]
    for (const [text, utc] of kept) expect(utcTimestamp(text), text).to.equal(utc)
  })

  it('is the moment that Date understands, for any moment and offset', () =>
    fc.assert(
      fc.property(
        anyDay,
        fc.nat({ max: 86_399 }),
        fc.option(fc.nat({ max: 999 })),
        fc.option(fc.integer({ min: -1_439, max: 1_439 })),
        (day, second, fraction, offset) => {
          const time = `${pad(Math.floor(second / 3_600), 2)}:${pad(Math.floor(second / 60) % 60, 2)}:${pad(second % 60, 2)}`
          const text = `${day}T${time}${fraction === null ? '' : `.${pad(fraction, 3)}`}${zone(offset)}`
          const utc = new Date(Date.parse(text))
          const year = utc.getUTCFullYear()
          const expected = year < 1 || year > 9_999 ? undefined : `${utc.toISOString().slice(0, 19)}Z`
          expect(utcTimestamp(text), text).to.equal(expected)
        },
      ),
    ))

  it('reads back as itself', () =>
    fc.assert(
      fc.property(anyDay, fc.nat({ max: 86_399 }), (day, second) => {
        const canonical = new Date(Date.parse(`${day}T00:00:00Z`) + second * 1_000)
          .toISOString()
          .replace('.000', '')
        expect(utcTimestamp(canonical)).to.equal(canonical)
      }),
    ))

  it('is no day or time that does not exist, and has an offset', () => {
    const others = [
      '',
      '2026-03-01',
      '2026-03-01T09:30:15',
      '2026-03-01 09:30:15Z',
      '2026-02-29T09:30:15Z',
      '2026-03-01T24:00:00Z',
      '2026-03-01T09:60:00Z',
      '2026-06-30T23:59:60Z',
      '2026-03-01T9:30:15Z',
      '2026-03-01T09Z',
      '2026-03-01T09:30:15.Z',
      '2026-03-01T09:30:15.1234567890Z',
      '2026-03-01T09:30.5Z',
      '2026-03-01T09:30:15z',
      '2026-03-01t09:30:15Z',
      '2026-03-01T09:30:15+02',
      '2026-03-01T09:30:15+0200',
      '2026-03-01T09:30:15+24:00',
      '2026-03-01T09:30:15+01:60',
      '2026-03-01T09:30:15 +01:00',
      '0001-01-01T00:00:00+00:01',
      '9999-12-31T23:59:59-00:01',
      '0000-06-01T00:00:00Z',
      '2026-03-01T09:30:15Z\n',
    ]
    for (const text of others) expect(utcTimestamp(text), JSON.stringify(text)).to.equal(undefined)
  })

  it('shows the seconds of a moment that has milliseconds', () =>
    expect(secondsOf('2026-03-01T09:30:15.987Z')).to.equal('2026-03-01T09:30:15Z'))

  it('shows a moment in milliseconds since 1970 to the second, of all years that are stored', () => {
    for (const [moment, text] of [
      ['2026-03-01T09:30:15.987Z', '2026-03-01T09:30:15Z'],
      ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59Z'],
      ['0001-01-01T00:00:00.000Z', '0001-01-01T00:00:00Z'],
      ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59Z'],
    ] as const)
      expect(timestampOf(Date.parse(moment))).to.equal(text)
  })
})

describe('the last day of a span of months', () => {
  it('is the day before the same day so many months later', () => {
    const spans: [string, number, string][] = [
      ['2026-01-01', 12, '2026-12-31'],
      ['2026-01-01', 1, '2026-01-31'],
      ['2026-02-01', 1, '2026-02-28'],
      ['2024-02-01', 1, '2024-02-29'],
      ['2026-01-15', 1, '2026-02-14'],
      ['2026-12-15', 1, '2027-01-14'],
      ['2026-11-15', 26, '2029-01-14'],
      ['2024-02-29', 12, '2025-02-28'],
      ['2024-02-29', 48, '2028-02-28'],
      ['2023-03-01', 12, '2024-02-29'],
      ['2000-01-01', 1_200, '2099-12-31'],
      ['9999-01-01', 12, '9999-12-31'],
      ['0001-01-01', 1, '0001-01-31'],
    ]
    for (const [from, months, last] of spans)
      expect(lastDayOfSpan(from, months), `${from} and ${months} months`).to.equal(last)
  })

  it('is the last of the month where that has no such day', () => {
    const spans: [string, number, string][] = [
      ['2026-01-31', 1, '2026-02-28'],
      ['2024-01-31', 1, '2024-02-29'],
      ['2026-01-30', 1, '2026-02-28'],
      ['2024-01-30', 1, '2024-02-29'],
      ['2026-01-29', 1, '2026-02-28'],
      ['2024-01-29', 1, '2024-02-28'],
      ['2026-03-31', 1, '2026-04-30'],
      ['2026-08-31', 6, '2027-02-28'],
      ['2026-12-31', 2, '2027-02-28'],
      ['2026-10-31', 12, '2027-10-30'],
    ]
    for (const [from, months, last] of spans)
      expect(lastDayOfSpan(from, months), `${from} and ${months} months`).to.equal(last)
  })

  it('is a day of the right month, for any span, and never before the first day', () =>
    fc.assert(
      fc.property(anyDay, fc.integer({ min: 1, max: 1_200 }), (from, months) => {
        const last = lastDayOfSpan(from, months)
        const [year, month, day] = from.split('-').map(Number) as [number, number, number]
        const index = year * 12 + (month - 1) + months - (day === 1 ? 1 : 0)
        if (last === undefined) return index >= 120_000
        expect(isDate(last), last).to.equal(true)
        expect(last >= from).to.equal(true)
        return last.startsWith(`${pad(Math.floor(index / 12), 4)}-${pad((index % 12) + 1, 2)}-`)
      }),
    ))

  it('of spans that follow one another leaves no day out, when they begin on a first', () =>
    fc.assert(
      fc.property(
        anyDay,
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 60 }),
        (day, one, next) => {
          const from = `${day.slice(0, 7)}-01`
          fc.pre(from < '9980')
          const second = dayAfter(lastDayOfSpan(from, one)!)
          expect(lastDayOfSpan(second, next)).to.equal(lastDayOfSpan(from, one + next))
        },
      ),
    ))

  it('is not known for less than a month, for parts of months, and past the year 9999', () => {
    for (const months of [0, -1, 1.5, NaN, Infinity, 96_000, 1e300])
      expect(lastDayOfSpan('2026-01-01', months), String(months)).to.equal(undefined)
    expect(lastDayOfSpan('9999-01-02', 12)).to.equal(undefined)
  })
})

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0')
}

function zone(minutes: number | null): string {
  if (minutes === null) return 'Z'
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${minutes < 0 ? '-' : '+'}${pad(hours, 2)}:${pad(rest, 2)}`
}

function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + DAY).toISOString().slice(0, 10)
}
