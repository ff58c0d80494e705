/** A client behind a proxy that cuts connections, keeps answers back and answers by itself; `scripts/faults/cut-clients.ts` does it with 10,000 records. */
import { expect } from 'chai'
import { Daybook } from '../../clients/typescript/src/index.ts'
import { testService, TOKEN, type TestService } from '../support/service.ts'
import { createThroughCuts, iterateBesideChanges } from '../clients/through-cuts.ts'

const RECORDS = 60
/** Beside those, so that there are several pages. */
const MORE = 240

describe('the TypeScript client behind a proxy that fails', function () {
  this.timeout(120_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.discard())

  it(`creates ${RECORDS} records, none twice`, async () => {
    const faults = await createThroughCuts(service, { records: RECORDS, atOnce: RECORDS })
    for (const [kind, count] of Object.entries(faults)) expect(count, kind).to.be.greaterThan(2)
  })

  it('iterates exactly those of the first moment while others create, change and delete', async () => {
    const more = Array.from({ length: MORE }, (_, n) => ({ Name: `More ${n}` }))
    const daybook = new Daybook({ url: service.url, token: TOKEN })
    for (let from = 0; from < MORE; from += 80) await daybook['tenant']!.batch(more.slice(from, from + 80))
    const { records, changes } = await iterateBesideChanges(service)
    expect(records).to.equal(RECORDS + MORE)
    expect(changes).to.equal((RECORDS + MORE) / 10)
  })
})
