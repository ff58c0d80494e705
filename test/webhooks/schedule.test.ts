/** When a delivery is tried again. */
import { expect } from 'chai'
import fc from 'fast-check'
import {
  DEFAULT_SCHEDULE,
  LONGEST_RETRY_AFTER_MS,
  nextAttemptIn,
  readSchedule,
  retryAfterMs,
} from '../../src/webhooks/schedule.ts'

const S = 1_000
const schedule = DEFAULT_SCHEDULE

describe('the schedule of a delivery', () => {
  it('is the documented one', () =>
    expect(readSchedule('0s,5s,5m,30m,2h,5h,10h,14h,20h,24h')).to.deep.equal(DEFAULT_SCHEDULE))

  it('has ten attempts, and then no more', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempts) =>
      nextAttemptIn({ schedule, attempts, random: 0 }),
    )
    expect(waits).to.deep.equal(DEFAULT_SCHEDULE.slice(1))
    expect(nextAttemptIn({ schedule, attempts: 10, random: 0 })).to.equal(undefined)
  })

  it('adds up to a tenth, never less than nothing, in whole milliseconds', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempts, random) => {
          const wait = nextAttemptIn({ schedule, attempts, random })!
          const plain = DEFAULT_SCHEDULE[attempts]!
          expect(wait).to.be.within(plain, plain * 1.1)
          expect(Number.isInteger(wait)).to.equal(true)
        },
      ),
    ))

  it('waits longer when the receiver asks for it, but not for ever, and no less', () => {
    const asked = (ms: number) => nextAttemptIn({ schedule, attempts: 1, retryAfterMs: ms, random: 0 })
    expect(asked(60 * S)).to.equal(60 * S)
    expect(asked(1 * S)).to.equal(5 * S)
    expect(asked(10 ** 12)).to.equal(LONGEST_RETRY_AFTER_MS)
    expect(asked(-5)).to.equal(5 * S)
  })

  it('cannot be stretched past its end by a receiver', () =>
    expect(nextAttemptIn({ schedule, attempts: 10, retryAfterMs: S, random: 0 })).to.equal(undefined))
})

describe('Retry-After', () => {
  const now = Date.parse('2026-11-21T12:00:00Z')
  it('is seconds or a date', () => {
    expect(retryAfterMs('120', now)).to.equal(120 * S)
    expect(retryAfterMs(' 0 ', now)).to.equal(0)
    for (const long of ['99999999999', '9'.repeat(400)])
      expect(retryAfterMs(long, now)).to.equal(24 * 3_600 * S)
    expect(retryAfterMs('Sat, 21 Nov 2026 12:01:00 GMT', now)).to.equal(60 * S)
    expect(retryAfterMs('Sat, 21 Nov 2026 11:00:00 GMT', now)).to.equal(0)
  })
  it('says nothing when it cannot be understood', () => {
    for (const header of [undefined, '', '-1', '1.5', 'soon', '1e3', 'Sat, 99 Nov'])
      expect(retryAfterMs(header, now), header).to.equal(undefined)
  })
})

describe('a schedule of a setting', () => {
  it('is refused when it is none', () => {
    for (const text of ['', '5', '5s,', '5d', '25h', '-1s', '1s 2s', Array(21).fill('1s').join()])
      expect(readSchedule(text), text).to.equal(undefined)
  })
  it('may have blanks and one wait only', () => {
    expect(readSchedule(' 1s , 2m ')).to.deep.equal([1 * S, 120 * S])
    expect(readSchedule('0s')).to.deep.equal([0])
  })
})
