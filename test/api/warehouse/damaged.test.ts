/** A damaged page of a company's warehouse file: the server's fault, and nothing that the client could mend. */
import { closeSync, openSync, readdirSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { warehouseHas } from '../../scripts/verify/warehouse-has.ts'
import { testService, type TestService } from '../../support/service.ts'

const PAGE = 4_096

describe('a damaged warehouse file', function () {
  this.timeout(60_000)
  let service: TestService

  before(async () => {
    service = await testService()
    const Records = Array.from({ length: 200 }, (_, i) => ({ Name: `Tenant ${i} ${'x'.repeat(150)}` }))
    await service.post('tenant/batch', { Records })
    await warehouseHas(service, await service.post('tenant', { Name: 'the last one' }))
    await service.stop()
    const folder = join(service.dataDir, 'warehouse')
    for (const name of readdirSync(folder).filter((one) => /^company-.*\.db$/.test(one)))
      damage(join(folder, name))
    await service.restart()
  })
  after(() => service.discard())

  /** Every page of the table but its root. */
  const damage = (path: string) => {
    const db = new DatabaseSync(path)
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    const root = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'wh_Leasing_Tenant'").get()
    const pages = db
      .prepare("SELECT pageno FROM dbstat WHERE name = 'wh_Leasing_Tenant'")
      .all()
      .map((row) => row['pageno'] as number)
      .filter((page) => page !== root!['rootpage'])
    db.close()
    expect(pages.length).to.be.above(3)
    const file = openSync(path, 'r+')
    for (const page of pages) writeSync(file, Buffer.alloc(PAGE, 0xff), 0, PAGE, (page - 1) * PAGE)
    closeSync(file)
    expect(statSync(path).size % PAGE).to.equal(0)
  }

  it('is answered with 503, not as a fault of the question', async () => {
    const answer = await service.post('warehouse/query', {
      Sql: 'SELECT max("Name") FROM "wh_Leasing_Tenant"',
    })
    expect(answer.status, answer.text).to.equal(503)
  })

  it('is 503 for a snapshot', async () => {
    expect((await service.get('warehouse/snapshot')).status).to.equal(503)
  })
})
