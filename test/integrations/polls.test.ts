/** When polls run: one that is not to run now is looked at with every look of its timer, so that a pause is over soon. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { absent } from '../../src/domain/records/record.ts'
import { polls } from '../../src/integrations/poll/polls.ts'
import type { IntegrationWork } from '../../src/integrations/work.ts'

describe('a poll that is not to run', () => {
  it('is looked at again with the next look, and is not said to be due', async () => {
    let now = 0
    let looks = 0
    const load = async () => {
      looks++
      now += 5
      return absent
    }
    const work = { clock: { now: () => now }, files: new Map(), states: { load } }
    const { rule, times } = polls({
      work: work as unknown as IntegrationWork,
      onTrouble: (message) => expect.fail(message),
    })
    const timer = {
      rule: rule.name,
      company: 'company-1',
      record: 'integration-1',
      occurrence: 'poll|changes',
      due: 0,
    }
    const record = { company: timer.company, key: timer.record, state: absent, zone: 'UTC' }
    for (const expected of [1, 2, 3]) {
      const again = await rule.fire(timer, record)
      await turn()
      expect(looks).to.equal(expected)
      expect(times(timer.record, 'changes')).to.deep.equal({ last: undefined, next: undefined })
      now = again!.again
    }
  })
})
