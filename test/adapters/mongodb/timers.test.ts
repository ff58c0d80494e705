/** Timers in MongoDB. */
import { mongoTimers } from '../../../src/adapters/mongodb/timers.ts'
import { timersContract } from '../../contracts/timers.ts'
import { mongoUnderTest, NOT_TESTED } from '../../engines/mongodb-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'

const mongo = mongoUnderTest()
const suite = suiteOf('timers in MongoDB', mongo ? undefined : NOT_TESTED)

suite(`timers in MongoDB (${mongo?.name ?? 'none'})`, () => {
  let url: string
  before(async () => {
    await mongo!.start()
    url = mongo!.newDatabase()
  })
  after(() => mongo!.stop())

  timersContract(async () => mongoTimers({ url }))
})
