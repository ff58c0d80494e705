/** The whole service while the clock jumps: an hour ahead and back, 400 days, a leap day, a new year. */
import { expect } from 'chai'
import { testService, textOf, type TestService } from '../../support/service.ts'
import { manualClock, type ManualClock } from '../../support/write-side.ts'
import { makeToken, withToken } from '../identity/identity-support.ts'

const MOMENTS = [
  '2026-12-31T22:59:59.000Z',
  '2026-12-31T23:59:59.000Z', // an hour ahead
  '2026-12-31T22:59:59.000Z', // and back
  '2027-01-01T00:00:00.000Z', // a new year
  '2028-02-05T00:00:00.000Z', // 400 days ahead
  '2026-12-31T23:59:59.999Z', // back into the old year
  '2028-02-28T23:59:59.999Z',
  '2028-02-29T12:00:00.000Z', // a leap day
  '2028-03-01T00:00:00.000Z',
  '2027-01-01T00:00:00.000Z',
]

describe('while the clock jumps', () => {
  let service: TestService
  let clock: ManualClock
  const made: { readonly Id: string; readonly number: string }[] = []
  before(async () => {
    clock = manualClock(MOMENTS[0])
    service = await testService({ clock })
  })
  after(() => service.discard())

  it('each record gets a number that no other has, of the year that the clock shows', async () => {
    for (const moment of [...MOMENTS, ...MOMENTS.toReversed()]) {
      clock.jump(moment)
      clock.pass(5)
      const year = new Date(clock.now()).getUTCFullYear()
      for (let i = 0; i < 2; i++) {
        const contract = await service.create('contract', {
          MonthlyRent: { Amount: 1_000, Currency: 'EUR' },
          StartDate: '2040-01-01',
        })
        const { Id } = contract
        const number = textOf(contract, 'ContractNumber')
        expect(number).to.match(new RegExp(`^CON-${year}-\\d{4}$`))
        made.push({ Id, number })
      }
    }
    expect(new Set(made.map(({ number }) => number)).size).to.equal(made.length)
    // Nor are there gaps: in each year they count on.
    for (const year of ['2026', '2027', '2028']) {
      const sequence = made
        .filter(({ number }) => number.includes(year))
        .map(({ number }) => Number(number.slice(-4)))
      expect(sequence).to.deep.equal(sequence.map((_, index) => index + 1))
    }
  })

  it('Keys, the audit and the feed of changes keep the order in which things happened', async () => {
    const keys = made.map(({ Id }) => Id)
    expect(keys).to.deep.equal([...keys].sort())
    const audit = await service.list('audit', { object: 'contract', pageSize: '100' })
    const told = audit.list.filter((item) => item['Event'] === 'contract.created')
    const positions = told.map((item) => Number(item['Position']))
    const inOrder = [...told].sort((a, b) => Number(a['Position']) - Number(b['Position']))
    expect(new Set(positions).size).to.equal(made.length)
    expect(inOrder.map((item) => item['Key'])).to.deep.equal(keys)
    const changes = await service.list('contract/changes', { pageSize: '100' })
    expect(changes.list.map(({ Id }) => Id)).to.deep.equal(keys)
  })

  it('so do the changes of one record, and the last that was written is what it is', async () => {
    const { Id } = made[0]!
    for (const [index, moment] of MOMENTS.entries()) {
      clock.jump(moment)
      expect((await service.patch(`contract/${Id}`, { Duration: index + 1 })).status).to.equal(200)
    }
    expect((await service.get(`contract/${Id}`)).data['Duration']).to.equal(MOMENTS.length)
    const { list } = await service.list(`contract/${Id}/history`, { pageSize: '100' })
    const versions = list.map((item) => item['Version'])
    expect(versions).to.deep.equal(versions.map((_, index) => index + 1))
    const changes = list.slice(1).map((item) => (item['Changes'] as { Duration: { To: number } }).Duration.To)
    expect(changes).to.deep.equal(MOMENTS.map((_, index) => index + 1))
  })

  it('tokens end no later than they say, by a clock that is set back as by one that is right', async () => {
    // Right again: what has passed since the start is what the clock shows.
    clock.jump(new Date(Date.parse(MOMENTS[0]!) + clock.elapsed()).toISOString())
    const { Id, value } = await makeToken(service)
    const expires = Date.parse(textOf((await service.get(`identity/tokens/${Id}`)).data, 'ExpiresAt'))
    const left = expires - clock.now()
    expect(left).to.be.greaterThan(0)
    clock.pass(left - 1_000)
    clock.jump('2026-12-31T22:59:59.000Z')
    const status = async () => (await service.get('identity/me', withToken(value))).status
    expect(await status()).to.equal(200)
    clock.pass(2_000)
    clock.jump('2026-01-01T00:00:00.000Z')
    expect(await status()).to.equal(401)
  })

  it('what a filter calls now() is the moment that the clock shows', async () => {
    const later = async (moment: string) => {
      clock.jump(moment)
      return (await service.list('contract', { filter: 'CreatedAt gt now()', pageSize: '100' })).list.length
    }
    expect([await later('2026-01-01T00:00:00.000Z'), await later('2039-01-01T00:00:00.000Z')]).to.deep.equal([
      made.length,
      0,
    ])
  })

  it('nothing goes wrong inside', () => expect(service.logged).to.deep.equal([]))
})
