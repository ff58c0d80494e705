/** `npm run verify` where read models are files: what it proves on either log, and that it would notice. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { verifyReadModels } from '../../../scripts/verify/verify-read-models.ts'
import { verifyWarehouse } from '../../../scripts/verify/verify-warehouse.ts'
import { withInternal } from '../../../src/compose/parts/definitions.ts'
import { loadDefinitions } from '../../../src/definitions/load.ts'
import { eventStoreUnderTest } from '../../engines/event-store-under-test.ts'
import { ownCompany } from '../../support/own-company.ts'
import { SECRETS_KEYS } from '../../support/secrets-keys.ts'
import { testService, type TestService } from '../../support/service.ts'
import { warehouseHas } from './warehouse-has.ts'

const definitions = withInternal(
  loadDefinitions([join(import.meta.dirname, '..', '..', '..', 'definitions')]),
)

describe('the check of read models in files', function () {
  this.timeout(60_000)
  let service: TestService
  let eventStoreUrl: string | undefined

  const verify = async () => {
    const { dataDir } = service
    return (await verifyReadModels({ dataDir, eventStoreUrl, definitions })).differences
  }
  const readModels = () => readdirSync(service.dataDir).filter((name) => /^read-models-.*\.db$/.test(name))
  const tamper = (sql: string) => {
    const db = new DatabaseSync(join(service.dataDir, readModels().at(-1)!))
    db.exec(sql)
    db.close()
  }
  const write = async () => {
    const { Id } = await service.create('tenant', { Name: 'Ann' })
    const body = { MonthlyRent: { Amount: 900, Currency: 'EUR' }, StartDate: '2999-01-01', Tenant: Id }
    const contract = await service.create('contract', body)
    await service.create('contract', body)
    await service.delete(`contract/${contract.Id}`)
    const sensor = await service.create('sensor', { Name: 'Roof' })
    const reading = { Sensor: sensor.Id, Value: 1, MeasuredAt: '2026-01-31T10:00:00Z' }
    const { list: rows } = await service.post('sensorreading/batch', { Records: [reading, {}, reading] })
    await service.patch(`sensorreading/${rows[0]!.Id}`, { Quality: 'Bad' })
    await service.delete(`sensorreading/${rows[2]!.Id}`)
    await warehouseHas(service, await service.patch(`tenant/${Id}`, { Name: 'Bea' }))
  }
  const story = () => {
    it('finds every table as the events say', async () => expect(await verify()).to.deep.equal([]))

    it('notices a record that shows something else', async () => {
      tamper(`UPDATE record_tenant SET document = replace(document, '"Bea"', '"Cid"')`)
      expect((await verify()).join()).to.match(/record_tenant: only in the kept: .*Cid/)
      tamper(`UPDATE record_tenant SET document = replace(document, '"Cid"', '"Bea"')`)
      expect(await verify()).to.deep.equal([])
    })

    it('notices a deleted record that would come back as something else', async () => {
      tamper(`UPDATE record_contract SET document = replace(document, '900', '901') WHERE deleted = 1`)
      expect((await verify()).join()).to.match(/record_contract \(deleted\): only in the kept: .*901/)
      tamper(`UPDATE record_contract SET document = replace(document, '901', '900') WHERE deleted = 1`)
      expect(await verify()).to.deep.equal([])
    })
  }

  describe('of events that are embedded', () => {
    before(async () => {
      eventStoreUrl = undefined
      service = await testService()
      await write()
      await service.stop()
    })
    after(() => service.discard())

    story()

    /** The event file as it was. */
    let kept: Buffer
    before(() => {
      kept = readFileSync(join(service.dataDir, 'events.db'))
    })
    const restore = async () => {
      for (const suffix of ['-wal', '-shm'])
        rmSync(join(service.dataDir, `events.db${suffix}`), { force: true })
      writeFileSync(join(service.dataDir, 'events.db'), kept)
      expect(await verify()).to.deep.equal([])
    }

    it('notices an event that was taken out of the middle of a stream', async () => {
      service.inEventFile(`CREATE TABLE taken AS SELECT * FROM events WHERE type = 'tenant.created';
        UPDATE events SET version = version + 1 WHERE stream = (SELECT stream FROM taken) AND version > 1;
        DELETE FROM events WHERE type = 'claim.taken' OR type = 'numbering.reserved'`)
      const found = (await verify()).join()
      expect(found).to.match(/events: no event between positions \d+ and \d+/)
      expect(found).to.match(/events: [\w-]+ has 2 events, but its last is version 3/)
      await restore()
    })

    it('notices a row that was taken out of the journal, and one that names another actor', async () => {
      service.inEventFile(`DELETE FROM journal WHERE position = (SELECT min(position) FROM journal)`)
      expect((await verify()).join()).to.match(
        /journal: position \d+, .*\[null,null,null,null,null\] is kept/,
      )
      await restore()
      service.inEventFile(
        `UPDATE events SET metadata = json_set(metadata, '$.actor', 'user-other') WHERE type = 'contract.deleted'`,
      )
      expect((await verify()).join()).to.match(/journal: .*"user-other".* expected/)
      await restore()
    })

    it('does not wait for read models or a warehouse of another log', async () => {
      service.inEventFile(`UPDATE events SET id = replace(id, '-', '_')`)
      const { dataDir } = service
      for (const check of [verifyReadModels, verifyWarehouse]) {
        const refused = await check({ dataDir, eventStoreUrl, definitions }).then(
          () => 'compared',
          (error: Error) => error.message,
        )
        expect(refused).to.include('of another log')
      }
      await restore()
    })

    it('finds so much that it is built in one go equal as well', async () => {
      // As many as that, by their positions.
      service.inEventFile('UPDATE events SET position = position + 1000000')
      for (const name of readModels()) rmSync(join(service.dataDir, name))
      await service.restart()
      await service.stop()
      expect(readModels()).to.have.length(1)
      expect(await verify()).to.deep.equal([])
      tamper('DELETE FROM record_tenant')
      expect((await verify()).join()).to.include('record_tenant: only in the rebuilt')
    })
  })

  describe('of events in EventStoreDB', () => {
    const eventStore = eventStoreUnderTest()
    before(async () => {
      await eventStore.start()
      eventStoreUrl = eventStore.url()
      service = await testService({
        settings: {
          EVENTSTORE_URL: eventStoreUrl,
          SECRETS_KEYS,
        },
        token: await ownCompany(eventStoreUrl),
      })
      await write()
      await service.stop()
    })
    after(async () => {
      await service.discard()
      await eventStore.stop()
    })

    story()

    it('finds the warehouse as the events say, and notices what is not', async () => {
      const check = async () =>
        (await verifyWarehouse({ dataDir: service.dataDir, eventStoreUrl, definitions })).differences.join()
      expect(await check()).to.equal('')
      const folder = join(service.dataDir, 'warehouse')
      for (const name of readdirSync(folder).filter((one) => /^company-.*\.db$/.test(one))) {
        const db = new DatabaseSync(join(folder, name))
        db.exec('UPDATE wh_Leasing_Contract SET MonthlyRent_Amount = MonthlyRent_Amount + 0.01')
        db.close()
      }
      expect(await check()).to.include('MonthlyRent EUR adds up to 1800.02, the log says 1800')
    })
  })
})
