/** Projections processes that share the work, of which some are killed: nothing is skipped, and nothing is shown twice. */
import { expect } from 'chai'
import { hasFerretDb, NO_FERRETDB } from '../engines/mongodb-under-test.ts'
import { suiteOf } from '../engines/suite-of.ts'
import { withFolder } from './ledger/service-process.ts'
import { startProjectors } from './projectors.ts'

const suite = suiteOf('shared projections', hasFerretDb ? undefined : NO_FERRETDB)

suite('projections processes that share the work', function () {
  this.timeout(180_000)

  it('go on when one that has a part is killed, and when the one that leads is', () =>
    withFolder(async (folder) => {
      const projectors = await startProjectors({ folder, companies: 24 })
      try {
        for (let n = 0; n < 3; n++) await projectors.start()
        await projectors.shared(3)
        await projectors.until(await projectors.tell(1))
        await projectors.kill(await projectors.helper())
        await projectors.until(await projectors.tell(2))
        await projectors.shared(2)
        expect(await projectors.shown()).to.deep.equal(projectors.wanted(2))
        await projectors.kill(await projectors.leader())
        await projectors.until(await projectors.tell(3))
        await projectors.shared(1)
        expect(await projectors.shown()).to.deep.equal(projectors.wanted(3))
        await projectors.start()
        await projectors.shared(2)
        await projectors.until(await projectors.tell(4))
        expect(await projectors.shown()).to.deep.equal(projectors.wanted(4))
      } finally {
        await projectors.stop()
      }
    }))
})
