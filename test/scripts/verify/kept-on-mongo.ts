/** A service whose read models and warehouse are kept on MongoDB, with a little of everything in it, to be verified. */
import { join } from 'node:path'
import { MongoClient, type Collection, type Db } from 'mongodb'
import { withInternal } from '../../../src/compose/parts/definitions.ts'
import { loadDefinitions } from '../../../src/definitions/load.ts'
import { eventStoreUnderTest } from '../../engines/event-store-under-test.ts'
import { mongoUnderTest, NOT_TESTED } from '../../engines/mongodb-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { whileRunning } from '../../engines/while-running.ts'
import { ownCompany } from '../../support/own-company.ts'
import { SECRETS_KEYS } from '../../support/secrets-keys.ts'
import { testService, type TestService } from '../../support/service.ts'

const definitions = withInternal(
  loadDefinitions([join(import.meta.dirname, '..', '..', '..', 'definitions')]),
)

export interface KeptOnMongo {
  readonly service: TestService
  /** What `verify` is to be told. */
  readonly what: {
    readonly dataDir: string
    readonly eventStoreUrl: string | undefined
    readonly mongoUrl: string
    readonly definitions: typeof definitions
  }
  /** Where the warehouse's rows are, of all companies. */
  readonly database: Db
  readonly company: string
  /** Shown by all of the contracts. */
  readonly tenant: string
  readonly contracts: readonly string[]
  /** The records of an object, as MongoDB has them. */
  records(object: string): Promise<Collection>
  discard(): Promise<void>
}

/** Describes it twice: of events that are embedded, and of events that a server keeps. */
export function onEitherLog(title: string, tests: (open: () => Promise<KeptOnMongo>) => void): void {
  const mongo = mongoUnderTest()
  const suite = suiteOf(title, mongo ? undefined : NOT_TESTED)
  suite(`${title} (${mongo?.name ?? 'MongoDB'})`, function () {
    this.timeout(180_000)
    const eventStore = eventStoreUnderTest()
    whileRunning(eventStore, mongo!)
    describe('of events that are embedded', () => tests(() => keptOnMongo(mongo!.newDatabase())))
    describe('of events in EventStoreDB', () =>
      tests(() => keptOnMongo(mongo!.newDatabase(), eventStore.url())))
  })
}

async function keptOnMongo(mongoUrl: string, eventStoreUrl?: string): Promise<KeptOnMongo> {
  const client = await new MongoClient(mongoUrl).connect()
  const settings = {
    MONGODB_URL: mongoUrl,
    SECRETS_KEYS,
    ...(eventStoreUrl && { EVENTSTORE_URL: eventStoreUrl }),
  }
  const service = await testService({
    settings,
    ...(eventStoreUrl && { token: await ownCompany(eventStoreUrl) }),
  })
  const tenant = (await service.create('tenant', { Name: 'Ann' })).Id
  const Records = Array.from({ length: 20 }, (_, i) => ({
    Tenant: tenant,
    MonthlyRent: { Amount: (100_010 + i) / 100, Currency: i % 2 ? 'EUR' : 'CHF' },
    StartDate: '2099-01-01',
  }))
  const contracts = (await service.post('contract/batch', { Records })).list.map(({ Id }) => Id)
  await service.delete(`contract/${contracts[0]!}`)
  await service.patch(`contract/${contracts[1]!}`, { MonthlyRent: { Amount: 0.3, Currency: 'EUR' } })
  await service.patch(`tenant/${tenant}`, { Name: 'Bea' })
  const me = await service.get('identity/me')
  const company = (me.data['Company'] as unknown as { Id: string }).Id
  return {
    service,
    what: { dataDir: service.dataDir, eventStoreUrl, mongoUrl, definitions },
    database: client.db(),
    company,
    tenant,
    contracts,
    async records(object) {
      const all = await client.db().listCollections({}, { nameOnly: true }).toArray()
      return client.db().collection(all.find(({ name }) => name.startsWith(`records_${object}_`))!.name)
    },
    async discard() {
      await client.close()
      await service.discard()
    },
  }
}
