/** A few kills while an integration polls and sends; `scripts/faults/syncs.ts` does many. */
import { join } from 'node:path'
import { expect } from 'chai'
import { missing } from '../engines/wsgidav/binary.ts'
import { suiteOf } from '../engines/suite-of.ts'
import { fileRounds } from './file-rounds.ts'
import { withFolder } from './ledger/service-process.ts'
import { syncRounds } from './sync-rounds.ts'
import { rounds } from '../support/rounds.ts'

describe('an integration that polls and sends, with kills in between', function () {
  this.timeout(240_000)
  it('loses nothing and doubles nothing', async () => {
    const report = await withFolder((folder) =>
      syncRounds({
        dataDir: join(folder, 'data'),
        definitionsDir: join(folder, 'definitions'),
        records: rounds(30, 60),
        kills: rounds(2, 4),
        patienceMs: 150_000,
      }),
    )
    expect(report.faults).to.deep.equal([])
  })
})

const FILES = 'files of a WebDAV server that change while they are polled, with kills in between'
suiteOf(FILES, missing)(FILES, function () {
  this.timeout(240_000)
  it('are here once each, as they are there', async () => {
    const report = await withFolder((folder) =>
      fileRounds({
        dataDir: join(folder, 'data'),
        definitionsDir: join(folder, 'definitions'),
        kills: rounds(2, 4),
        seed: 1,
        patienceMs: 150_000,
      }),
    )
    expect(report.faults).to.deep.equal([])
  })
})
