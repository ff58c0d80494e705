import { mongoFiles } from '../../../src/adapters/mongodb/files.ts'
import { filesContract } from '../../contracts/files.ts'
import { mongoUnderTest, NOT_TESTED } from '../../engines/mongodb-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'

const mongo = mongoUnderTest()
const suite = suiteOf('files in MongoDB', mongo ? undefined : NOT_TESTED)

suite(`files in MongoDB (${mongo?.name ?? 'none'})`, () => {
  let url: string
  before(async () => {
    await mongo!.start()
    url = mongo!.newDatabase()
  })
  after(() => mongo!.stop())

  filesContract(async () => mongoFiles({ url }))
})
