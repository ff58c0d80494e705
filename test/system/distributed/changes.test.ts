/**
 * The feed of changes on the distributed engines, while processes are killed, those that write the read models as well as
 * those that answer, and read models are built anew meanwhile: each change is told once, in order, and none is left out; and
 * in the end read models and warehouses are what the events say.
 */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { verifyReadModels } from '../../../scripts/verify/verify-read-models.ts'
import { verifyWarehouse } from '../../../scripts/verify/verify-warehouse.ts'
import { withInternal } from '../../../src/compose/parts/definitions.ts'
import { loadDefinitions } from '../../../src/definitions/load.ts'
import { eventStoreUnderTest } from '../../engines/event-store-under-test.ts'
import { mongoUnderTest, NOT_TESTED } from '../../engines/mongodb-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { whileRunning } from '../../engines/while-running.ts'
import { checkFeed, feedClients } from '../../faults/ledger/feed.ts'
import { httpClient, type HttpClient } from '../../faults/ledger/http-client.ts'
import { seededRandom } from '../../support/random.ts'
import { startService, withFolder, type ServiceProcess } from '../../faults/ledger/service-process.ts'
import { ownCompany } from '../../support/own-company.ts'
import { SECRETS_KEYS } from '../../support/secrets-keys.ts'
import { eventually } from '../support/eventually.ts'
import { eventsIn } from '../support/events-in.ts'

const mongo = mongoUnderTest()
const suite = suiteOf('the feed of changes over MongoDB', mongo ? undefined : NOT_TESTED)
const definitions = withInternal(
  loadDefinitions([join(import.meta.dirname, '..', '..', '..', 'definitions')]),
)

/** Of a rebuild while a stand-in of MongoDB takes all of the machine. */
const REBUILD_MS = 150_000

suite(`the feed of changes over ${mongo?.name ?? 'MongoDB'}`, function () {
  this.timeout(600_000)
  const eventStore = eventStoreUnderTest()
  whileRunning(eventStore, mongo!)

  it('tells each change once, in order, and leaves none out, whichever process is killed', () =>
    withFolder(async (folder) => {
      const EVENTSTORE_URL = eventStore.url()
      const settings = { EVENTSTORE_URL, MONGODB_URL: mongo!.newDatabase(), SECRETS_KEYS }
      const token = await ownCompany(EVENTSTORE_URL)
      const random = seededRandom(7)
      const processes = new Map<string, ServiceProcess>()
      const clientsOf = new Map<string, HttpClient>()
      const start = async (name: string, ROLES: string) => {
        const of = { dataDir: join(folder, name), settings: { ...settings, ROLES } }
        const process = await startService(of)
        processes.set(name, process)
        clientsOf.set(name, httpClient({ url: process.url, token }))
      }
      const kill = async (name: string) => {
        await processes.get(name)!.end('SIGKILL')
        clientsOf.get(name)!.close()
      }
      const again = async (...names: readonly string[]) => {
        await Promise.all(names.map(kill))
        await Promise.all(names.map((name) => start(name, name.slice(0, -1))))
      }
      await Promise.all(
        ['projections1', 'projections2', 'api1', 'api2'].map((name) => start(name, name.slice(0, -1))),
      )
      // Readers go from one process to the other with the same token.
      const http = () => clientsOf.get(random.pick(['api1', 'api2']))!
      // No faster than the stand-in can apply beside the rebuild, or that would never catch up.
      const clients = feedClients({ http, random, writers: 3, pauseMs: 150 })
      const rebuild = (projection = 'records') =>
        eventually('a rebuild begins', async () => {
          const path = `/api/v1/projections/${projection}/rebuild`
          expect(await clients.ask({ method: 'POST', path }, 202)).to.equal(true)
        })
      const rebuilt = () =>
        eventually(
          'the rebuild has ended',
          async () => {
            const answer = await http().send({ method: 'GET', path: '/api/v1/projections' })
            expect(answer?.text).to.include('"live"').and.not.include('"rebuilding"')
          },
          REBUILD_MS,
        )
      const some = () => delay(random.between(150, 500))

      for (const step of [
        async () => again('projections1'),
        async () => again('api1'),
        async () => {
          await rebuild()
          await delay(random.between(0, 300))
          await again('projections1', 'projections2')
        },
        async () => {
          await rebuild()
          await rebuilt()
          await again('projections1', 'projections2')
        },
        async () => {
          await rebuild('warehouse-mongodb')
          await rebuilt()
        },
        async () => {
          await rebuild()
          await again('api2')
        },
      ]) {
        await some()
        if (clients.failure()) break
        await step()
      }
      await some()
      await clients.finish()
      // Read models are not compared while they are being rebuilt.
      await rebuilt()

      const changes = checkFeed(clients.told, await eventsIn(EVENTSTORE_URL))
      // And what those who were killed have left is what the events say.
      const { MONGODB_URL: mongoUrl } = settings
      const what = { dataDir: folder, eventStoreUrl: EVENTSTORE_URL, mongoUrl, definitions }
      expect((await verifyReadModels(what)).differences).to.deep.equal([])
      expect((await verifyWarehouse(what)).differences).to.deep.equal([])
      for (const name of processes.keys()) await kill(name)
      console.log(
        `        ${changes.length} changes, ${clients.told.length} told in ${clients.pages()} pages`,
      )
      expect(changes.length).to.be.greaterThan(30)
    }))
})

/** Everything that the server has; leads are this test's own. */
