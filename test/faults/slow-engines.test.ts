import { expect } from 'chai'
import { hasFerretDb, NO_FERRETDB } from '../engines/mongodb-under-test.ts'
import { suiteOf } from '../engines/suite-of.ts'
import { withFolder } from './ledger/service-process.ts'
import { slowEngines } from './slow-engines.ts'

const suite = suiteOf('engines that are all slow', hasFerretDb ? undefined : NO_FERRETDB)

suite('engines that are all slow by 2 s', () => {
  it('block nobody: the event loop is free, every request is answered, memory does not pile up', () =>
    withFolder(async (dataDir) => {
      const { before, slow, after } = await slowEngines({ dataDir, seconds: 4, perSecond: 20 })
      expect(Object.keys(before.statuses)).to.have.members(['200', '201'])
      // 50 ms on a machine of its own; a busy one shows by the same pace without the delay.
      expect(slow.loopP99).to.be.below(Math.max(50, 3 * before.loopP99))
      for (const status of Object.keys(slow.statuses)) expect(['200', '201', '503']).to.include(status)
      expect(slow.slowest).to.be.below(15_000)
      expect(slow.megabytes).to.be.below(before.megabytes + 150)
      expect(after.statuses['201'], 'it recovers').to.be.greaterThan(20)
    })).timeout(120_000)
})
