/** The inbox in MongoDB. */
import { mongoInbox } from '../../../src/adapters/mongodb/inbox.ts'
import { inboxContract, racingInboxContract } from '../../contracts/inbox.ts'
import { mongoUnderTest, NOT_TESTED } from '../../engines/mongodb-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'

const mongo = mongoUnderTest()
const suite = suiteOf('the inbox in MongoDB', mongo ? undefined : NOT_TESTED)

suite(`the inbox in MongoDB (${mongo?.name ?? 'none'})`, () => {
  let url: string
  before(async () => {
    await mongo!.start()
    url = mongo!.newDatabase()
  })
  after(() => mongo!.stop())

  inboxContract(async () => mongoInbox({ url }))
  if (process.env['MONGODB_URL']) racingInboxContract(async () => mongoInbox({ url }))
  else console.log('NOT TESTED: rows of the inbox that several take at the same moment; set MONGODB_URL')
})
