/**
 * `npm run verify` where MongoDB keeps warehouses and read models, while the service runs: what it proves, and that it
 * would notice. Events: the server of `EVENTSTORE_URL`, else our peer over a real socket; and embedded ones.
 */
import { expect } from 'chai'
import type { Collection } from 'mongodb'
import type { JournalDocument } from '../../../src/adapters/mongodb/journal/documents.ts'
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

    it('notices what the journal says otherwise, what is missing there, and what is too much', async () => {
      const { tables } = await verifyReadModels(kept.what)
      const isKept = kept.what.eventStoreUrl !== undefined
      expect(tables.filter(({ table }) => table === 'journal')).to.have.length(Number(isKept))
      if (!isKept) return // the events are the journal themselves
      const journal = kept.database.collection<JournalDocument>('journal')
      const before = await journal.find().toArray()
      const one = before.find(({ type }) => type === 'contract.created')!
      const found = async (change: () => Promise<unknown>) => {
        await change()
        try {
          return await differences()
        } finally {
          await journal.deleteMany({})
          await journal.insertMany(before)
        }
      }
      const set = (fields: Partial<JournalDocument>) => () =>
        journal.updateOne({ _id: one._id }, { $set: fields })
      expect(await found(set({ data: one.data.replace('CHF', 'EUR') }))).to.match(
        /journal: only in the kept: .*EUR/,
      )
      expect(await found(set({ at: one.at + 1 }))).to.include('journal: only in the kept')
      expect(await found(set({ ordinal: one.ordinal + 1 }))).to.include('journal: only in the kept')
      expect(await found(() => journal.deleteOne({ _id: one._id }))).to.match(/^journal: only in the rebuilt/)
      const again = { ...one, _id: `${one._id}0` }
      expect(await found(() => journal.insertOne(again))).to.match(/^journal: only in the kept/)
    })

    it('finds nothing once all of it is taken back', async () => expect(await differences()).to.equal(''))
  })

  describe('in the warehouse', () => {
    const differences = async () => (await verifyWarehouse(kept.what)).differences.join('\n')
    const contracts = () => kept.database.collection('wh_Leasing_Contract')
    /** A change by hand, what is found of it, and the change taken back. */
    const planted = async (collection: string, change: () => Promise<unknown>) => {
      const before = await kept.database.collection(collection).find().toArray()
      await change()
      try {
        return await differences()
      } finally {
        await kept.database.collection(collection).deleteMany({})
        await kept.database.collection(collection).insertMany(before)
      }
    }

    it('finds rows and deletes equal to the events', async () => {
      const { tables, differences } = await verifyWarehouse(kept.what)
      expect(differences).to.deep.equal([])
      const { totals } = tables.find(
        ({ company, table }) => company === kept.company && table === 'wh_Leasing_Contract',
      )!
      expect(totals).to.include({ rows: 20, deleted: 1 })
    })

    it('notices an amount that was changed, and a name', async () => {
      const amount = await planted('wh_Leasing_Contract', async () => {
        const one = await contracts().findOne({ MonthlyRent_Currency: 'CHF', IsDeleted: false })
        const Amount = Number(String(one!['MonthlyRent_Amount'])) + 0.01
        await contracts().updateOne({ _id: one!._id }, { $set: { MonthlyRent_Amount: Amount } })
      })
      expect(amount).to.match(/wh_Leasing_Contract: only in the kept/)
      const name = await planted('wh_Leasing_Contract', () =>
        contracts().updateOne({ Tenant_Name: 'Bea' }, { $set: { Tenant_Name: 'Cid' } }),
      )
      expect(name).to.match(/wh_Leasing_Contract: only in the kept: .*"Cid"/)
    })

    it('notices a row that was lost, one that is there twice, and a table that is gone', async () => {
      const lost = await planted('wh_Leasing_Contract', () => contracts().deleteOne({ IsDeleted: true }))
      expect(lost).to.match(/wh_Leasing_Contract: only in the rebuilt/)
      const twice = await planted('wh_Leasing_Contract', async () =>
        contracts().insertOne({ ...(await contracts().findOne({}))!, _id: `${kept.company} again` as never }),
      )
      expect(twice).to.match(/wh_Leasing_Contract: only in the kept/)
      const gone = await planted('wh_Leasing_Tenant', () =>
        kept.database.collection('wh_Leasing_Tenant').drop(),
      )
      expect(gone).to.match(/wh_Leasing_Tenant: only in the rebuilt/)
    })

    it('finds nothing once all of it is taken back', async () => expect(await differences()).to.equal(''))
  })
})
