/**
 * The story of the warehouse over MongoDB, with events embedded and in EventStoreDB, and what only several processes can
 * show: one writes it, and each answers from a copy of its own.
 */
import { expect } from 'chai'
import { mongoUnderTest, NOT_TESTED } from '../../engines/mongodb-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { startPeer, type Peer } from '../../peers/eventstoredb/start-peer.ts'
import { ownCompany } from '../../support/own-company.ts'
import { SECRETS_KEYS } from '../../support/secrets-keys.ts'
import { client, testService, TOKEN, type Client } from '../../support/service.ts'
import { eventually } from '../support/eventually.ts'
import { startMain, type MainProcess } from '../support/main-process.ts'
import { warehouseStory } from '../stories/warehouse-story.ts'

/** The lease of the dead lapses after 6 s; what a busy machine adds is not the service's. */
const TAKEOVER_MS = 40_000

const mongo = mongoUnderTest()
const suite = suiteOf('the story of the warehouse over MongoDB', mongo ? undefined : NOT_TESTED)
const eventStoreUrl = process.env['EVENTSTORE_URL']

suite(`the warehouse over ${mongo?.name ?? 'MongoDB'}`, function () {
  this.timeout(60_000)
  let peer: Peer | undefined
  before(async () => {
    if (!eventStoreUrl) peer = await startPeer()
    await mongo!.start()
  })
  after(async () => {
    await peer?.stop()
    await mongo!.stop()
  })
  const EVENTSTORE_URL = () => eventStoreUrl ?? peer!.url

  describe('of events that are embedded', () =>
    warehouseStory(
      () => testService({ settings: { MONGODB_URL: mongo!.newDatabase(), SECRETS_KEYS } }),
      () => TOKEN,
    ))

  describe('of events in EventStoreDB', () => {
    let token = ''
    warehouseStory(
      async () => {
        token = await ownCompany(EVENTSTORE_URL())
        const settings = {
          EVENTSTORE_URL: EVENTSTORE_URL(),
          MONGODB_URL: mongo!.newDatabase(),
          SECRETS_KEYS,
        }
        return testService({ settings, token })
      },
      () => token,
    )
  })

  describe('in processes of different roles', () => {
    const processes: MainProcess[] = []
    let writers: MainProcess[] = []
    let [one, other] = [] as unknown as [Client, Client]

    before(async () => {
      const settings = {
        EVENTSTORE_URL: EVENTSTORE_URL(),
        MONGODB_URL: mongo!.newDatabase(),
        SECRETS_KEYS,
        RATE_LIMIT_PER_MINUTE: '0',
      }
      const token = await ownCompany(settings.EVENTSTORE_URL)
      const start = (roles: string) => startMain({ ...settings, ROLES: roles })
      writers = await Promise.all([start('projections'), start('projections')])
      const apis = await Promise.all([start('api'), start('api')])
      processes.push(...writers, ...apis)
      ;[one, other] = apis.map(({ url }) => client(() => url, token)) as [Client, Client]
    })
    after(() => Promise.all(processes.map((process) => process.end('SIGTERM'))))

    const names = async (asked: Client, position: string) => {
      const Sql = 'SELECT Name FROM wh_Leasing_Tenant ORDER BY Key'
      const answer = await asked.post('warehouse/query', { Sql }, { 'Daybook-At-Least': position })
      expect(answer.status, answer.text).to.equal(200)
      return (answer.data as unknown as { Rows: string[][] }).Rows.flat()
    }
    const written: string[] = []
    const write = async (through: Client) => {
      const Name = `Tenant ${written.length}`
      const answer = await through.post('tenant', { Name })
      expect(answer.status, answer.text).to.equal(201)
      written.push(Name)
      return answer.headers.get('Daybook-Position') ?? ''
    }

    it('each shows in SQL what was written through the other', async () => {
      for (const [through, asked] of [
        [one, other],
        [other, one],
        [one, one],
      ] as const) {
        const position = await write(through)
        await eventually('the warehouse has it', async () =>
          expect(await names(asked, position)).to.deep.equal(written),
        )
      }
    })

    it('when the process that writes is killed, the other takes over, and nothing is lost', async () => {
      await writers[0]!.end('SIGKILL')
      const position = await write(one)
      const shown = async () => expect(await names(other, position)).to.deep.equal(written)
      await eventually('the warehouse has it', shown, TAKEOVER_MS)
    })
  })
})
