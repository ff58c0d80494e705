/** When schedules run, and which files they mean. */
import fc from 'fast-check'
import { expect } from 'chai'
import { nextRun, timesFault } from '../../../src/imports/schedules/cron.ts'
import { isMeant } from '../../../src/imports/schedules/schedule.ts'

const at = (text: string) => Date.parse(text)
const following = (cron: string, zone: string, after: string, count: number) => {
  const found: string[] = []
  for (
    let next = nextRun({ Cron: cron, TimeZone: zone }, at(after));
    found.length < count && next !== undefined;
  ) {
    found.push(new Date(next).toISOString().slice(0, 16))
    next = nextRun({ Cron: cron, TimeZone: zone }, next)
  }
  return found
}

describe('the time of a schedule', () => {
  it('goes by the clocks of its zone, each day once, also when they change', () => {
    // Clocks go from 02:00 to 03:00 on 2027-03-28, and back on 2027-10-31.
    expect(following('30 2 * * *', 'Europe/Amsterdam', '2027-03-26T12:00:00Z', 3)).to.deep.equal([
      '2027-03-27T01:30',
      // 02:30 is not there on that day.
      '2027-03-28T01:00',
      '2027-03-29T00:30',
    ])
    const autumn = following('30 2 * * *', 'Europe/Amsterdam', '2027-10-30T12:00:00Z', 2)
    expect(autumn.map((time) => time.slice(0, 10))).to.deep.equal(['2027-10-31', '2027-11-01'])
    expect(following('0 9 * * *', 'Australia/Lord_Howe', '2027-04-02T23:00:00Z', 2)).to.deep.equal([
      '2027-04-03T22:30',
      '2027-04-04T22:30',
    ])
    for (const [zone, days] of [
      ['America/New_York', '2027-03-13T12:00:00Z'],
      ['America/New_York', '2027-11-06T12:00:00Z'],
      ['Pacific/Apia', '2027-04-03T12:00:00Z'],
    ] as const) {
      const local = following('0 12 * * *', zone, days, 3).map((time) =>
        new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', hour12: false }).format(
          at(`${time}:00Z`),
        ),
      )
      expect(local, zone).to.deep.equal(['12', '12', '12'])
    }
  })

  it('is refused where it is not cron, or never comes', () => {
    const fault = (times: object) => timesFault({ TimeZone: 'UTC', ...times }, at('2027-01-01T00:00:00Z'))
    expect(fault({ Cron: '*/15 6-20 * * 1-5' })).to.equal(undefined)
    expect(fault({ Cron: '0 0 31 2 *' })).to.deep.equal({ Field: 'Cron', Message: 'never comes' })
    for (const Cron of ['daily', '* * * *', '61 * * * *', '2027-01-01T00:00:00'])
      expect(fault({ Cron })?.Message, Cron).to.match(/^must be cron/)
    expect(fault({})?.Message).to.match(/^is missing, and so is Every/)
    expect(fault({ Cron: '* * * * *', Every: 'PT1H' })?.Field).to.equal('Every')
  })

  it('may be every so often, counted on from when it was due', () => {
    const fault = (Every: string) => timesFault({ Every, TimeZone: 'UTC' }, 0)
    for (const fit of ['PT1M', 'PT15M', 'PT6H', 'P1D', 'P1DT12H', 'P31D'])
      expect(fault(fit), fit).to.equal(undefined)
    for (const wrong of ['PT0M', 'P32D', 'PT', 'P', '15M', 'PT1S', 'P1W'])
      expect(fault(wrong), wrong).to.include({ Field: 'Every' })
    const due = at('2027-01-01T06:00:00Z')
    const next = (after: string) =>
      new Date(nextRun({ Every: 'PT15M', TimeZone: 'UTC' }, at(after), due)!).toISOString().slice(11, 16)
    expect([
      next('2027-01-01T06:00:01Z'),
      next('2027-01-01T06:15:00Z'),
      next('2027-01-04T09:07:00Z'),
    ]).to.deep.equal(['06:15', '06:30', '09:15'])
  })
})

describe('the files of a schedule', () => {
  const Ignore = ['*.part', '~$*', '.*']

  it('are those that match, less those that are passed over', () => {
    const meant = (Files: string, name: string) => isMeant({ Files, Ignore, DoneFile: null }, name)
    expect(meant('CAMT053_*.xml', 'CAMT053_1.xml')).to.equal(true)
    expect(meant('*', 'a.csv.part')).to.equal(false)
    expect(meant('*', '.hidden')).to.equal(false)
    expect(meant('*.xlsx', '~$list.xlsx')).to.equal(false)
    expect(meant('a?.csv', 'ab.csv')).to.equal(true)
    expect(meant('a?.csv', 'a.csv')).to.equal(false)
    expect(meant('a.csv', 'aXcsv')).to.equal(false)
  })

  it('are matched as a regular expression would, in bounded time', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 })
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 })
    fc.assert(
      fc.property(letters, text, (pattern, name) => {
        const same = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`)
        expect(isMeant({ Files: pattern, Ignore: [], DoneFile: null }, name)).to.equal(same.test(name))
      }),
    )
    expect(isMeant({ Files: '*a'.repeat(40), Ignore: [], DoneFile: null }, 'a'.repeat(200) + 'b')).to.equal(
      false,
    )
  })
})
