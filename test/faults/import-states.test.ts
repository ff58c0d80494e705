/** A kill in each state of an import; `scripts/faults/imports.ts` does many. */
import { join } from 'node:path'
import { expect } from 'chai'
import { importRounds, MOMENTS } from './import-rounds.ts'
import { withFolder } from './ledger/service-process.ts'

describe('imports, killed while they are sent, read, checked, committed and undone', function () {
  this.timeout(300_000)
  it('have each row once', async () => {
    const report = await withFolder((folder) =>
      importRounds({ dataDir: join(folder, 'data'), kills: MOMENTS.length, seed: 2 }),
    )
    expect(report.faults).to.deep.equal([])
    expect(report.rows).to.be.greaterThan(0)
  })
})
