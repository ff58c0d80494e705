/**
 * `npm run verify` where MongoDB keeps warehouses and read models, while the service runs: what it proves, and that it
 * would notice. Events: the server of `EVENTSTORE_URL`, else our peer over a real socket; and embedded ones.
 */
import { expect } from 'chai'
import type { Collection } from 'mongodb'
import { sumText } from '../../../scripts/verify/totals.ts'
import { verifyReadModels } from '../../../scripts/verify/verify-read-models.ts'
import { verifyWarehouse } from '../../../scripts/verify/verify-warehouse.ts'
import { onEitherLog, type KeptOnMongo } from './kept-on-mongo.ts'

onEitherLog('the check of what MongoDB keeps', (open) => {
  let kept: KeptOnMongo
  before(async () => {
    kept = await open()
  })
  after(() => kept.discard())

  describe('in the read models', () => {
    const differences = async () => (await verifyReadModels(kept.what)).differences.join('\n')
    const planted = async (object: string, change: (of: Collection) => Promise<unknown>) => {
      const collection = await kept.records(object)
      const before = await collection.find().toArray()
      await change(collection)
      try {
        return await differences()
      } finally {
        await collection.deleteMany({})
        await collection.insertMany(before)
      }
    }

    it('finds every record as the events say, the service’s own as well', async () => {
      const { events, tables, differences } = await verifyReadModels(kept.what)
      expect(differences).to.deep.equal([])
      expect(events).to.be.above(24)
      const rows = (name: string) => tables.find(({ table }) => table === name)?.rows
      if (kept.what.eventStoreUrl === undefined) {
        expect(rows('record_contract')).to.equal(19)
        expect(rows('record_contract (deleted)')).to.equal(1)
      }
      expect(rows('record_company')).to.be.above(0)
    })

    it('notices a record that shows something else', async () => {
      const found = await planted('contract', async (of) => {
        const one = await of.findOne({ live: true })
        const json = String(one!['json']).replace('"Bea"', '"Cid"')
        await of.updateOne({ _id: one!._id }, { $set: { json } })
      })
      expect(found).to.match(/record_contract: only in the kept: .*Cid/)
    })

    it('notices a record that filters take for another, or that search does not find', async () => {
      const filtered = await planted('contract', (of) =>
        of.updateOne({ live: true }, { $set: { 'values.Status': 'Active' } }),
      )
      expect(filtered).to.include('record_contract: only in the kept')
      const searched = await planted('tenant', (of) => of.updateOne({}, { $set: { words: ['ann'] } }))
      expect(searched).to.include('record_tenant: only in the kept')
    })

    it('notices a record that is lost, there twice, or not deleted', async () => {
      expect(await planted('contract', (of) => of.deleteOne({ live: true }))).to.include(
        'record_contract: only in the rebuilt',
      )
      const twice = await planted('contract', async (of) =>
        of.insertOne({ ...(await of.findOne({ live: true }))!, _id: 'again' as never }),
      )
      expect(twice).to.include('record_contract: only in the kept')
      expect(
        await planted('contract', (of) => of.updateOne({ live: false }, { $set: { live: true } })),
      ).to.include('record_contract (deleted): only in the rebuilt')
    })

    it('finds nothing once all of it is taken back', async () => expect(await differences()).to.equal(''))
  })

  describe('in the warehouse', () => {
    const differences = async () => (await verifyWarehouse(kept.what)).differences.join('\n')
    const contracts = () => kept.warehouse.collection('wh_Leasing_Contract')
    const history = () => kept.warehouse.collection('wh_Leasing_Contract_history')
    /** A change by hand, what is found of it, and the change taken back. */
    const planted = async (collection: string, change: () => Promise<unknown>) => {
      const before = await kept.warehouse.collection(collection).find().toArray()
      await change()
      try {
        return await differences()
      } finally {
        await kept.warehouse.collection(collection).deleteMany({})
        await kept.warehouse.collection(collection).insertMany(before)
      }
    }

    it('finds rows, deletes, versions and sums equal to the log', async () => {
      const { tables, differences } = await verifyWarehouse(kept.what)
      expect(differences).to.deep.equal([])
      const totals = (name: string) =>
        tables.find(({ company, table }) => table === name && company.endsWith(suffix()))!.totals
      const suffix = () => kept.warehouse.databaseName.split('_wh_')[1]!
      expect(totals('wh_Leasing_Contract')).to.include({ rows: 20, deleted: 1 })
      expect(sumText(totals('wh_Leasing_Contract').sums.get('MonthlyRent CHF')!)).to.equal('10001.9')
      expect(totals('wh_Leasing_Contract_history')).to.include({ rows: 22, deleted: 1 })
    })

    it('notices an amount that was changed, and says by how much', async () => {
      const found = await planted('wh_Leasing_Contract', async () => {
        const one = await contracts().findOne({ MonthlyRent_Currency: 'CHF', IsDeleted: false })
        const Amount = Number(String(one!['MonthlyRent_Amount'])) + 0.01
        await contracts().updateOne({ _id: one!._id }, { $set: { MonthlyRent_Amount: Amount } })
      })
      expect(found).to.match(
        /wh_Leasing_Contract: MonthlyRent CHF adds up to 10001\.91, the log says 10001\.9/,
      )
    })

    it('notices a word that was changed', async () => {
      const found = await planted('wh_Leasing_Contract', () =>
        contracts().updateOne({ Tenant_Name: 'Bea' }, { $set: { Tenant_Name: 'Cid' } }),
      )
      expect(found).to.match(/wh_Leasing_Contract: only in the kept: .*"Cid"/)
    })

    it('notices a row that was lost', async () => {
      const found = await planted('wh_Leasing_Contract', () => contracts().deleteOne({ IsDeleted: true }))
      expect(found)
        .to.include('wh_Leasing_Contract: has 19 rows, the log says 20')
        .and.to.include('wh_Leasing_Contract: has 0 deletes, the log says 1')
    })

    it('notices a version that is there twice', async () => {
      const found = await planted('wh_Leasing_Contract_history', async () => {
        const one = await history().findOne({ Operation: 'created' })
        await history().insertOne({ ...one!, _id: 'again' as never })
      })
      expect(found).to.include('wh_Leasing_Contract_history: has 23 rows, the log says 22')
    })

    it('notices a version that was lost, and one that ends at another time', async () => {
      const lost = await planted('wh_Leasing_Contract_history', () => history().deleteOne({ _Version: 2 }))
      expect(lost).to.include('wh_Leasing_Contract_history: has 21 rows, the log says 22')
      const moved = await planted('wh_Leasing_Contract_history', () =>
        history().updateOne({ _Version: 1 }, { $set: { ValidTo: new Date('2030-01-01T00:00:00Z') } }),
      )
      expect(moved).to.match(/wh_Leasing_Contract_history: only in the kept: .*2030-01-01T00:00:00Z/)
    })

    it('notices a table that is gone', async () => {
      const found = await planted('wh_Leasing_Tenant', () =>
        kept.warehouse.collection('wh_Leasing_Tenant').drop(),
      )
      expect(found).to.include('wh_Leasing_Tenant: has 0 rows, the log says 1')
    })

    it('finds nothing once all of it is taken back', async () => expect(await differences()).to.equal(''))
  })
})
