/** What is sent when, to whom, in which order, and when no more: in virtual time (W4, W5, W6, W8). */
import { setImmediate as turn } from 'node:timers/promises'
import { verify } from '@octokit/webhooks-methods'
import { expect } from 'chai'
import { Unavailable } from '../../src/domain/errors.ts'
import type { PostOutcome } from '../../src/ports/http-sender.ts'
import type { Outbox } from '../../src/ports/outbox.ts'
import { DEFAULT_SCHEDULE } from '../../src/webhooks/schedule.ts'
import { COMPANY } from '../support/endpoints.ts'
import { startSending, status, type Seen, type Sending } from './sending.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const idOf = ({ headers }: Seen) => headers['webhook-id']
const dataOf = ({ body }: Seen) => (JSON.parse(body) as { Data: { Id: string; Version: number } }).Data

describe('deliveries', () => {
  let sending: Sending
  afterEach(() => sending.close())
  const start = async (...given: Parameters<typeof startSending>) => (sending = await startSending(...given))
  const states = async (key: string) =>
    (await sending.outbox.list(COMPANY, key, { offset: 0, limit: 1_000 })).deliveries.map(
      ({ state }) => state,
    )

  describe('that fail', () => {
    it('are tried at the times of the schedule, and then no more', async () => {
      await start(() => status(500))
      await sending.endpoint('a')
      await sending.send('tenant-1', 1, ['a'])
      await sending.work('a')
      const gaps = sending.seen.map(({ at }, i) => at - (sending.seen[i - 1]?.at ?? 0))
      expect(gaps).to.deep.equal(DEFAULT_SCHEDULE)
      expect(await states('a')).to.deep.equal(['failed'])
      expect(sending.disabled).to.deep.equal([])
    })

    it('are the same bytes and id each time, signed anew', async () => {
      await start(() => status(500))
      await sending.endpoint('a')
      await sending.send('tenant-1', 1, ['a'])
      await sending.work('a')
      expect(new Set(sending.seen.map(idOf)).size).to.equal(1)
      expect(new Set(sending.seen.map(({ body }) => body)).size).to.equal(1)
      expect(new Set(sending.seen.map(({ headers }) => headers['webhook-timestamp'])).size).to.equal(10)
      expect(sending.seen.map(({ headers }) => headers['Daybook-Attempt'])).to.deep.equal(
        DEFAULT_SCHEDULE.map((_, i) => String(i + 1)),
      )
      for (const { body, headers } of sending.seen)
        expect(await verify('secret', body, headers['X-Hub-Signature-256']!)).to.equal(true)
    })

    for (const code of [100, 199, 300, 301, 302, 304, 307, 308, 400, 404, 429, 500, 503, 599])
      it(`are those answered by ${code}`, async () => {
        await start(() => status(code))
        await sending.endpoint('a')
        await sending.send('tenant-1', 1, ['a'])
        await sending.work('a', 0)
        expect(await states('a')).to.deep.equal(['pending'])
      })

    for (const code of [200, 201, 202, 204, 299])
      it(`are not those answered by ${code}`, async () => {
        await start(() => status(code))
        await sending.endpoint('a')
        await sending.send('tenant-1', 1, ['a'])
        await sending.work('a')
        expect(await states('a')).to.deep.equal(['delivered'])
        expect(sending.seen).to.have.length(1)
      })

    it('wait as long as Retry-After asks', async () => {
      await start((_post, { seen }) =>
        seen.length === 1 ? status(429, { 'retry-after': '3600' }) : status(204),
      )
      await sending.endpoint('a')
      await sending.send('tenant-1', 1, ['a'])
      await sending.work('a')
      expect(sending.seen.map(({ at }) => at)).to.deep.equal([0, HOUR])
    })

    it('stop at once when the receiver is gone (410), and its endpoint is disabled', async () => {
      await start(() => status(410))
      await sending.endpoint('a')
      for (let i = 1; i <= 5; i++) await sending.send(`tenant-${i}`, 1, ['a'])
      await sending.work('a')
      expect(sending.seen).to.have.length(1)
      expect(sending.disabled.map(({ key }) => key)).to.deep.equal(['a'])
      expect(await states('a')).to.deep.equal(Array(5).fill('pending'))
    })

    it('for five days and nothing else disable the endpoint', async () => {
      await start(() => ({ error: 'refused' }))
      await sending.endpoint('a')
      for (let day = 0; day < 7; day++) {
        await sending.send(`tenant-${day}`, 1, ['a'])
        await sending.work('a', (day + 1) * DAY)
        sending.pass(Math.max(0, (day + 1) * DAY - sending.now()))
      }
      expect(sending.disabled).to.have.length(1)
      const after = sending.seen.filter(({ at }) => at >= 5 * DAY)
      expect(after, 'one attempt finds out; then none').to.have.length(1)
    })

    it('for five days, but not only, disable nothing', async () => {
      await start((post) => status(dataOf(post).Id === 'tenant-good' ? 204 : 500))
      await sending.endpoint('a')
      for (let day = 0; day < 7; day++) {
        await sending.send(`tenant-${day}`, 1, ['a'])
        if (day === 3) await sending.send('tenant-good', 1, ['a'])
        await sending.work('a', (day + 1) * DAY)
        sending.pass(Math.max(0, (day + 1) * DAY - sending.now()))
      }
      expect(sending.disabled).to.deep.equal([])
      const [health] = await sending.outbox.health(COMPANY, ['a'])
      expect(health?.failingSince?.slice(0, 10)).to.equal('2026-11-24')
    })

    it('begin their five days anew when the endpoint is turned on again', async () => {
      await start(() => status(410))
      const endpoint = await sending.endpoint('a')
      await sending.send('tenant-1', 1, ['a'])
      await sending.work('a')
      sending.pass(30 * DAY)
      await sending.endpoint('a', endpoint)
      expect((await sending.outbox.health(COMPANY, ['a']))[0]).to.not.have.property('failingSince')
    })
  })

  describe('of one endpoint', () => {
    it('go out one at a time at first, more at once as they are taken, and never more than ten', async () => {
      let atOnce = 0
      const most: number[] = []
      await start(async () => {
        most.push(++atOnce)
        await turn()
        await turn()
        atOnce--
        return status(204)
      })
      await sending.endpoint('a')
      for (let i = 0; i < 100; i++) await sending.send(`tenant-${i}`, 1, ['a'])
      await sending.work('a')
      expect(sending.seen).to.have.length(100)
      expect(most[0]).to.equal(1)
      expect(Math.max(...most)).to.equal(10)
    })

    it('go out one at a time again after one has failed', async () => {
      let atOnce = 0
      const most: number[] = []
      await start(async (post) => {
        most.push(++atOnce)
        await turn()
        await turn()
        atOnce--
        return status(dataOf(post).Id === 'tenant-bad' ? 500 : 204)
      })
      await sending.endpoint('a')
      for (let i = 0; i < 20; i++) await sending.send(`tenant-${i}`, 1, ['a'])
      await sending.work('a')
      await sending.send('tenant-bad', 1, ['a'])
      await sending.work('a', 0)
      most.length = 0
      for (let i = 20; i < 40; i++) await sending.send(`tenant-${i}`, 1, ['a'])
      await sending.work('a', 0)
      expect(most.slice(0, 2)).to.deep.equal([1, 1])
    })

    it('wait until reads show their event', async () => {
      let isShown = false
      await start(() => status(204), { visible: async () => isShown })
      await sending.endpoint('a')
      await sending.send('tenant-1', 1, ['a'])
      expect(await sending.drains.drain('a')).to.equal(500)
      expect(sending.seen).to.deep.equal([])
      isShown = true
      await sending.work('a')
      expect(sending.seen).to.have.length(1)
    })

    it('are never two of one record at once, and the first attempts keep the order of the events', async () => {
      const underWay = new Set<string>()
      await start(async (post) => {
        const { Id } = dataOf(post)
        expect(underWay.has(Id), `${Id} is under way`).to.equal(false)
        underWay.add(Id)
        await turn()
        underWay.delete(Id)
        return status(204)
      })
      await sending.endpoint('a')
      for (let version = 1; version <= 20; version++)
        for (let record = 0; record < 5; record++) await sending.send(`tenant-${record}`, version, ['a'])
      await sending.work('a')
      expect(sending.trouble).to.deep.equal([])
      for (let record = 0; record < 5; record++) {
        const versions = sending.seen.map(dataOf).filter(({ Id }) => Id === `tenant-${record}`)
        expect(versions.map(({ Version }) => Version)).to.deep.equal(
          Array.from({ length: 20 }, (_, i) => i + 1),
        )
      }
    })

    it('overtake one that failed, unless order is asked for', async () => {
      const failOnce = (post: Seen, { seen }: Sending) =>
        status(
          dataOf(post).Version === 1 && seen.filter((one) => idOf(one) === idOf(post)).length < 3 ? 500 : 204,
        )
      for (const ordered of [false, true]) {
        await start(failOnce)
        await sending.endpoint('a', { ordered })
        for (const version of [1, 2, 3]) await sending.send('tenant-1', version, ['a'])
        await sending.send('tenant-2', 1, ['a'])
        await sending.work('a')
        const first = sending.seen.map(dataOf).filter(({ Id }) => Id === 'tenant-1')
        const versions = first.map(({ Version }) => Version)
        expect(versions).to.deep.equal(ordered ? [1, 1, 1, 2, 3] : [1, 2, 3, 1, 1])
        const other = sending.seen.find((post) => dataOf(post).Id === 'tenant-2')!
        expect(other.at, 'another record does not wait').to.equal(0)
        if (!ordered) await sending.close()
      }
    })

    it('go on in order after one that was given up', async () => {
      await start((post) => status(dataOf(post).Version === 1 ? 500 : 204), { schedule: [0, 1_000] })
      await sending.endpoint('a', { ordered: true })
      for (const version of [1, 2]) await sending.send('tenant-1', version, ['a'])
      await sending.work('a')
      expect(sending.seen.map((post) => dataOf(post).Version)).to.deep.equal([1, 1, 2])
    })
  })

  describe('are not made', () => {
    it('to an endpoint that is deleted, also when they were due before', async () => {
      await start(() => status(204))
      await sending.endpoint('a')
      await sending.send('tenant-1', 1, ['a'])
      await sending.outbox.store([{ op: 'forget', key: 'a', position: 100 }], 100)
      await sending.work('a')
      expect(sending.seen).to.deep.equal([])
      expect(await states('a')).to.deep.equal(['cancelled'])
    })

    it('to one that is deleted while another attempt is under way', async () => {
      const gate = Promise.withResolvers<PostOutcome>()
      await start(() => gate.promise)
      await sending.endpoint('a')
      for (let i = 1; i <= 3; i++) await sending.send(`tenant-${i}`, 1, ['a'])
      const working = sending.work('a')
      await turn()
      await sending.outbox.store([{ op: 'forget', key: 'a', position: 100 }], 100)
      gate.resolve(status(204))
      await working
      expect(sending.seen).to.have.length(1)
    })

    it('to one that is disabled while they wait for a slot', async () => {
      const gate = Promise.withResolvers<PostOutcome>()
      await start(() => gate.promise, { atOnce: 1 })
      await sending.endpoint('a')
      const endpoint = await sending.endpoint('b')
      await sending.send('tenant-1', 1, ['a'])
      await sending.send('tenant-2', 1, ['b'])
      const [first, second] = [sending.work('a', 0), sending.work('b', 0)]
      for (let i = 0; i < 10; i++) await turn()
      await sending.endpoint('b', { ...endpoint, active: false })
      gate.resolve(status(204))
      await Promise.all([first, second])
      expect(sending.seen.map(({ url }) => url)).to.deep.equal(['https://a.example/'])
      expect(await states('b')).to.deep.equal(['pending'])
    })

    it('count for nothing when they were cut off by our own end', async () => {
      await start((_post, { drains }) => {
        void drains.stop()
        return { error: 'the service has stopped', aborted: true }
      })
      await sending.endpoint('a')
      await sending.send('tenant-1', 1, ['a'])
      await sending.drains.drain('a')
      const { deliveries } = await sending.outbox.list(COMPANY, 'a', { offset: 0, limit: 1 })
      expect(deliveries[0]).to.include({ state: 'pending', attempts: 0 })
      expect((await sending.outbox.health(COMPANY, ['a']))[0]).to.not.have.property('failingSince')
    })

    it('to one that is not active, and go on when it is again', async () => {
      await start(() => status(204))
      const endpoint = await sending.endpoint('a', { active: false })
      await sending.send('tenant-1', 1, ['a'])
      await sending.work('a')
      expect(sending.seen).to.deep.equal([])
      await sending.endpoint('a', { ...endpoint, active: true })
      await sending.work('a')
      expect(await states('a')).to.deep.equal(['delivered'])
    })

    it('with a secret whose time is over', async () => {
      const old = { sealed: 'sealed:old', until: '2026-11-22T12:00:00Z' }
      await start(() => status(500), { schedule: [0, 12 * HOUR, 12 * HOUR] })
      await sending.endpoint('a', { secrets: [{ sealed: 'sealed:new' }, old] })
      await sending.send('tenant-1', 1, ['a'])
      await sending.work('a')
      const signatures = sending.seen.map(({ headers }) => headers['webhook-signature']!.split(' ').length)
      expect(signatures).to.deep.equal([2, 2, 1])
    })
  })

  it('go on after the outbox was away, and not beside those that were under way then', async () => {
    const gate = Promise.withResolvers<PostOutcome>()
    let asked = 0
    const between = (outbox: Outbox): Outbox => ({
      ...outbox,
      due: (key, wanted) =>
        ++asked === 3 ? Promise.reject(new Unavailable('the outbox is away')) : outbox.due(key, wanted),
    })
    await start((post) => (dataOf(post).Id === 'tenant-3' ? gate.promise : status(204)), { between })
    await sending.endpoint('a')
    for (let i = 1; i <= 4; i++) await sending.send(`tenant-${i}`, 1, ['a'])
    const working = sending.work('a')
    for (let i = 0; i < 20; i++) await turn()
    expect(asked, 'it was away while one was under way').to.equal(3)
    expect(await sending.drains.drain('a')).to.equal(undefined)
    gate.resolve(status(204))
    await working
    expect(sending.seen.map((post) => dataOf(post).Id)).to.deep.equal([1, 2, 3, 4].map((i) => `tenant-${i}`))
    expect(await states('a')).to.deep.equal(Array(4).fill('delivered'))
  })

  it('of one endpoint hold up those of no other', async () => {
    const silent = Promise.withResolvers<PostOutcome>()
    await start((post) => (post.url.includes('silent') ? silent.promise : status(204)))
    await sending.endpoint('silent')
    await sending.endpoint('good')
    for (let i = 0; i < 20; i++) await sending.send(`tenant-${i}`, 1, ['silent', 'good'])
    const waiting = sending.work('silent', 0)
    await sending.work('good')
    expect(await states('good')).to.deep.equal(Array(20).fill('delivered'))
    expect(sending.seen.filter(({ url }) => url.includes('silent'))).to.have.length(1)
    silent.resolve(status(204))
    await waiting
  })
})
