/**
 * An import and two processes: whichever works on it, each row of the file is one record in the end. One that works is left to
 * its work; one that was killed is followed by the other; one that slept goes on beside the one that took over.
 */
import { join } from 'node:path'
import { expect } from 'chai'
import { eventStoreUnderTest } from '../../engines/event-store-under-test.ts'
import { mongoUnderTest, NOT_TESTED } from '../../engines/mongodb-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { whileRunning } from '../../engines/while-running.ts'
import { startService, withFolder, type ServiceProcess } from '../../faults/ledger/service-process.ts'
import { countsIn, CSV, settled } from '../../imports/import-support.ts'
import { ownCompany } from '../../support/own-company.ts'
import { SECRETS_KEYS } from '../../support/secrets-keys.ts'
import { client, type Client } from '../../support/service.ts'
import { eventually } from '../support/eventually.ts'
import { eventsIn } from '../support/events-in.ts'

const mongo = mongoUnderTest()
const suite = suiteOf('an import and two processes', mongo ? undefined : NOT_TESTED)

const ROWS = 2_500
/** Another process takes over what has not moved on between two looks, 30 s apart. */
const TAKEN_OVER_MS = 120_000

const file = () =>
  `Name,ExternalId\n${Array.from({ length: ROWS }, (_, i) => `Tenant ${i},E-${i}`).join('\n')}\n`

suite(`an import and two processes over ${mongo?.name ?? 'MongoDB'}`, function () {
  this.timeout(600_000)
  whileRunning(mongo!)
  const eventStore = eventStoreUnderTest()
  let mongoUrl: string
  // Stores of its own for each test: what another test has written does not have to be in the read models first.
  beforeEach(async () => {
    await eventStore.start()
    mongoUrl = mongo!.newDatabase()
  })
  afterEach(() => eventStore.stop())

  const begun = async (folder: string) => {
    const EVENTSTORE_URL = eventStore.url()
    const settings = { EVENTSTORE_URL, MONGODB_URL: mongoUrl, SECRETS_KEYS }
    const token = await ownCompany(EVENTSTORE_URL)
    const start = (name: string, ROLES: string) =>
      startService({ dataDir: join(folder, name), settings: { ...settings, ROLES } })
    const [working, other] = await Promise.all([
      start('one', 'api,projections,scheduler'),
      start('other', 'api,projections,scheduler'),
    ])
    const apiOf = (process: ServiceProcess) => client(() => process.url, token)
    const api = apiOf(other)
    const sent = await apiOf(working).post('tenant/import?commit=true', file(), CSV)
    expect(sent.status, sent.text).to.equal(202)
    await eventually(
      'rows are being written',
      async () => {
        const progress = (await apiOf(working).get(`imports/${sent.data.Id}`)).data['Counts'] as {
          Done: number
        }
        expect(progress.Done).to.be.greaterThan(500)
      },
      60_000,
    )
    return { working, other, api, key: sent.data.Id }
  }

  it('is taken over when the one that works on it is killed', () =>
    withFolder(async (folder) => {
      const { working, api, key } = await begun(folder)
      await working.end('SIGKILL')
      await mustBeWhole(api, eventStore.url(), key)
    }))

  it('is worked on by two, when the first had only slept', () =>
    withFolder(async (folder) => {
      const { working, other, api, key } = await begun(folder)
      process.kill(working.pid, 'SIGSTOP')
      const before = doneIn((await api.get(`imports/${key}`)).data)
      await eventually(
        'the other takes over',
        async () => {
          const { data } = await api.get(`imports/${key}`)
          expect(doneIn(data), `${JSON.stringify(data)}\n${other.output()}`).to.be.greaterThan(before)
        },
        TAKEN_OVER_MS,
      )
      process.kill(working.pid, 'SIGCONT')
      await mustBeWhole(api, eventStore.url(), key)
    }))
})

const doneIn = (whole: Record<string, unknown>) => (whole['Counts'] as { Done?: number } | null)?.Done ?? 0

/** Each row is one tenant; its outcome is known, and says so. By the events: lists are late on a stand-in of MongoDB. */
async function mustBeWhole(api: Client, eventStoreUrl: string, key: string): Promise<void> {
  const whole = await settled(api, key)
  const none = { Updated: 0, Unchanged: 0, Skipped: 0, Failed: 0, Undone: 0, Kept: 0 }
  expect([whole['State'], countsIn(whole)]).to.deep.equal([
    'Completed',
    { Rows: ROWS, Done: ROWS, Created: ROWS, ...none },
  ])
  const ids = new Set<unknown>()
  for (let page = 1; page <= ROWS / 100; page++)
    for (const { Id } of (await api.get(`imports/${key}/rows?page=${page}&pageSize=100`)).list) ids.add(Id)
  const written = (await eventsIn(eventStoreUrl)).filter(
    ({ type, metadata }) => type === 'tenant.created' && metadata.source.startsWith(`import:${key}#`),
  )
  expect([ids.size, written.length]).to.deep.equal([ROWS, ROWS])
  expect(new Set(written.map(({ data }) => data['ExternalId'])).size).to.equal(ROWS)
  expect(new Set(written.map(({ stream }) => stream))).to.deep.equal(ids)
}
