/**
 * Reads as of a moment, told on whatever engines: for a history that nobody thought of, with a clock that is set back now
 * and then, every answer is what a replay of the audit's events shows that is cut at that moment.
 */
import { join } from 'node:path'
import { expect } from 'chai'
import { randomOf } from '../../../scripts/demo/random.ts'
import { loadDefinitions } from '../../../src/definitions/load.ts'
import type { RecordedEvent } from '../../../src/domain/events/event.ts'
import type { Fields } from '../../../src/domain/json.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Answer, TestService } from '../../support/service.ts'
import { pastAt, type Past } from '../../support/told-events.ts'
import { contractBody } from '../support/leasing.ts'

const MOVES = 28
const NAMES = ['Ann', 'Bea', 'Ärger & Söhne', 'Cid']
const definitions = loadDefinitions([join(import.meta.dirname, '..', '..', '..', 'definitions')])

interface Entry {
  readonly Position: number
  readonly Key: string
  readonly Version: number
  readonly Event: string
  readonly At: string
  readonly Data: Fields
}

export function asOfStory(open: (clock: Clock) => Promise<TestService>): void {
  describe('and reading as of any moment', () => {
    const random = randomOf('as of')
    let service: TestService
    let events: readonly RecordedEvent[]
    let now = Math.floor(Date.now() / 1_000) * 1_000
    const at = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`

    before(async () => {
      service = await open({ now: () => now, elapsed: () => performance.now() })
      const succeeded = (answer: Answer) => expect(answer.status, answer.text).to.be.below(300)
      const create = async (object: string, body: Fields) => (await service.create(object, body)).Id
      const tenants = [await create('tenant', { Name: 'Ann' }), await create('tenant', { Name: 'Bea' })]
      const live: string[] = []
      const gone: string[] = []
      for (let i = 0; i < MOVES; i++) {
        now += random.chance(0.15) ? -2_000 : 1_000 * random.between(0, 2)
        const what = live.length < 3 ? 0 : random.next()
        const Tenant = random.pick(tenants)
        if (what < 0.3) live.push(await create('contract', contractBody({ Tenant, Notes: `note ${i}` })))
        else if (what < 0.5) succeeded(await service.patch(`tenant/${Tenant}`, { Name: random.pick(NAMES) }))
        else if (what < 0.75)
          succeeded(await service.patch(`contract/${random.pick(live)}`, { Notes: `note ${i}`, Tenant }))
        else if (what < 0.9 || gone.length === 0) {
          const [key] = live.splice(random.between(0, live.length - 1), 1)
          succeeded(await service.delete(`contract/${key}`))
          gone.push(key!)
        } else {
          const key = gone.pop()!
          succeeded(await service.post(`contract/${key}/restore`))
          live.push(key)
        }
      }
      // What is asked from here on lies after all that is asked about.
      now += 3_600_000
      const { text } = await service.get('audit/export')
      const entries = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Entry)
      events = entries.map(
        ({ Position: position, Key: stream, Version: version, Event: type, At, Data: data }) =>
          ({ position, stream, version, type, data, metadata: { recordedAt: At } }) as RecordedEvent,
      )
    })
    after(() => service.discard())

    /** Every second in which something happened, with what was at its end. */
    const moments = (): { readonly moment: string; readonly past: Past }[] =>
      [...new Set(events.map(({ metadata }) => metadata.recordedAt))].map((moment) => {
        const until = events.findLast(({ metadata }) => metadata.recordedAt <= moment)!
        return { moment, past: pastAt(definitions, events, until.position) }
      })
    const byId = (records: readonly Fields[]) =>
      records.toSorted((one, other) => ((one['Id'] as string) < (other['Id'] as string) ? -1 : 1))

    it('shows each list as a replay does that is cut at that moment', async () => {
      let compared = 0
      for (const { moment, past } of moments()) {
        const list = await service.list('contract', { asOf: moment, sort: 'Id', pageSize: '100' })
        expect(list.list, moment).to.deep.equal(byId(past.live('contract')))
        expect(list.pagination.TotalRecords).to.equal(list.list.length)
        compared += list.list.length
      }
      expect(compared).to.be.above(MOVES)
    })

    it('filters and searches by the names of then', async () => {
      for (const [filter, search, Name] of [
        ["Tenant/Name eq 'Bea'", 'bea', 'Bea'],
        ["contains(Tenant/Name, 'söhne')", 'sohne arger', 'Ärger & Söhne'],
      ] as const)
        for (const { moment, past } of moments()) {
          const shown = byId(past.live('contract')).filter(
            ({ Tenant }) => (Tenant as Fields | null)?.['Name'] === Name,
          )
          for (const how of [{ filter }, { search }]) {
            const found = await service.list('contract', {
              ...how,
              asOf: moment,
              sort: 'Id',
              pageSize: '100',
            })
            expect(found.list, `${moment} ${JSON.stringify(how)}`).to.deep.equal(shown)
          }
        }
    })

    it('shows each record as it was, with its version, or that it was not there', async () => {
      const keys = [...new Set(events.map(({ stream }) => stream))].filter((key) =>
        key.startsWith('contract-'),
      )
      for (const { moment, past } of moments())
        for (const key of keys) {
          const answer = await service.get(`contract/${key}?asOf=${moment}`)
          const { status, version } = past.stateOf(key)
          expect(answer.status, `${key} ${moment}`).to.equal(status === 'live' ? 200 : 404)
          if (status !== 'live') continue
          expect(answer.data).to.deep.equal(past.served(key))
          expect(answer.headers.get('ETag')).to.equal(`"${version}"`)
        }
    })

    it('shows nothing before anything was', async () => {
      const { list } = await service.list('contract', { asOf: at(0) })
      expect(list).to.deep.equal([])
    })
  })
}
