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
    const lanes = {
      async aRecord(i: number) {
        await service.patch(`contract/${busy}`, { MonthlyRent: { Amount: 1_000 + i, Currency: 'EUR' } })
      },
      async newOnes(i: number) {
        const { Id } = await service.create('unit', { Number: `${i}` })
        if (i % 3 === 0) await service.delete(`unit/${Id}`)
      },
      async aName(i: number) {
        // Now and then: a name that changed again before all show it is never compared.
        if (i % 20 > 0) await service.patch(`tenant/${tenant}`, { Phone: `+41 ${i}` })
        else await service.patch(`tenant/${tenant}`, { Name: `Bea ${i}` })
      },
    }
    writers = await writing(lanes, kept.what)
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
      const one = async () =>
        (await records.findOne({ key: key() })) as unknown as { json: string; revision: number }
      const replace = async (from: string, to: string) => {
        const { revision } = await writers.resting(verifyReadModels, async () => {
          const { json } = await one()
          await records.updateOne(
            { key: key() },
            { $set: { json: json.replace(from, to) }, $inc: { revision: 1 } },
          )
          return one()
        })
        if (key() === busy)
          await eventually('it is written', async () => expect((await one()).revision).to.be.above(revision))
        expect((await one()).json, 'the change by hand stays').to.include(to)
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
    let touched = 0
    /** Has the row written once more: by a change of its record, or of the name that it shows. */
    const touch = async (key: string) => {
      const [path, change] =
        key === busy
          ? [`contract/${busy}`, { MonthlyRent: { Amount: 9_000 + ++touched, Currency: 'EUR' } }]
          : [`tenant/${kept.tenant}`, { Name: `Cem ${++touched}` }]
      const answer = await kept.service.patch(path, change)
      expect(answer.status, answer.text).to.equal(200)
    }
    for (const Key of [kept.contracts[4]!, busy]) {
      const one = async () => (await rows.findOne({ Key }))!
      const plant = async (LeaseType: string | null) => {
        // While nobody else writes: beside writers the row comes behind all that they have written by then, however much that is.
        await writers.resting(verifyWarehouse, async () => {
          await rows.updateOne({ Key }, { $set: { LeaseType } })
          const { _Stamp } = await one()
          await touch(Key)
          await eventually('it is written', async () =>
            expect((await one())['_Stamp']).to.be.above(_Stamp as number),
          )
        })
        expect((await one())['LeaseType'], 'the change by hand stays').to.equal(LeaseType)
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
  /**
   * What is done while none of them writes and all that they wrote is in what is checked. A change by hand beside theirs
   * could undo one of them: FerretDB may let a write pass that had read before.
   */
  resting<T>(check: typeof verifyReadModels | typeof verifyWarehouse, act: () => Promise<T>): Promise<T>
  stop(): Promise<void>
}

/** Each goes on by itself, one write after the other, and has begun when this answers. */
async function writing(
  lanes: Readonly<Record<string, (i: number) => Promise<void>>>,
  what: KeptOnMongo['what'],
): Promise<Writers> {
  let [written, stopping] = [0, false]
  let resting: Promise<void> | undefined
  const underWay = new Set<Promise<void>>()
  const running = Object.values(lanes).map(async (lane) => {
    for (let i = 1; !stopping;) {
      if (resting) {
        await resting
        continue
      }
      // A busy machine may refuse one: what counts is what was written.
      const write = lane(i++).then(
        () => void written++,
        () => {},
      )
      underWay.add(write)
      await write
      underWay.delete(write)
      await delay(PAUSE_MS)
    }
  })
  // Each write waits until the read models show it, behind all that came before.
  await eventually('it is written', async () => expect(written).to.be.above(9), 60_000)
  return {
    written: () => written,
    async resting(check, act) {
      const { promise, resolve } = Promise.withResolvers<void>()
      resting = promise
      try {
        await Promise.all(underWay)
        await check(what)
        return await act()
      } finally {
        resting = undefined
        resolve()
      }
    },
    async stop() {
      stopping = true
      await Promise.all(running)
    },
  }
}
