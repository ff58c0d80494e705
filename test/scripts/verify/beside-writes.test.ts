/**
 * `npm run verify` where MongoDB keeps warehouses and read models, while others write all the time: nothing is blamed for
 * being newer, and nothing that is wrong is excused for it.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { verifyReadModels } from '../../../scripts/verify/verify-read-models.ts'
import { verifyWarehouse } from '../../../scripts/verify/verify-warehouse.ts'
import { eventually } from '../../system/support/eventually.ts'
import { onEitherLog, type KeptOnMongo } from './kept-on-mongo.ts'

onEitherLog('the check of what MongoDB keeps, beside writes', (open) => {
  let kept: KeptOnMongo
  /** Written again and again. */
  let busy: string
  let writers: Writers

  before(async () => {
    kept = await open()
    const { service, tenant, contracts } = kept
    busy = contracts.at(-1)!
    writers = await writing({
      async aRecord(i) {
        await service.patch(`contract/${busy}`, { MonthlyRent: { Amount: 1_000 + i, Currency: 'EUR' } })
      },
      async newOnes(i) {
        const { Id } = await service.create('unit', { Number: `${i}` })
        if (i % 3 === 0) await service.delete(`unit/${Id}`)
      },
      async aName(i) {
        // Now and then: a name that changed again before all show it is never compared.
        if (i % 20 > 0) await service.patch(`tenant/${tenant}`, { Phone: `+41 ${i}` })
        else await service.patch(`tenant/${tenant}`, { Name: `Bea ${i}` })
      },
    })
  })
  after(async () => {
    await writers.stop()
    await kept.discard()
  })

  /** What a check finds while more is written. */
  const found = async (check: typeof verifyReadModels | typeof verifyWarehouse) => {
    const before = writers.written()
    const { differences } = await check(kept.what)
    expect(writers.written(), 'it is written meanwhile').to.be.above(before)
    return differences.join('\n')
  }

  it('finds nothing in the read models', async () => expect(await found(verifyReadModels)).to.equal(''))

  it('finds nothing in the warehouse', async () => expect(await found(verifyWarehouse)).to.equal(''))

  for (const [what, key] of [
    ['that nobody writes', () => kept.contracts[2]!],
    ['that is written all the time', () => busy],
  ] as const)
    it(`finds a record ${what}`, async () => {
      const records = await kept.records('contract')
      /** Until the service has taken it over: FerretDB may let a write pass that had read before. */
      const replace = async (from: string, to: string) => {
        let plantedAt = 0
        await eventually('the change by hand stays', async () => {
          const one = await records.findOne({ key: key() })
          const { json, revision } = one as unknown as { json: string; revision: number }
          if (!json.includes(to)) {
            const set = { $set: { json: json.replace(from, to) }, $inc: { revision: 1 } }
            await records.updateOne({ key: key(), revision }, set)
            plantedAt = revision + 1
          }
          expect(json).to.include(to)
          if (key() === busy) expect(revision).to.be.above(plantedAt)
        })
      }
      const [right, wrong] = ['"LeaseType":null', '"LeaseType":"Other"']
      await replace(right, wrong)
      expect(await found(verifyReadModels)).to.match(/record_contract: only in the kept.*Other/)
      await replace(wrong, right)
    })

  it('finds a record that is gone, and one that shows events nobody knows', async () => {
    const records = await kept.records('contract')
    const key = kept.contracts[3]!
    const before = await records.findOne({ key })
    await records.deleteOne({ key })
    expect(await found(verifyReadModels)).to.include('record_contract: only in the rebuilt')
    await records.insertOne({ ...before!, position: 2 ** 52, version: 7 })
    expect(await found(verifyReadModels))
      .to.include('record_contract: only in the kept')
      .and.to.include(key)
    await records.replaceOne({ key }, before!)
  })

  it('finds a row of the warehouse that nobody writes, and one that somebody does', async () => {
    const rows = kept.database.collection('wh_Leasing_Contract')
    for (const Key of [kept.contracts[4]!, busy]) {
      const one = async () => (await rows.findOne({ Key }))!
      /** Until the service has taken it over, if only with the tenant's name: a write that had read before replaces the row. */
      const plant = async (LeaseType: string | null) => {
        let plantedAt = 0
        await eventually('the change by hand stays', async () => {
          if ((await one())['LeaseType'] !== LeaseType) {
            await rows.updateOne({ Key }, { $set: { LeaseType } })
            plantedAt = (await one())['_Stamp'] as number
          }
          const { LeaseType: there, _Stamp } = await one()
          expect(there).to.equal(LeaseType)
          expect(_Stamp).to.be.above(plantedAt)
        })
      }
      await plant('Other')
      expect(await found(verifyWarehouse)).to.match(/wh_Leasing_Contract: only in the kept: .*Other/)
      await plant(null)
    }
    expect(await found(verifyWarehouse)).to.equal('')
  })
})

const PAUSE_MS = 10

interface Writers {
  written(): number
  stop(): Promise<void>
}

/** Each goes on by itself, one write after the other, and has begun when this answers. */
async function writing(lanes: Readonly<Record<string, (i: number) => Promise<void>>>): Promise<Writers> {
  let [written, stopping] = [0, false]
  const running = Object.values(lanes).map(async (lane) => {
    for (let i = 1; !stopping; i++) {
      // A busy machine may refuse one: what counts is what was written.
      await lane(i).then(
        () => written++,
        () => {},
      )
      await delay(PAUSE_MS)
    }
  })
  await eventually('it is written', async () => expect(written).to.be.above(9))
  return {
    written: () => written,
    async stop() {
      stopping = true
      await Promise.all(running)
    },
  }
}
