/** A few kills while mails are sent; `scripts/faults/mails.ts` does many. */
import { join } from 'node:path'
import { expect } from 'chai'
import { withFolder } from './ledger/service-process.ts'
import { mailRounds } from './mail-rounds.ts'
import { rounds } from '../support/rounds.ts'

describe('mails, with kills in between', function () {
  this.timeout(180_000)
  for (const ifUnsure of ['resend', 'hold'] as const)
    it(`are all sent or known to be uncertain (${ifUnsure})`, async () => {
      const report = await withFolder((folder) =>
        mailRounds({
          dataDir: join(folder, 'data'),
          definitionsDir: join(folder, 'definitions'),
          mails: rounds(30, 60),
          kills: rounds(2, 4),
          ifUnsure,
          patienceMs: 90_000,
        }),
      )
      expect(report.faults).to.deep.equal([])
    })
})
