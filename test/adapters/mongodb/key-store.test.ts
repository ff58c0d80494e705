import { mongoKeyStore } from '../../../src/adapters/mongodb/key-store.ts'
import { keyStoreContract } from '../../contracts/key-store.ts'
import { mongoUnderTest, NOT_TESTED } from '../../engines/mongodb-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'

const mongo = mongoUnderTest()
const suite = suiteOf('keys of companies in MongoDB', mongo ? undefined : NOT_TESTED)

suite(`keys of companies in MongoDB (${mongo?.name ?? 'none'})`, () => {
  let url: string
  before(async () => {
    await mongo!.start()
    url = mongo!.newDatabase()
  })
  after(() => mongo!.stop())

  keyStoreContract(async () => mongoKeyStore({ url }))
})
