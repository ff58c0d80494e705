import { mongoAllowances } from '../../../src/adapters/mongodb/allowances.ts'
import { Unavailable } from '../../../src/domain/errors.ts'
import { expect } from 'chai'
import { allowancesContract, racingAllowancesContract } from '../../contracts/allowances.ts'
import { failureOf } from '../../engines/mongodb-openers.ts'
import { mongoUnderTest, NOT_TESTED } from '../../engines/mongodb-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { memoryAllowances } from '../../support/memory-allowances.ts'

const mongo = mongoUnderTest()
const suite = suiteOf('allowances on MongoDB', mongo ? undefined : NOT_TESTED)

describe('allowances in memory', () => {
  const place = memoryAllowances()
  allowancesContract(async () => place.open())
  racingAllowancesContract(async () => place.open())
})

suite(`allowances in MongoDB (${mongo?.name ?? 'none'})`, () => {
  let url: string
  before(async () => {
    await mongo!.start()
    url = mongo!.newDatabase()
  })
  after(() => mongo!.stop())

  allowancesContract(async () => mongoAllowances({ url }))
  if (process.env['MONGODB_URL']) racingAllowancesContract(async () => mongoAllowances({ url }))
  else console.log('NOT TESTED: allowances that are spent at the same moment; set MONGODB_URL')
})

describe('allowances in a MongoDB that is gone', () => {
  it('are unavailable, soon', async () => {
    const allowances = mongoAllowances({ url: 'mongodb://127.0.0.1:9', limitMs: 100 })
    expect(await failureOf(allowances.spend([{ key: 'x', ms: 1 }]))).to.be.instanceOf(Unavailable)
    await allowances.close()
  })
})
