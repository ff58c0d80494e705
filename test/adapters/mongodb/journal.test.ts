/** The journal in MongoDB. */
import { mongoJournal } from '../../../src/adapters/mongodb/journal/journal.ts'
import { mongoJournalStore } from '../../../src/adapters/mongodb/journal/store.ts'
import { JOURNAL, journalProjection } from '../../../src/projections/journal.ts'
import { lastOf, workOf } from '../../../src/projections/projection.ts'
import { journalContract } from '../../contracts/journal.ts'
import { mongoUnderTest, NOT_TESTED } from '../../engines/mongodb-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { whileRunning } from '../../engines/while-running.ts'

const mongo = mongoUnderTest()
const suite = suiteOf('the journal in MongoDB', mongo ? undefined : NOT_TESTED)

/** Events of one batch of the follower. */
const BATCH = 500

suite(`the journal in MongoDB (${mongo?.name ?? 'none'})`, function () {
  this.timeout(120_000)
  whileRunning(mongo!)

  journalContract(async () => {
    const url = mongo!.newDatabase()
    const store = mongoJournalStore({ url })
    await store.leading()
    const journal = mongoJournal({ url, head: () => store.position(JOURNAL) })
    return {
      journal,
      async store(events) {
        for (let at = 0; at < events.length; at += BATCH) {
          const batch = events.slice(at, at + BATCH)
          const upTo = batch.at(-1)!.position
          await store.apply(workOf([journalProjection()], batch), upTo, lastOf(batch))
        }
      },
      async discard() {
        await journal.close()
        await store.close()
      },
    }
  })
})
