/** Moments of wall clocks, also where clocks are changed. */
import { expect } from 'chai'
import fc from 'fast-check'
import { dateIn, isTimeZone, momentIn } from '../../../src/domain/time/zones.ts'

const iso = (zone: string, date: string, time: string) => new Date(momentIn(zone, date, time)).toISOString()

describe('the moment of a wall clock', () => {
  for (const [zone, date, time, moment] of [
    ['UTC', '2026-11-22', '08:00', '2026-11-22T08:00:00.000Z'],
    ['Europe/Berlin', '2026-01-15', '08:00', '2026-01-15T07:00:00.000Z'],
    ['Europe/Berlin', '2026-07-15', '08:00', '2026-07-15T06:00:00.000Z'],
    // 02:30 does not exist on the last Sunday of March: 03:00 comes after 01:59.
    ['Europe/Berlin', '2026-03-29', '02:30', '2026-03-29T01:00:00.000Z'],
    ['Europe/Berlin', '2026-03-29', '03:00', '2026-03-29T01:00:00.000Z'],
    // It exists twice on the last Sunday of October.
    ['Europe/Berlin', '2026-10-25', '02:30', '2026-10-25T00:30:00.000Z'],
    ['America/New_York', '2026-11-01', '01:30', '2026-11-01T05:30:00.000Z'],
    // Half an hour, and a day that Samoa did not have.
    ['Australia/Lord_Howe', '2026-10-04', '02:15', '2026-10-03T15:30:00.000Z'],
    ['Pacific/Apia', '2011-12-30', '12:00', '2011-12-30T10:00:00.000Z'],
    ['Asia/Kathmandu', '2026-01-01', '00:00', '2025-12-31T18:15:00.000Z'],
  ] as const)
    it(`${date} ${time} in ${zone} is ${moment}`, () => expect(iso(zone, date, time)).to.equal(moment))

  it('is shown by those clocks, or there is none, and then it is the next that is', () => {
    const zones = fc.constantFrom(
      'Europe/Berlin',
      'America/St_Johns',
      'Asia/Tehran',
      'Pacific/Chatham',
      'UTC',
    )
    const days = fc.integer({ min: 0, max: 20_000 })
    fc.assert(
      fc.property(zones, days, fc.integer({ min: 0, max: 1_439 }), (zone, day, minute) => {
        const date = new Date(day * 86_400_000).toISOString().slice(0, 10)
        const time = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
        const moment = momentIn(zone, date, time)
        const shows = (at: number) =>
          new Date(at).toLocaleString('sv-SE', { timeZone: zone }).slice(0, 16).replace('T', ' ')
        expect(shows(moment) >= `${date} ${time}`).to.equal(true)
        expect(shows(moment - 1) < `${date} ${time}`).to.equal(true)
        expect(dateIn(zone, moment)).to.equal(shows(moment).slice(0, 10))
      }),
    )
  })

  it('knows zones by name, and no offsets', () => {
    expect(['UTC', 'Europe/Berlin', 'America/New_York'].filter(isTimeZone)).to.have.length(3)
    expect(['', 'Mars/Olympus', '+02:00', 'Europe/Berlin '].filter(isTimeZone)).to.deep.equal([])
  })
})
