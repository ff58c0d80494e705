/** `npm run verify -- --warehouse`: what it proves, and that it would notice. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import fc from 'fast-check'
import { exact, sumText } from '../../../scripts/verify/totals.ts'
import { verifyWarehouse } from '../../../scripts/verify/verify-warehouse.ts'
import { withInternal } from '../../../src/compose/parts/definitions.ts'
import { loadDefinitions } from '../../../src/definitions/load.ts'
import { definitionsFolder } from '../../system/support/gadget.ts'
import { testService, type TestService } from '../../support/service.ts'
import { warehouseHas } from './warehouse-has.ts'

const SHIPPED = join(import.meta.dirname, '..', '..', '..', 'definitions')
const definitions = withInternal(loadDefinitions([SHIPPED]))

describe('the check of the warehouse', function () {
  this.timeout(60_000)
  let service: TestService

  before(async () => {
    service = await testService()
    const Records = Array.from({ length: 20 }, (_, i) => ({
      MonthlyRent: { Amount: (100_010 + i) / 100, Currency: i % 2 ? 'EUR' : 'CHF' },
      StartDate: '2099-01-01',
    }))
    const { list } = await service.post('contract/batch', { Records })
    await service.delete(`contract/${list[0]!.Id}`)
    await service.delete(`contract/${list[2]!.Id}`)
    await service.post(`contract/${list[2]!.Id}/restore`)
    await service.patch(`contract/${list[1]!.Id}`, { MonthlyRent: null, Duration: 12 })
    const last = await service.patch(`contract/${list[1]!.Id}`, {
      MonthlyRent: { Amount: 0.3, Currency: 'EUR' },
    })
    await warehouseHas(service, last)
    await service.stop()
  })
  after(() => service.discard())

  const verify = () => verifyWarehouse({ dataDir: service.dataDir, definitions })
  const tamper = (sql: string, { dataDir } = service) => {
    const folder = join(dataDir, 'warehouse')
    const name = readdirSync(folder).find((one) => /^company-.*\.db$/.test(one))!
    const db = new DatabaseSync(join(folder, name))
    db.exec(sql)
    db.close()
  }

  it('finds rows, deletes and sums equal to the log', async () => {
    const { events, tables, differences } = await verify()
    expect(differences).to.deep.equal([])
    expect(events).to.be.above(20)
    const contracts = tables.find(({ table }) => table === 'wh_Leasing_Contract')!
    expect(contracts.totals).to.include({ rows: 20, deleted: 1 })
    expect(sumText(contracts.totals.sums.get('MonthlyRent CHF')!)).to.equal('10001.9')
  })

  it('notices an amount that is a cent off, and says by how much', async () => {
    tamper(
      'UPDATE wh_Leasing_Contract SET MonthlyRent_Amount = MonthlyRent_Amount + 0.01 WHERE Key = (SELECT max(Key) FROM wh_Leasing_Contract)',
    )
    const { differences } = await verify()
    expect(differences.join('\n')).to.match(
      /wh_Leasing_Contract: MonthlyRent (EUR|CHF) adds up to [\d.]+, the log says [\d.]+/,
    )
    tamper(
      'UPDATE wh_Leasing_Contract SET MonthlyRent_Amount = round(MonthlyRent_Amount - 0.01, 2) WHERE Key = (SELECT max(Key) FROM wh_Leasing_Contract)',
    )
    expect((await verify()).differences).to.deep.equal([])
  })

  it('notices what no sum shows: a word, a lost version', async () => {
    tamper(
      "UPDATE wh_Leasing_Contract SET Status = 'Active' WHERE Key = (SELECT max(Key) FROM wh_Leasing_Contract)",
    )
    expect((await verify()).differences.join('\n')).to.include('only in the kept')
    tamper('DELETE FROM wh_Leasing_Contract_history WHERE _Version = 2')
    expect((await verify()).differences.join('\n')).to.match(
      /wh_Leasing_Contract_history: has \d+ rows, the log says/,
    )
  })

  it('adds up what fields held that have another type now, or are gone', async () => {
    const gauge = (fields: readonly object[]) => ({
      ...{ object: 'gauge', name: 'Gauge', application: 'Workshop', display: 'Name' },
      fields: [{ name: 'Name', type: 'text' }, ...fields],
    })
    const folder = definitionsFolder(
      gauge([
        { name: 'Price', type: 'money' },
        { name: 'Level', type: 'decimal' },
        { name: 'Spare', type: 'integer' },
        { name: 'IsOn', type: 'boolean' },
      ]),
    )
    const other = await testService({ settings: { DEFINITIONS_DIR: folder.path } })
    try {
      const old = await other.create('gauge', {
        Price: { Amount: 0.1, Currency: 'EUR' },
        Level: 0.5,
        Spare: 3,
        IsOn: true,
      })
      await warehouseHas(other, await other.patch(`gauge/${old.Id}`, { Name: 'Old' }))
      folder.write(
        gauge([
          { name: 'Price', type: 'decimal' },
          { name: 'Level', type: 'text' },
        ]),
      )
      await other.restart()
      const fresh = await other.create('gauge', { Price: 0.2, Level: 'high' })
      await warehouseHas(other, await other.patch(`gauge/${fresh.Id}`, { Name: 'New' }))
      await other.stop()
      const of = {
        dataDir: other.dataDir,
        definitions: withInternal(loadDefinitions([SHIPPED, folder.path])),
      }
      const { tables, differences } = await verifyWarehouse(of)
      expect(differences).to.deep.equal([])
      const { sums } = tables.find(({ table }) => table === 'wh_Workshop_Gauge')!.totals
      expect([...sums].map(([label, sum]) => `${label} ${sumText(sum)}`)).to.have.members([
        ...['Price EUR 0.1', 'Price 0.2', 'Level 0.5', 'Spare 3', 'IsOn 1'],
      ])
      tamper('UPDATE wh_Workshop_Gauge SET Spare = 4 WHERE Spare = 3', other)
      expect((await verifyWarehouse(of)).differences.join('\n')).to.include(
        'Spare adds up to 4, the log says 3',
      )
    } finally {
      await other.discard()
      folder.remove()
    }
  })

  it('adds numbers exactly, whatever their size', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -(10 ** 12), max: 10 ** 12 })), (cents) => {
        const sum = cents.reduce((total, cent) => total + exact(cent / 100), 0n)
        const wanted = cents.reduce((total, cent) => total + BigInt(cent), 0n)
        expect(sum).to.equal(wanted * 10n ** 18n)
      }),
    )
    expect(sumText(exact(0.1) + exact(0.2))).to.equal('0.3')
    expect(sumText(exact(-1e-7))).to.equal('-0.0000001')
    expect(sumText(exact(1.5e21))).to.equal('1500000000000000000000')
  })
})
